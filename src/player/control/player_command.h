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

/// Which words a command consists of besides its name.
enum class CommandSyntax {
  Plain,     ///< no other words: "quit"
  Seek,      ///< a number and flags after the name: "seek -5 exact"
  Property,  ///< a verb before the name: "cycle pause", "add volume -2", "multiply speed 2", "set mute yes"
};

/// Keys that run a command by default. input.conf can bind them to other commands.
struct DefaultKeys {
  std::string_view keys;     ///< mpv's names of the keys, separated by spaces
  std::string_view command;  ///< in the syntax of input.conf
  std::string_view help;     ///< description for the help page
};

/// A command, or a property that commands change. command_table() lists all of them for the parser of
/// input.conf, the help page, the manual page and the player.
struct CommandSpec {
  static constexpr std::size_t MaxDefaults = 8;

  std::string_view name;
  /// Runs the command. A reference, so that there is no command without a handler.
  void (&run)(Player& player, const Command& command);
  CommandSyntax syntax = CommandSyntax::Property;
  std::string_view group = {};  ///< heading on the help page; empty: the help page omits the command
  std::array<DefaultKeys, MaxDefaults> defaults = {};
  std::optional<PictureProperty> picture = std::nullopt;  ///< picture setting that the command changes
  /// Whether the command runs at once while an input is being opened. If this is null or returns false, the
  /// command waits until the input is open.
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
  double value = 0;  ///< the number after seek, add, multiply or set; 1 for the word "yes" after set
  std::string text;  ///< the value as written in input.conf
  SeekKind seek = SeekKind::Relative;
  bool exact = false;  ///< seek to the exact frame instead of a keyframe near it

  /// Returns the value that this command gives a property whose current value is `number`.
  [[nodiscard]] double changed(double number) const;
  /// Returns the state that this command gives an on/off property whose current state is `is_on`.
  [[nodiscard]] bool switched(bool is_on) const;
  /// Returns the step of the picture setting; empty if the command does not change one.
  [[nodiscard]] std::optional<PictureStep> picture_step() const;
};

/// Splits `text` at blanks into words.
[[nodiscard]] std::vector<std::string_view> words_of(std::string_view text);

/// Parses a command. Errors: Usage if the command or property does not exist, or a value is invalid.
[[nodiscard]] Result<Command> parse_command(std::string_view text);

}  // namespace glyphreel::player
