#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace glyphreel::present {

/// The value of an environment variable; empty where it is not set.
using Environment = std::function<std::string(const char* name)>;
[[nodiscard]] std::string process_environment(const char* name);

/// What the terminal database says of a terminal, as far as it matters to a player.
struct Terminfo {
  int colors = 0;                 ///< max_colors; 0: monochrome
  bool direct_color = false;      ///< RGB or Tc, in any form
  bool back_color_erase = false;  ///< what is erased takes the current background
  bool erase_characters = false;  ///< ech
};

/// Reads a compiled entry: both of ncurses' formats and their extension, term(5). Empty where it is none;
/// whatever bytes are given, nothing outside them is read. Pure.
[[nodiscard]] std::optional<Terminfo> parse_terminfo(std::string_view bytes);

/// The entry of $TERM from $TERMINFO, ~/.terminfo, $TERMINFO_DIRS and the system's folders, in this order.
[[nodiscard]] std::optional<Terminfo> find_terminfo(const Environment& environment);

}  // namespace glyphreel::present
