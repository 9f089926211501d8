#include "media/ffmpeg/pts_range.h"

#include <algorithm>
#include <cmath>

namespace glyphreel::media {

std::int64_t tick_at_or_after(double seconds, std::int64_t start, Rational time_base) {
  // Ignore a rounding error of `seconds` up to the smaller of these two limits.
  constexpr double RoundingTicks = 1e-3;
  constexpr double RoundingSeconds = 1e-3;
  const double ticks_per_second =
      static_cast<double>(time_base.denominator) / static_cast<double>(time_base.numerator);
  const double ticks = seconds * ticks_per_second;
  constexpr double Limit = 9e18;  // keeps the conversion to integer defined for very large times
  const double rounded = std::ceil(ticks - std::min(RoundingTicks, RoundingSeconds * ticks_per_second));
  if (rounded >= Limit - static_cast<double>(start)) return std::numeric_limits<std::int64_t>::max();
  if (rounded <= -Limit) return std::numeric_limits<std::int64_t>::min();
  return start + static_cast<std::int64_t>(rounded);
}

PtsRange window_between(std::optional<double> from_seconds, std::optional<double> end_seconds,
                        std::int64_t start, Rational time_base) {
  PtsRange window;
  if (from_seconds) window.from = tick_at_or_after(*from_seconds, start, time_base);
  if (end_seconds) window.end = tick_at_or_after(*end_seconds, start, time_base);
  return window;
}

}  // namespace glyphreel::media
