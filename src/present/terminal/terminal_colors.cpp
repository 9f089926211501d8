#include "present/terminal/terminal_colors.h"

#include <cstddef>

#include <fmt/format.h>

#include "mapping/tables/palette.h"

namespace glyphreel::present {

TerminalColors::TerminalColors(Palette palette, ColorDepth depth) : depth_(depth) {
  if (depth == ColorDepth::None) return;
  const bool fits =
      palette == Palette::Ansi16 || (palette == Palette::Ansi256 && depth != ColorDepth::Ansi16);
  if (fits) {
    const std::vector<std::uint32_t> colors =
        palette == Palette::Ansi16 ? mapping::ansi16_palette() : mapping::ansi256_palette();
    // A color that occurs several times in the palette gets its highest index, because users may redefine the
    // first 16 colors.
    for (std::size_t i = 0; i < colors.size(); ++i) numbers_[colors[i]] = static_cast<std::uint32_t>(i);
  }
  if (depth == ColorDepth::Ansi256) {
    nearest_ = mapping::nearest_table(mapping::ansi256_palette(), mapping::FirstFixedAnsiColor);
  } else if (depth == ColorDepth::Ansi16) {
    nearest_ = mapping::nearest_table(mapping::ansi16_palette());
  }
}

TerminalColor TerminalColors::of(std::uint32_t color) const {
  if (depth_ == ColorDepth::None) return {};
  color &= 0xFFFFFF;
  if (!numbers_.empty()) {
    if (const auto number = numbers_.find(color); number != numbers_.end())
      return TerminalColor::numbered(number->second);
  }
  if (nearest_.empty()) return TerminalColor::direct(color);
  return TerminalColor::numbered(
      nearest_[(color >> 19 & 31) << 10 | (color >> 11 & 31) << 5 | (color >> 3 & 31)]);
}

void append_color(std::string& text, ColorTarget target, TerminalColor color) {
  // Parsing a format string for each color would take most of the time of an export to text.
  const auto append = [&text](char prefix, std::uint32_t number) {
    const fmt::format_int digits(number);
    if (prefix != 0) text += prefix;
    text.append(digits.data(), digits.size());
  };
  const std::uint32_t base = target == ColorTarget::Foreground ? 30 : 40;
  const std::uint32_t value = color.value();
  if (color.is_default()) {
    append(0, base + 9);
  } else if (color.is_direct()) {
    append(0, base + 8);
    text += ";2";
    for (const int shift : {16, 8, 0}) append(';', value >> shift & 255);
  } else if (value >= 16) {
    append(0, base + 8);
    text += ";5";
    append(';', value);
  } else {
    append(0, value >= 8 ? base + 60 + value - 8 : base + value);
  }
}

}  // namespace glyphreel::present
