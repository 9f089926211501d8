#include "player/pacing.h"

namespace glyphreel::player {

PacingDecision decide(double now, std::span<const double> queued_pts, double tolerance) {
  PacingDecision decision;
  std::size_t oldest = 0;
  while (oldest + 1 < queued_pts.size() && queued_pts[oldest] + tolerance < now && queued_pts[oldest + 1] <= now) {
    ++oldest;
  }
  decision.drop = static_cast<int>(oldest);
  decision.show = queued_pts[oldest] <= now;
  if (!decision.show) decision.wait_seconds = queued_pts[oldest] - now;
  return decision;
}

}  // namespace glyphreel::player
