#pragma once

#include <optional>

namespace glyphreel {

/// A position in an input. Some units need the input's duration or chapters.
struct TimePosition {
  enum class Unit {
    Seconds,           ///< from the start
    SecondsBeforeEnd,  ///< before the end
    Percent,           ///< of the duration
    Chapter,           ///< the start of this chapter, counted from 1
  };
  double value = 0;
  Unit unit = Unit::Seconds;
  bool operator==(const TimePosition&) const = default;
};

/// The part of an input that --start, --end and --length request. Empty members do not limit it.
struct RequestedRange {
  std::optional<TimePosition> start, end;
  std::optional<double> length_seconds;
};

}  // namespace glyphreel
