#include "commands/segments/segment_plan.h"

#include <algorithm>
#include <cmath>

#include "media/ffmpeg/pts_range.h"

namespace glyphreel::commands {

SegmentPlan plan_segments(double start, double end, double length) {
  // The slack is how long after its planned time a border may be. With a slack of half a segment, a segment
  // of full length keeps at least half its length. Most scenes are shorter than MaxSlack, so most borders are
  // at a cut. A longer slack would cost time, because the frames between the planned time and the border are
  // mapped more than once.
  constexpr double SlackShare = 0.5;
  constexpr double MaxSlack = 15;  // seconds
  SegmentPlan plan{.borders = {}, .slack_seconds = std::min(length * SlackShare, MaxSlack)};
  const auto count = static_cast<int>(std::lround((end - start) / length));
  for (int i = 1; i < count; ++i) plan.borders.push_back(start + i * length);
  return plan;
}

SegmentBounds segment_bounds(const SegmentPlan& plan, std::size_t index, std::int64_t start_pts,
                             Rational time_base) {
  const auto border = [&](std::size_t i) -> std::optional<PlannedBorder> {
    if (i >= plan.borders.size()) return std::nullopt;
    const double seconds = plan.borders[i];
    return PlannedBorder{
        .earliest = media::tick_at_or_after(seconds, start_pts, time_base),
        .latest = media::tick_at_or_after(seconds + plan.slack_seconds, start_pts, time_base)};
  };
  return {.begin = index == 0 ? std::nullopt : border(index - 1), .end = border(index)};
}

bool is_border(const PlannedBorder& planned, std::int64_t before, std::int64_t pts, bool resets) {
  return pts > before && pts >= planned.earliest && (resets || pts >= planned.latest);
}

}  // namespace glyphreel::commands
