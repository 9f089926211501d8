#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/rational.h"

namespace glyphreel::commands {

/// Where a recording is cut into segments. Times are seconds from the stream's start.
///
/// A segment begins at a *border*. This is the first frame, at or after a planned time, that is mapped as if
/// no frame preceded it, for example the first frame after a cut. Without such a frame, the border is the
/// first frame that is at least `slack_seconds` after the planned time. So each segment finds its borders
/// without an earlier pass over the video, and all segments together have the same cells as a recording
/// without segments.
struct SegmentPlan {
  std::vector<double> borders;  ///< planned times, ascending; one fewer than segments
  double slack_seconds = 0;
  [[nodiscard]] std::size_t segments() const { return borders.size() + 1; }
};

/// Plans segments of `length` seconds for a recording from `start` to `end`. The last segment may be up to
/// 1.5 times as long.
[[nodiscard]] SegmentPlan plan_segments(double start, double end, double length);

/// A planned border, in ticks of the stream.
struct PlannedBorder {
  std::int64_t earliest = 0;
  std::int64_t latest = 0;  ///< the first frame from this time on is a border, whatever it shows
  bool operator==(const PlannedBorder&) const = default;
};

/// The borders of one segment. `begin` is empty for the first segment of a recording, and `end` is empty for
/// the last segment.
struct SegmentBounds {
  std::optional<PlannedBorder> begin, end;
};

/// Returns the bounds of segment `index`. `start_pts` and `time_base` are the stream's.
[[nodiscard]] SegmentBounds segment_bounds(const SegmentPlan& plan, std::size_t index, std::int64_t start_pts,
                                           Rational time_base);

/// Whether a frame is a border. `before`: pts of the previous frame. `resets`: whether the frame is mapped as
/// if no frame preceded it.
[[nodiscard]] bool is_border(const PlannedBorder& planned, std::int64_t before, std::int64_t pts,
                             bool resets);

}  // namespace glyphreel::commands
