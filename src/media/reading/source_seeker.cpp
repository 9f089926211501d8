#include "media/reading/source_seeker.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace glyphreel::media {
namespace {

constexpr int MaxSeekAttempts = 8;
constexpr double FirstStepBack = 0.5;  // seconds; doubled at each further attempt

}  // namespace

Result<void> SourceSeeker::seek(std::int64_t target, SeekMode mode) {
  found_pts_.reset();
  if (mode == SeekMode::Exact) {
    TRY_ASSIGN(const bool is_done, skip_ahead(target));
    if (is_done) return {};
  }
  if (mode == SeekMode::KeyframeAfter &&
      seek_input({streams_.video, target, target, std::numeric_limits<std::int64_t>::max()}) >= 0) {
    // If no keyframe follows the target, some demuxers seek to the last keyframe, so check the frame's time.
    TRY_ASSIGN(const std::optional<std::int64_t> pts, find_frame());
    if (pts && *pts >= target) return {};
  }
  const std::int64_t last =
      facts_.duration_seconds ? facts_.start_pts + facts_.ticks(*facts_.duration_seconds) : target;
  return seek_back_to(std::min(mode == SeekMode::FrameBefore ? target - 1 : target, last));
}

/// Seeks forward within the packets already read. Returns false if these do not contain the frame at
/// `target`.
Result<bool> SourceSeeker::skip_ahead(std::int64_t target) {
  const Demuxer::Skip skip = reader_.skip_to(target);
  if (skip != Demuxer::Skip::AtKeyFrame) return skip == Demuxer::Skip::ContinuesDecoding;
  found_.clear();
  TRY_ASSIGN(const std::optional<std::int64_t> pts, find_frame());
  return pts && *pts <= target;
}

/// Seeks so that decoding starts at or before `target`. Errors: Failed if the input cannot seek.
Result<void> SourceSeeker::seek_back_to(std::int64_t target) {
  // The dts of the first keyframe may be before the stream's start. A demuxer that searches by dts finds this
  // keyframe only from a position before the start, so allow positions up to 1 s before the start.
  const std::int64_t floor = facts_.start_pts - facts_.ticks(1.0);
  double back = 0;
  for (int attempt = 0; attempt < MaxSeekAttempts; ++attempt) {
    const std::int64_t position = std::max(target - facts_.ticks(back), floor);
    if (const int code = seek_before(position); code < 0) {
      // If the input cannot seek, continued reading may still reach the target. If an earlier attempt
      // succeeded, its position remains valid.
      const bool lies_ahead = target > reader_.last_pts() && !reader_.has_ended_video();
      if (attempt > 0 || lies_ahead) return {};
      return av_failure(ErrorCode::Failed, fmt::format("{} does not support seeking.", input_.name()), code);
    }
    if (reader_.has_ended_video()) return {};  // with SourceOptions::discards_video, no frame is decoded
    // If the keyframe is decoded before the target but shown after it, the seek must start one group of
    // pictures earlier.
    TRY_ASSIGN(const std::optional<std::int64_t> pts, find_frame());
    if ((pts && *pts <= target) || position == floor || input_.interrupted()) return {};
    back = back == 0 ? FirstStepBack : 2 * back;
  }
  return {};
}

int SourceSeeker::seek_input(const Demuxer::SeekTarget& target) {
  const int code = reader_.seek(target);
  if (code >= 0) found_.clear();
  return code;
}

/// Seeks to a keyframe at or before `target`. Returns an AVERROR if the input cannot seek.
int SourceSeeker::seek_before(std::int64_t target) {
  return seek_input({streams_.video, std::numeric_limits<std::int64_t>::min(), target, target});
}

/// Decodes one frame after a seek. Keeps this frame and all items before it for next(). Returns the frame's
/// pts; empty at the end of the stream.
Result<std::optional<std::int64_t>> SourceSeeker::find_frame() {
  for (;;) {
    TRY_ASSIGN(DecodedItem item, reader_.next());
    if (std::holds_alternative<EndOfStream>(item)) return std::optional<std::int64_t>();
    std::optional<std::int64_t> pts;
    if (const auto* frame = std::get_if<FramePtr>(&item)) pts = (*frame)->pts;
    found_.push_back(std::move(item));
    if (pts) {
      found_pts_ = pts;
      return pts;
    }
  }
}

Result<DecodedItem> SourceSeeker::next() {
  if (found_.empty()) return reader_.next();
  DecodedItem item = std::move(found_.front());
  found_.pop_front();
  return item;
}

Result<bool> SourceSeeker::retry_earlier_keyframe() {
  if (!found_pts_ || input_.interrupted()) return false;
  const std::int64_t earlier = *std::exchange(found_pts_, std::nullopt) - 1;
  if (earlier < facts_.start_pts || seek_before(earlier) < 0) return false;
  TRY(find_frame());
  found_pts_.reset();  // retry only once
  return true;
}

}  // namespace glyphreel::media
