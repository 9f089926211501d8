#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "base/rational.h"

namespace glyphreel::media {

/// The first tick at or after `seconds`, counted from tick `start`. A time that was computed from a tick's
/// own seconds finds that tick, although doubles round.
[[nodiscard]] std::int64_t tick_at_or_after(double seconds, std::int64_t start, Rational time_base);

/// The part of one stream that is wanted, in its ticks: from <= pts < end.
struct PlayWindow {
  std::int64_t from = std::numeric_limits<std::int64_t>::min();
  std::int64_t end = std::numeric_limits<std::int64_t>::max();
};

/// The ticks of a stream between two times, counted in seconds from tick `start`; an empty one: no bound.
[[nodiscard]] PlayWindow window_between(std::optional<double> from_seconds, std::optional<double> end_seconds,
                                        std::int64_t start, Rational time_base);

}  // namespace glyphreel::media
