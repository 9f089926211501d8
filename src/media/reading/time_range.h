#pragma once

#include <optional>

#include "base/result.h"
#include "base/time_position.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

/// The part of an input that is read, in seconds from the stream's start. If start_seconds is empty, the part
/// begins at the stream's start; if end_seconds is empty, it ends at the stream's end.
struct TimeRange {
  std::optional<double> start_seconds, end_seconds;
  bool operator==(const TimeRange&) const = default;
};

/// Converts the requested positions to seconds. Errors: BadInput if a requested chapter does not exist, or if
/// a position depends on the duration and the duration is unknown; Usage if the range is empty.
[[nodiscard]] Result<TimeRange> time_range(const RequestedRange& requested, const VideoFacts& facts);

}  // namespace glyphreel::media
