#pragma once

#include <algorithm>
#include <optional>

#include "base/mutex.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/pts_range.h"
#include "media/reading/selected_streams.h"
#include "media/reading/source_options.h"
#include "media/reading/time_range.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

/// The part of an input to deliver: frames and audio from the seek target to the requested end time.
/// Thread-safety: one thread at a time, except wants().
class ReadWindow {
 public:
  /// All arguments must outlive the ReadWindow. The window has no bounds until begin() is called.
  ReadWindow(const TimeRange& range, const VideoFacts& facts, const SelectedStreams& streams)
      : range_(range), facts_(facts), streams_(streams) {}

  /// Starts the window at the frame that `mode` selects for `seconds`; without `seconds`, at the first frame
  /// read.
  void begin(std::optional<double> seconds, SeekMode mode) EXCLUDES(audio_mutex_);
  /// The next two functions exclude what was already delivered: frames up to and including `last_pts`, and
  /// audio that ends at or before `pts`. Each argument is in units of its stream's time base.
  void exclude_video_until(std::int64_t last_pts) { video_.from = std::max(video_.from, last_pts + 1); }
  void exclude_audio_before(std::int64_t pts) EXCLUDES(audio_mutex_);

  /// Returns the pts range of the requested frames.
  [[nodiscard]] const PtsRange& video() const { return video_; }
  void set_video(const PtsRange& range) { video_ = range; }
  /// Returns the pts at which the requested audio starts.
  [[nodiscard]] std::int64_t audio_from() const EXCLUDES(audio_mutex_);

  /// Whether a frame precedes the window. With SeekMode::FrameBefore, keeps the last frame before the
  /// window for take_frame_before().
  [[nodiscard]] bool is_before(const AVFrame& frame);
  /// Returns the frame that is_before() kept; null if there is none, or if it was already returned.
  [[nodiscard]] FramePtr take_frame_before() { return std::move(before_); }
  [[nodiscard]] bool is_after(const AVFrame& frame) const { return frame.pts >= video_.end; }
  /// Whether a packet overlaps the window or has no time. For packets of Source::audio(), call on any thread.
  /// For packets of copied tracks, call only on the thread that calls the other functions.
  [[nodiscard]] bool wants(const AudioPacket& audio) const EXCLUDES(audio_mutex_);

  /// Whether a video packet's frame is so far before the window that it is discarded in every SeekMode.
  [[nodiscard]] bool is_skippable(const AVPacket& packet) const;
  /// Whether a packet is past the window: audio after the window's end, or video so far after that end that
  /// all audio within the window has been read.
  [[nodiscard]] bool is_past(const AVPacket& packet) const EXCLUDES(audio_mutex_);

 private:
  const TimeRange& range_;
  const VideoFacts& facts_;
  const SelectedStreams& streams_;
  PtsRange video_;
  bool wants_frame_before_ = false;
  FramePtr before_;  ///< the frame that is_before() kept
  mutable Mutex audio_mutex_;
  PtsRange audio_ GUARDED_BY(audio_mutex_);
};

}  // namespace glyphreel::media
