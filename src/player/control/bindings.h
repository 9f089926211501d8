#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/control/player_command.h"
#include "player/osd/help_page.h"

namespace glyphreel::player {

/// The key bindings: the built-in ones, which the user's input.conf can override.
class Bindings {
 public:
  /// Creates the built-in bindings.
  Bindings();

  /// Adds the lines of an input.conf. Each line is "KEY COMMAND"; a # begins a comment. Binding a key again
  /// replaces its command. `name` is the file's name in messages. Errors: Usage, with the line number in the
  /// message. After an error, the bindings are unchanged.
  [[nodiscard]] Result<void> add(std::string_view text, std::string_view name);

  /// Returns the key's command; null if the key has none.
  [[nodiscard]] const Command* find(std::string_view key) const;

  /// Returns every command with its current keys, for the help page.
  [[nodiscard]] std::vector<HelpEntry> help() const;

 private:
  struct Binding {
    std::string key;
    std::string text;  ///< the command as written in input.conf
    Command command;
  };
  [[nodiscard]] Result<void> bind(std::string_view key, std::string_view command);

  std::vector<Binding> bindings_;
};

/// Returns the built-in bindings with the user's input.conf added, if that file exists. Errors: Usage if the
/// file cannot be read or Bindings::add() fails.
[[nodiscard]] Result<Bindings> load_bindings();

}  // namespace glyphreel::player
