#include "media/play_window.h"

#include <cmath>

namespace glyphreel::media {

std::int64_t tick_at_or_after(double seconds, std::int64_t start, Rational time_base) {
  constexpr double RoundingTicks = 1e-3;
  const double ticks =
      seconds * static_cast<double>(time_base.denominator) / static_cast<double>(time_base.numerator);
  constexpr double Limit = 9e18;  // keeps the conversion defined for absurd times
  const double rounded = std::ceil(ticks - RoundingTicks);
  if (rounded >= Limit - static_cast<double>(start)) return std::numeric_limits<std::int64_t>::max();
  if (rounded <= -Limit) return std::numeric_limits<std::int64_t>::min();
  return start + static_cast<std::int64_t>(rounded);
}

}  // namespace glyphreel::media
