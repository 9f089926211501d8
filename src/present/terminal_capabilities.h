#pragma once

#include <optional>

#include "present/terminfo.h"

namespace glyphreel::present {

enum class ColorDepth {
  None,     ///< text alone
  Ansi16,   ///< the 16 colours that users may change
  Ansi256,  ///< xterm's 256
  Direct,   ///< 24 bits
};

/// What a terminal can do.
struct TerminalCapabilities {
  ColorDepth colors = ColorDepth::None;
  bool back_color_erase = false;  ///< what is erased takes the current background
  bool erase_characters = false;  ///< CSI n X
  bool private_modes =
      false;  ///< takes xterm's modes, or ignores what it lacks: synchronised updates, mouse, paste
  bool operator==(const TerminalCapabilities&) const = default;
};

/// Decides from the environment and the terminal database alone; nothing is asked of the terminal. NO_COLOR
/// (no-color.org) ends all colours. Pure.
[[nodiscard]] TerminalCapabilities terminal_capabilities(const Environment& environment,
                                                         const std::optional<Terminfo>& info);

}  // namespace glyphreel::present
