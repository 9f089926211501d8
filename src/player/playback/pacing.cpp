#include "player/playback/pacing.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace glyphreel::player {
namespace {

// If frames are at least this many refresh intervals apart, there are spare refreshes for catching up.
constexpr double CatchUpIntervals = 1.5;
// If frames are fewer than this many refresh intervals apart, the screen cannot show all of them. The value
// is below 1 because the reported refresh rate is rounded.
constexpr double TooFastIntervals = 0.9;

bool is_nearer(double one, double than_other, double to) {
  return std::abs(one - to) < std::abs(than_other - to);
}

}  // namespace

double screen_delay(const ScreenTiming& screen) {
  constexpr double MaxIntervals = 3;
  const double latency = screen.latency.value_or(0);
  if (screen.interval <= 0) return std::min(latency, LateToleranceSeconds);
  return (std::min(std::floor(latency / screen.interval), MaxIntervals) + 0.5) * screen.interval;
}

PacingDecision decide(const ScreenTimes& screen, std::span<const double> queued_pts) {
  const double soonest = std::max(screen.next, screen.last + screen.interval);
  PacingDecision decision;
  std::size_t oldest = 0;
  while (oldest + 1 < queued_pts.size()) {
    const double pts = queued_pts[oldest];
    const double following = queued_pts[oldest + 1];
    const double spacing = following - pts;
    const bool cannot_catch_up = spacing < CatchUpIntervals * screen.interval;
    const bool is_late =
        cannot_catch_up ? pts + screen.interval / 2 < screen.next && is_nearer(following, pts, screen.next)
                        : pts + LateToleranceSeconds < screen.next && following <= screen.next;
    const bool is_surplus =
        spacing < TooFastIntervals * screen.interval && is_nearer(following, pts, soonest);
    if (!is_late && !is_surplus) break;
    if (!is_late) ++decision.skip;
    ++oldest;
  }
  decision.drop = static_cast<int>(oldest);
  decision.show = queued_pts[oldest] <= screen.next;
  if (!decision.show) decision.wait_seconds = queued_pts[oldest] - screen.next;
  return decision;
}

int repeats(double excess, double interval) {
  return interval > 0 && excess >= interval ? static_cast<int>(excess / interval) : 0;
}

bool is_discontinuity(double previous_end, double pts) {
  return pts - previous_end > DiscontinuitySeconds;
}

}  // namespace glyphreel::player
