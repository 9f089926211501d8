#pragma once

#include "cli/options/settings.h"
#include "present/terminal/terminal_colors.h"

namespace glyphreel::player {

/// Returns the palette that a terminal needs for this color choice.
[[nodiscard]] constexpr present::TerminalColors::Palette terminal_palette(cli::ColorChoice color) {
  using Palette = present::TerminalColors::Palette;
  return color == cli::ColorChoice::Ansi16    ? Palette::Ansi16
         : color == cli::ColorChoice::Ansi256 ? Palette::Ansi256
                                              : Palette::None;
}

}  // namespace glyphreel::player
