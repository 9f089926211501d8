#include "present/terminal/terminal_colors.h"

#include <cstddef>
#include <iterator>

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
  const auto out = std::back_inserter(text);
  const std::uint32_t base = target == ColorTarget::Foreground ? 30 : 40;
  const std::uint32_t value = color.value();
  if (color.is_default()) {
    fmt::format_to(out, "{}", base + 9);
  } else if (color.is_direct()) {
    fmt::format_to(out, "{};2;{};{};{}", base + 8, value >> 16, value >> 8 & 255, value & 255);
  } else if (value >= 16) {
    fmt::format_to(out, "{};5;{}", base + 8, value);
  } else {
    fmt::format_to(out, "{}", value >= 8 ? base + 60 + value - 8 : base + value);
  }
}

}  // namespace glyphreel::present
