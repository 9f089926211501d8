#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/command.h"
#include "player/osd/help_page.h"

namespace glyphreel::player {

/// Which keys do what: the built-in ones, and those of the user's input.conf over them.
class Bindings {
 public:
  /// The built-in keys alone.
  Bindings();

  /// Adds the lines of an input.conf: "KEY COMMAND", # begins a comment. A key bound again does the new
  /// command. `name` is the file as messages call it. Errors: Usage with the line's number; then nothing has
  /// changed.
  [[nodiscard]] Result<void> add(std::string_view text, std::string_view name);

  /// Null: the key does nothing.
  [[nodiscard]] const Command* find(std::string_view key) const;

  /// For the help page: every command with the keys that it has now.
  [[nodiscard]] std::vector<HelpEntry> help() const;

 private:
  struct Binding {
    std::string key;
    std::string text;  ///< of the command, as written
    Command command;
  };
  [[nodiscard]] Result<void> bind(std::string_view key, std::string_view command);

  std::vector<Binding> bindings_;
};

/// The user's input.conf added to the built-in keys; these alone where there is no such file.
/// Errors: Usage, see Bindings::add(); the file cannot be read.
[[nodiscard]] Result<Bindings> load_bindings();

}  // namespace glyphreel::player
