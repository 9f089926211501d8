#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "present/terminal_capabilities.h"

namespace glyphreel::present {

/// What a terminal is told instead of a colour: 0xRRGGBB, or a palette's number, or nothing.
class TerminalColor {
 public:
  constexpr TerminalColor() = default;  ///< the terminal's own
  static constexpr TerminalColor direct(std::uint32_t rgb) { return TerminalColor(rgb & 0xFFFFFF); }
  static constexpr TerminalColor numbered(std::uint32_t number) { return TerminalColor(Numbered | number); }
  [[nodiscard]] constexpr bool is_default() const { return code_ == Default; }
  [[nodiscard]] constexpr bool is_direct() const { return code_ < Numbered; }
  /// 0xRRGGBB or the number.
  [[nodiscard]] constexpr std::uint32_t value() const { return code_ & 0xFFFFFF; }
  bool operator==(const TerminalColor&) const = default;

 private:
  static constexpr std::uint32_t Numbered = 1u << 24;
  static constexpr std::uint32_t Default = 2u << 24;
  explicit constexpr TerminalColor(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = Default;
};

/// Turns the picture's colours into those that a terminal has: the picture's palette by number, others as
/// they are where it shows 24 bits, else the nearest of its palette in Oklab. Immutable once made.
class TerminalColors {
 public:
  /// Colours that the picture is limited to.
  enum class Palette { None, Ansi16, Ansi256 };
  explicit TerminalColors(Palette palette = Palette::None, ColorDepth depth = ColorDepth::Direct);

  /// Of a 0xRRGGBB colour; the top byte does not count.
  [[nodiscard]] TerminalColor of(std::uint32_t color) const;

 private:
  ColorDepth depth_;
  std::unordered_map<std::uint32_t, std::uint32_t>
      numbers_;                         ///< of the palette's colours, where the terminal has them
  std::vector<std::uint32_t> nearest_;  ///< by five bits of each component; empty: 24 bits
};

enum class ColorTarget { Ink, Paper };
/// Appends the parameters, without CSI and m, that make a colour the current one.
void append_color(std::string& text, ColorTarget target, TerminalColor color);

}  // namespace glyphreel::present
