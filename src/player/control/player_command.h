#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/pages.h"
#include "player/control/picture_settings.h"
#include "player/control/property_value.h"

namespace glyphreel::player {

class Player;
struct Command;

/// The arguments that follow a command's name.
enum class CommandSyntax {
  Plain,     ///< none: "quit"
  Seek,      ///< a number and flags: "seek -5 exact"
  ShowText,  ///< a text and its duration in milliseconds: "show-text hello 2000"
  Set,       ///< a property and a value: "set mute yes"
  Number,    ///< a property and a number: "add volume -2", "multiply speed 2"
  Cycle,     ///< a property, optionally "up" or "down": "cycle pause", "cycle sub down"
  Values,    ///< a property and its values: "cycle-values speed 1 1.5 2"
};

/// A command. command_table() lists all of them for the parser of input.conf, the manual page and the player.
struct CommandSpec {
  std::string_view name;
  std::string_view usage;  ///< for the manual page: the arguments after the name
  std::string_view help;   ///< for the manual page
  CommandSyntax syntax = CommandSyntax::Plain;
  /// Runs the command. Errors: a message for the user if the command had no effect.
  Result<void> (&run)(Player& player, const Command& command);
  /// For a command with a property: what the command does to the property.
  PropertyAction action = PropertyAction::Set;
  /// Whether the command runs while an input is being opened. If not, it waits until the input is open.
  bool runs_while_opening = false;
};

/// The current limits of a numeric property. For the audio track, `max` is the number of audio tracks.
struct NumberRange {
  double min = 0, max = 0;
};

/// A property that commands change and other programs read. property_table() lists all of them.
struct PropertySpec {
  std::string_view name;
  std::string_view help;  ///< for the manual page; empty for a picture property: its option has the help
  PropertyDomain values;  ///< not used for a picture property, see domain_of()
  PropertyValue (*get)(const Player& player) = nullptr;
  /// Sets a value of the domain's type. Null: the property is read-only. Errors: as for CommandSpec::run.
  Result<void> (*set)(Player& player, const PropertyValue& value) = nullptr;
  /// Runs "cycle", "add" and "multiply"; null: these commands compute a value for `set`.
  Result<void> (*step)(Player& player, const Command& command) = nullptr;
  NumberRange (*range)(const Player& player) = nullptr;  ///< null: `values` has the limits
  std::optional<PictureProperty> picture = std::nullopt;
  /// Whether commands that cycle the property run while an input is being opened; null: they do not.
  bool (*cycles_while_opening)(const Player& player) = nullptr;
};

[[nodiscard]] std::span<const CommandSpec> command_table();
[[nodiscard]] std::span<const PropertySpec> property_table();
/// Returns the property with this name; null if there is none.
[[nodiscard]] const PropertySpec* find_property(std::string_view name);
/// Returns the end of the message about an unknown property name: a suggestion, or where to look.
[[nodiscard]] std::string property_hint(std::string_view name);
/// Returns the values that the property accepts.
[[nodiscard]] PropertyDomain domain_of(const PropertySpec& property);
/// Converts a value to the property's type. Errors: Usage if the property has no such value.
[[nodiscard]] Result<PropertyValue> converted(const PropertySpec& property, const PropertyValue& value);

/// What the number in a seek command means.
enum class SeekKind {
  Relative,         ///< seconds from the current position
  Absolute,         ///< seconds from the start
  AbsolutePercent,  ///< percent of the duration
};

/// Whether the on-screen display shows a command's effect. mpv's prefixes that are not listed below are
/// accepted but ignored.
enum class OsdUse {
  Auto,  ///< shown if a key runs the command, not shown if another program does
  No,    ///< "no-osd"
  Yes,   ///< "osd-msg", "osd-bar", "osd-msg-bar"
};

/// One command of input.conf, in mpv's syntax: "seek -5 exact", "add volume -2", "no-osd cycle pause".
struct Command {
  const CommandSpec* spec = nullptr;       ///< never null once parsed
  const PropertySpec* property = nullptr;  ///< null for a command without a property
  OsdUse osd = OsdUse::Auto;
  double value = 1;                        ///< number after "seek", "add" or "multiply"; 1 or -1 for "cycle";
                                           ///< duration in seconds for "show-text"
  std::string text;                        ///< the text after "show-text"
  std::vector<PropertyValue> values = {};  ///< the values after "set" or "cycle-values", in cycling order
  SeekKind seek = SeekKind::Relative;
  bool exact = false;  ///< seek to the exact frame instead of a nearby keyframe

  /// Returns the command's step of a picture setting; empty if the command does something else.
  [[nodiscard]] std::optional<PictureStep> picture_step() const;
  /// Whether the command runs at once while an input is being opened.
  [[nodiscard]] bool runs_while_opening(const Player& player) const;
};

/// Parses a command from its words. Errors: Usage if the command or property does not exist, or a value is
/// invalid.
[[nodiscard]] Result<Command> parse_command(std::span<const std::string> words);
/// Parses a line of commands separated by ";", see split_commands(). Errors: as for parse_command(); also
/// Usage if the line has no command.
[[nodiscard]] Result<std::vector<Command>> parse_commands(std::string_view text);

/// Returns the command that sets a property. Errors: Usage if the property cannot be changed or has no such
/// value.
[[nodiscard]] Result<Command> set_command(const PropertySpec& property, const PropertyValue& value);

/// Returns the commands and the properties for the manual page.
[[nodiscard]] std::vector<cli::HelpEntry> command_help();
[[nodiscard]] std::vector<cli::HelpEntry> property_help();

}  // namespace glyphreel::player
