#pragma once

#include <functional>
#include <optional>
#include <string>

namespace glyphreel::present {

/// A function that returns the value of an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;

/// The capabilities that the player reads from a terminal's entry in the terminfo database.
struct Terminfo {
  int colors = 0;                 ///< max_colors; 0: monochrome
  bool direct_color = false;      ///< has the extended capability RGB or Tc, of any type
  bool back_color_erase = false;  ///< erased cells get the current background color
  bool erase_characters = false;  ///< has erase_chars (ech)
};

/// Reads a terminal's entry from the folders that ncurses searches: $TERMINFO, ~/.terminfo, $TERMINFO_DIRS
/// and the system's folders. Empty if there is no entry.
[[nodiscard]] std::optional<Terminfo> find_terminfo(const std::string& term);

enum class ColorDepth {
  None,     ///< no colors
  Ansi16,   ///< the 16 ANSI colors, which users may redefine
  Ansi256,  ///< xterm's 256 colors
  Direct,   ///< 24-bit color
};

/// The capabilities of a terminal that affect drawing.
struct TerminalCapabilities {
  ColorDepth colors = ColorDepth::None;
  bool back_color_erase = false;  ///< erased cells get the current background color
  bool erase_characters = false;  ///< supports CSI n X
  /// Supports xterm's private modes (synchronized updates, mouse, paste), or ignores unsupported modes.
  bool private_modes = false;
  bool block_elements =
      false;  ///< shows U+2580 to U+259F: the locale is UTF-8, and the terminal is not the kernel's console
  bool operator==(const TerminalCapabilities&) const = default;
};

/// Returns the capabilities that the environment and the terminfo entry imply, without querying the terminal.
/// NO_COLOR (no-color.org) disables all colors. Pure.
[[nodiscard]] TerminalCapabilities terminal_capabilities(const Environment& environment,
                                                         const std::optional<Terminfo>& info);
/// Returns the capabilities of the terminal that the process's environment describes.
[[nodiscard]] TerminalCapabilities expected_capabilities();

/// Returns the color depth for text that is written to a pipe or a file. A terminal may show this text later,
/// so the result is the color depth of the terminal that the environment describes, or Direct if TERM is not
/// set. NO_COLOR disables all colors.
[[nodiscard]] ColorDepth piped_colors(const Environment& environment, const std::optional<Terminfo>& info);
/// Returns piped_colors() for the process's environment.
[[nodiscard]] ColorDepth piped_colors();

}  // namespace glyphreel::present
