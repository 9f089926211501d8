#pragma once

#include <algorithm>
#include <optional>

#include "base/mutex.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/pts_range.h"
#include "media/reading/selected_streams.h"
#include "media/reading/source_options.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

/// Which part of an input is wanted: the frames and the audio from a seek's target up to the end time.
/// Thread-safety: one thread at a time; wants() from any thread.
class ReadWindow {
 public:
  /// All arguments must outlive the ReadWindow. It is open at both ends until begin().
  ReadWindow(const SourceOptions& options, const VideoFacts& facts, const SelectedStreams& streams)
      : options_(options), facts_(facts), streams_(streams) {}

  /// The window begins at the frame that `mode` selects for `seconds`; empty: at the first one that comes.
  void begin(std::optional<double> seconds, SeekMode mode) EXCLUDES(audio_mutex_);
  /// Exclude what was delivered before, in the stream's ticks.
  void exclude_video_until(std::int64_t last_pts) { video_.from = std::max(video_.from, last_pts + 1); }
  void exclude_audio_before(std::int64_t pts) EXCLUDES(audio_mutex_);

  /// The wanted frames, in ticks.
  [[nodiscard]] const PtsRange& video() const { return video_; }
  void set_video(const PtsRange& range) { video_ = range; }
  /// The first wanted tick of the audio stream.
  [[nodiscard]] std::int64_t audio_from() const EXCLUDES(audio_mutex_);

  /// Whether a frame precedes the wanted ones. Keeps it if the last such frame is wanted, too.
  [[nodiscard]] bool is_before(const AVFrame& frame);
  /// Returns that last frame, once; null if it is not wanted, or there is none.
  [[nodiscard]] FramePtr take_frame_before() { return std::move(before_); }
  [[nodiscard]] bool is_after(const AVFrame& frame) const { return frame.pts >= video_.end; }
  [[nodiscard]] bool wants(const AudioPacket& audio) const EXCLUDES(audio_mutex_);

  /// Whether a video packet's frame lies so far before the window that it is discarded in any mode.
  [[nodiscard]] bool is_skippable(const AVPacket& packet) const;
  /// True for audio at the window's end, and for video far enough past it that any audio before it would
  /// have arrived.
  [[nodiscard]] bool is_past(const AVPacket& packet) const EXCLUDES(audio_mutex_);

 private:
  const SourceOptions& options_;
  const VideoFacts& facts_;
  const SelectedStreams& streams_;
  PtsRange video_;
  bool wants_frame_before_ = false;
  FramePtr before_;  ///< the last frame before the window so far
  mutable Mutex audio_mutex_;
  PtsRange audio_ GUARDED_BY(audio_mutex_);
};

}  // namespace glyphreel::media
