#pragma once

#include <deque>
#include <optional>

#include "media/reading/stream_reader.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

/// Seeks a StreamReader to a keyframe from which it can decode the target frame. next() also returns the
/// frames that were decoded during the search for that keyframe. Thread-safety: one thread at a time.
class SourceSeeker {
 public:
  /// All arguments must outlive the SourceSeeker.
  SourceSeeker(StreamReader& reader, const Input& input, const SelectedStreams& streams,
               const VideoFacts& facts)
      : reader_(reader), input_(input), streams_(streams), facts_(facts) {}

  /// Seeks; call between StreamReader::begin_seek() and end_seek(). Afterward, next() returns the requested
  /// frame, perhaps after frames that precede it. `target` is a pts. Errors: Failed if the input cannot seek.
  [[nodiscard]] Result<void> seek(std::int64_t target, SeekMode mode);
  /// Returns the next item: first the items that the last seek has read ahead, then the items of
  /// StreamReader::next().
  [[nodiscard]] Result<DecodedItem> next();
  /// Makes next() return this frame before all other items.
  void put_back(FramePtr frame) { found_.emplace_front(std::move(frame)); }
  /// Call after next() has returned a requested frame: the seek has succeeded and needs no retry.
  void confirm() { found_pts_.reset(); }
  /// Call at the stream's end. If the last seek has not found the requested frame, repeats the seek from the
  /// preceding group of pictures. This is necessary because FFmpeg 5.1 loses the frames after an H.264
  /// keyframe that is not an IDR picture if the stream ends soon after that keyframe. Returns false if there
  /// is nothing to retry.
  [[nodiscard]] Result<bool> retry_earlier_keyframe();

 private:
  [[nodiscard]] Result<bool> skip_ahead(std::int64_t target);
  [[nodiscard]] Result<void> seek_back_to(std::int64_t target);
  [[nodiscard]] int seek_input(const Demuxer::SeekTarget& target);
  [[nodiscard]] int seek_before(std::int64_t target);
  [[nodiscard]] Result<std::optional<std::int64_t>> find_frame();

  StreamReader& reader_;
  const Input& input_;
  const SelectedStreams& streams_;
  const VideoFacts& facts_;
  std::deque<DecodedItem> found_;
  /// The pts of the first frame that the last seek decoded; empty after confirm().
  std::optional<std::int64_t> found_pts_;
};

}  // namespace glyphreel::media
