#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/control/player_command.h"
#include "player/osd/help_page.h"

namespace glyphreel::player {

/// The key bindings: the built-in bindings, and those of the user's input.conf, which override them.
class Bindings {
 public:
  /// Creates the built-in bindings.
  Bindings();

  /// Adds the lines of an input.conf. Each line is "KEY COMMAND", or "KEY COMMAND; COMMAND"; a # begins a
  /// comment, except at the start of a line that binds the key #. Binding a key again replaces its commands.
  /// `name` is the file's name in messages. Ignores invalid lines, and returns one warning, with the line
  /// number, for each invalid line.
  [[nodiscard]] std::vector<std::string> add(std::string_view text, std::string_view name);

  /// Returns the key's commands; null if the key has none.
  [[nodiscard]] const std::vector<Command>* find(std::string_view key) const;

  /// Returns the bound commands with their current keys, for the help page.
  [[nodiscard]] std::vector<HelpEntry> help() const;

 private:
  struct Binding {
    std::string key;
    std::string text;  ///< the commands as written in input.conf
    std::vector<Command> commands;
  };
  [[nodiscard]] Result<void> bind(std::string_view key, std::string_view commands);

  std::vector<Binding> bindings_;
};

/// Returns the built-in bindings with the user's input.conf added, if that file exists. Logs its invalid
/// lines. Errors: Usage if the file cannot be read.
[[nodiscard]] Result<Bindings> load_bindings();

}  // namespace glyphreel::player
