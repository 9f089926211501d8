#pragma once

#include <optional>

#include "present/terminal/terminfo.h"

namespace glyphreel::present {

enum class ColorDepth {
  None,     ///< no colors
  Ansi16,   ///< the 16 colors, which users may redefine
  Ansi256,  ///< xterm's 256 colors
  Direct,   ///< 24-bit color
};

/// What a terminal can do.
struct TerminalCapabilities {
  ColorDepth colors = ColorDepth::None;
  bool back_color_erase = false;  ///< erased cells take the current background
  bool erase_characters = false;  ///< CSI n X
  /// Accepts xterm's private modes, or ignores those it lacks: synchronized updates, mouse, paste.
  bool private_modes = false;
  bool operator==(const TerminalCapabilities&) const = default;
};

/// Decides from the environment and the terminal database alone, without querying the terminal. NO_COLOR
/// (no-color.org) disables all colors. Pure.
[[nodiscard]] TerminalCapabilities terminal_capabilities(const Environment& environment,
                                                         const std::optional<Terminfo>& info);

}  // namespace glyphreel::present
