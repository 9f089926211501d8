#pragma once

#include <span>
#include <string_view>

namespace glyphreel::player {

/// Keys that run a command by default. input.conf can bind them to other commands.
struct DefaultKeys {
  std::string_view group;    ///< heading on the help page
  std::string_view keys;     ///< mpv's key names, separated by spaces
  std::string_view command;  ///< in the syntax of input.conf
  std::string_view help;     ///< description for the help page
};

/// Returns the default keys, in the order of the help page.
[[nodiscard]] std::span<const DefaultKeys> default_keys();

}  // namespace glyphreel::player
