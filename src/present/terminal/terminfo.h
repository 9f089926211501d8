#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace glyphreel::present {

/// Returns the value of an environment variable; empty if it is not set.
using Environment = std::function<std::string(const char* name)>;
[[nodiscard]] std::string process_environment(const char* name);

/// The entries of the terminal database that matter to a player.
struct Terminfo {
  int colors = 0;                 ///< max_colors; 0: monochrome
  bool direct_color = false;      ///< RGB or Tc, in any form
  bool back_color_erase = false;  ///< erased cells take the current background
  bool erase_characters = false;  ///< ech
};

/// Parses a compiled entry in either of ncurses' formats, with their extension, term(5). Returns empty if it
/// is not valid.
[[nodiscard]] std::optional<Terminfo> parse_terminfo(std::string_view bytes);

/// Reads the entry of a terminal from where ncurses looks for it: $TERMINFO, ~/.terminfo, $TERMINFO_DIRS and
/// the system's folders.
[[nodiscard]] std::optional<Terminfo> find_terminfo(const std::string& term);

}  // namespace glyphreel::present
