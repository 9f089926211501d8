#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/control/picture_settings.h"

namespace glyphreel::player {

class Player;
struct Command;

/// What belongs to the name of a command.
enum class CommandSyntax {
  Plain,     ///< nothing: "quit"
  Seek,      ///< a number and flags: "seek -5 exact"
  Property,  ///< a verb before it: "cycle pause", "add volume -2", "multiply speed 2", "set mute yes"
};

/// Keys that have a command unless input.conf binds them to another one.
struct DefaultKeys {
  std::string_view keys;     ///< mpv's names, separated by spaces
  std::string_view command;  ///< as in input.conf
  std::string_view help;     ///< on the help page
};

/// A command, or a property that commands change. The parser of input.conf, the help page, the manual page
/// and the player all read the one table of them.
struct CommandSpec {
  static constexpr std::size_t MaxDefaults = 8;

  std::string_view name;
  /// Runs it. A reference, so that there is no command without a handler.
  void (&run)(Player& player, const Command& command);
  CommandSyntax syntax = CommandSyntax::Property;
  std::string_view group = {};  ///< its heading on the help page; empty: it is not shown there
  std::array<DefaultKeys, MaxDefaults> defaults = {};
  std::optional<PictureProperty> picture = std::nullopt;  ///< the setting that it changes
  /// Whether it runs at once while an input is being opened; null, or false: it waits for the input.
  bool (*runs_while_opening)(const Player& player, const Command& command) = nullptr;
};

/// Returns all commands and properties, in the order of the help page.
[[nodiscard]] std::span<const CommandSpec> command_table();

/// What a command does to a property.
enum class PropertyAction {
  Cycle,     ///< switches to the next value
  Add,       ///< adds a number
  Multiply,  ///< multiplies by a number
  Set,       ///< sets a value
};

/// The meaning of a seek's number.
enum class SeekKind {
  Relative,         ///< seconds from the current position
  Absolute,         ///< seconds from the start
  AbsolutePercent,  ///< percent of the duration
};

/// One command of input.conf, in mpv's syntax: "seek -5 exact", "add volume -2", "cycle pause", "set speed
/// 1".
struct Command {
  const CommandSpec* spec = nullptr;  ///< never null once parsed
  PropertyAction action = PropertyAction::Cycle;
  double value = 0;  ///< of a seek, Add, Multiply and Set; Set: 1 for "yes"
  std::string text;  ///< the value as written
  SeekKind seek = SeekKind::Relative;
  bool exact = false;  ///< a seek: to the exact frame, not to a keyframe near it

  /// Returns a number as changed by this command.
  [[nodiscard]] double changed(double number) const;
  /// Returns a switch as changed by this command.
  [[nodiscard]] bool switched(bool is_on) const;
  /// Returns the step of the picture setting; empty: the command does not change one.
  [[nodiscard]] std::optional<PictureStep> picture_step() const;
};

/// Returns the words between blanks.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// Parses a command. Errors: Usage with one sentence: no such command or property, or not a number.
[[nodiscard]] Result<Command> parse_command(std::string_view text);

}  // namespace glyphreel::player
