#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/rational.h"

namespace glyphreel::media {

/// Returns the first tick at or after the time that is `seconds` after tick `start`. A tick is one unit of
/// `time_base`. If `seconds` was computed from a tick, the result is that tick, despite rounding errors.
[[nodiscard]] std::int64_t tick_at_or_after(double seconds, std::int64_t start, Rational time_base);

/// The requested part of one stream, in the stream's ticks (`from <= pts < end`).
struct PtsRange {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

/// Returns the ticks of a stream between two times, given in seconds from tick `start`. An empty time means
/// no bound.
[[nodiscard]] PtsRange window_between(std::optional<double> from_seconds, std::optional<double> end_seconds,
                                      std::int64_t start, Rational time_base);

}  // namespace glyphreel::media
