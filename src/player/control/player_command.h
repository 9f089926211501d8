#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::player {

/// The action of a command.
enum class CommandVerb {
  Ignore,
  Quit,
  Seek,
  FrameStep,
  FrameBackStep,
  AbLoop,
  PlaylistNext,
  PlaylistPrevious,
  Screenshot,
  Cycle,     ///< to a property's next value
  Add,       ///< a number to a property
  Multiply,  ///< a property by a number
  Set,       ///< a property to a value
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
  CommandVerb verb = CommandVerb::Ignore;
  std::string property;  ///< of Cycle, Add, Multiply and Set
  double value = 0;
  std::string text;  ///< Set: the value as written
  SeekKind seek = SeekKind::Relative;
  bool exact = false;  ///< Seek: to the exact frame, not to a keyframe near it
  bool operator==(const Command&) const = default;
};

/// Parses a command. Errors: Usage with one sentence: no such command or property, or not a number.
[[nodiscard]] Result<Command> parse_command(std::string_view text);

/// The properties that commands may name.
[[nodiscard]] const std::vector<std::string_view>& command_properties();

}  // namespace glyphreel::player
