#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "present/terminal/terminal_capabilities.h"

namespace glyphreel::present {

/// A terminal color: 0xRRGGBB, a palette index, or the terminal's default.
class TerminalColor {
 public:
  constexpr TerminalColor() = default;  ///< the terminal's default color
  static constexpr TerminalColor direct(std::uint32_t rgb) { return TerminalColor(rgb & 0xFFFFFF); }
  static constexpr TerminalColor numbered(std::uint32_t number) { return TerminalColor(Numbered | number); }
  [[nodiscard]] constexpr bool is_default() const { return code_ == Default; }
  [[nodiscard]] constexpr bool is_direct() const { return code_ < Numbered; }
  /// Returns 0xRRGGBB or the palette index.
  [[nodiscard]] constexpr std::uint32_t value() const { return code_ & 0xFFFFFF; }
  bool operator==(const TerminalColor&) const = default;

 private:
  static constexpr std::uint32_t Numbered = 1u << 24;
  static constexpr std::uint32_t Default = 2u << 24;
  explicit constexpr TerminalColor(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = Default;
};

/// Maps the picture's colors to the terminal's colors. If the terminal has the picture's palette, a color in
/// that palette becomes an index. Any other color is sent unchanged to a terminal with 24-bit color; for
/// other terminals, it becomes the nearest color (in Oklab) of the terminal's palette. Immutable once made.
class TerminalColors {
 public:
  /// Colors that the picture is limited to.
  enum class Palette { None, Ansi16, Ansi256 };
  explicit TerminalColors(Palette palette = Palette::None, ColorDepth depth = ColorDepth::Direct);

  /// Returns the terminal's color for 0xRRGGBB; ignores the top byte.
  [[nodiscard]] TerminalColor of(std::uint32_t color) const;

 private:
  ColorDepth depth_;
  /// Palette indices by color 0xRRGGBB; empty if the terminal lacks the palette.
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
  /// Palette indices by the top 5 bits of each color component. Empty if the terminal has 24-bit color, or no
  /// colors.
  std::vector<std::uint32_t> nearest_;
};

enum class ColorTarget { Foreground, Background };
/// Appends the SGR parameters, without CSI and m, that set the current foreground or background color.
void append_color(std::string& text, ColorTarget target, TerminalColor color);

}  // namespace glyphreel::present
