#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::player {

/// Splits `text` at blanks into words.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// The commands in a line of input.conf.
struct CommandLine {
  std::vector<std::vector<std::string>> commands;  ///< the words of each command, at least one per command
  std::string text;                                ///< the line without its comment
};

/// Splits a line of input.conf, in mpv's syntax: ";" separates commands, "#" at the start of a word begins a
/// comment, "..." quotes text with the escapes \" \\ \n \t, and '...' quotes text without escapes. Errors:
/// Usage if a closing quote is missing.
[[nodiscard]] Result<CommandLine> split_commands(std::string_view text);

}  // namespace glyphreel::player
