#pragma once

#include <functional>
#include <optional>
#include <string>

namespace glyphreel::present {

/// Returns the value of an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;

/// The entries of the terminal database that matter to a player.
struct Terminfo {
  int colors = 0;                 ///< max_colors; 0: monochrome
  bool direct_color = false;      ///< RGB or Tc, in any form
  bool back_color_erase = false;  ///< erased cells take the current background
  bool erase_characters = false;  ///< ech
};

/// Reads the entry of a terminal from where ncurses looks for it: $TERMINFO, ~/.terminfo, $TERMINFO_DIRS and
/// the system's folders.
[[nodiscard]] std::optional<Terminfo> find_terminfo(const std::string& term);

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
/// Returns those of the terminal that the process's environment describes.
[[nodiscard]] TerminalCapabilities expected_capabilities();

}  // namespace glyphreel::present
