#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/control/player_command.h"
#include "player/osd/help_page.h"

namespace glyphreel::player {

/// The key bindings: the built-in ones, overridden by those of the user's input.conf.
class Bindings {
 public:
  /// Only the built-in keys.
  Bindings();

  /// Adds the lines of an input.conf: "KEY COMMAND"; # begins a comment. Binding a key again replaces its
  /// command. `name` is the file's name in messages. Errors: Usage with the line number; then nothing has
  /// changed.
  [[nodiscard]] Result<void> add(std::string_view text, std::string_view name);

  /// Returns the key's command; null: the key does nothing.
  [[nodiscard]] const Command* find(std::string_view key) const;

  /// Returns every command with its current keys, for the help page.
  [[nodiscard]] std::vector<HelpEntry> help() const;

 private:
  struct Binding {
    std::string key;
    std::string text;  ///< the command as written
    Command command;
  };
  [[nodiscard]] Result<void> bind(std::string_view key, std::string_view command);

  std::vector<Binding> bindings_;
};

/// Loads the user's input.conf on top of the built-in keys; only these if there is no such file. Errors:
/// Usage, see Bindings::add(); the file cannot be read.
[[nodiscard]] Result<Bindings> load_bindings();

}  // namespace glyphreel::player
