#include "present/terminal/terminal_colors.h"

#include <array>
#include <cstddef>

#include "base/decimal.h"
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
  std::array<char, sizeof "48;2;255;255;255" + 1> bytes;
  char* end = bytes.data();
  const auto put = [&end](std::uint32_t number) {
    end = put_decimal(end, static_cast<std::uint8_t>(number));
  };
  const auto put_parameter = [&](std::uint32_t number) {
    *end++ = ';';
    put(number);
  };
  const std::uint32_t base = target == ColorTarget::Foreground ? 30 : 40;
  const std::uint32_t value = color.value();
  if (color.is_default()) {
    put(base + 9);
  } else if (color.is_direct()) {
    put(base + 8);
    put_parameter(2);
    for (const int shift : {16, 8, 0}) put_parameter(value >> shift & 255);
  } else if (value >= 16) {
    put(base + 8);
    put_parameter(5);
    put_parameter(value);
  } else {
    put(value >= 8 ? base + 60 + value - 8 : base + value);
  }
  text.append(bytes.data(), end);
}

}  // namespace glyphreel::present
