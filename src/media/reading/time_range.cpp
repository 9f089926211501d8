#include "media/reading/time_range.h"

#include <algorithm>

#include <fmt/format.h>

namespace glyphreel::media {
namespace {

Result<double> seconds_of(const TimePosition& position, const VideoFacts& facts) {
  using Unit = TimePosition::Unit;
  if (position.unit == Unit::Seconds) return position.value;
  if (position.unit == Unit::Chapter) {
    const auto number = static_cast<std::size_t>(position.value);
    if (number <= facts.chapters.size()) return std::max(0.0, facts.chapters[number - 1].start_seconds);
    if (facts.chapters.empty())
      return Error{ErrorCode::BadInput, "The input has no chapters; give --start and --end as times."};
    return Error{
        ErrorCode::BadInput,
        fmt::format("There is no chapter {} because the input has only {}; list them with 'glyphreel info'.",
                    number, facts.chapters.size())};
  }
  if (!facts.duration_seconds) {
    return Error{ErrorCode::BadInput,
                 "The input has no known duration; give --start and --end as times from its start."};
  }
  const double duration = *facts.duration_seconds;
  return position.unit == Unit::Percent ? duration * position.value / 100
                                        : std::max(0.0, duration - position.value);
}

}  // namespace

Result<TimeRange> time_range(const RequestedRange& requested, const VideoFacts& facts) {
  TimeRange range;
  if (requested.start) {
    TRY_ASSIGN(range.start_seconds, seconds_of(*requested.start, facts));
  }
  if (requested.end) {
    TRY_ASSIGN(range.end_seconds, seconds_of(*requested.end, facts));
  }
  const double start = range.start_seconds.value_or(0);
  if (requested.length_seconds) {
    const double end = start + *requested.length_seconds;
    range.end_seconds = std::min(end, range.end_seconds.value_or(end));
  }
  if (range.end_seconds && *range.end_seconds <= start)
    return Error{ErrorCode::Usage, "--end must be later than --start."};
  return range;
}

}  // namespace glyphreel::media
