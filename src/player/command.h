#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::player {

/// What a command does.
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
  Cycle,     ///< a property to its next value
  Add,       ///< a number to a property
  Multiply,  ///< a property by a number
  Set,       ///< a property
};

/// How a seek's number is meant.
enum class SeekKind {
  Relative,         ///< seconds from here
  Absolute,         ///< seconds from the start
  AbsolutePercent,  ///< of the duration
};

/// One command of input.conf, in mpv's words: "seek -5 exact", "add volume -2", "cycle pause", "set speed 1".
struct Command {
  CommandVerb verb = CommandVerb::Ignore;
  std::string property;  ///< of Cycle, Add, Multiply and Set
  double value = 0;
  std::string text;  ///< Set: the value as it was written
  SeekKind seek = SeekKind::Relative;
  bool exact = false;  ///< Seek: to the frame, not to a key frame near it
  bool operator==(const Command&) const = default;
};

/// Errors: Usage with one sentence: no such command or property, a number that is none.
[[nodiscard]] Result<Command> parse_command(std::string_view text);

/// Properties that commands may name.
[[nodiscard]] const std::vector<std::string_view>& command_properties();

}  // namespace glyphreel::player
