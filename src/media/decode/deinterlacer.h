#pragma once

#include <deque>
#include <memory>

#include "base/geometry.h"
#include "media/decode/deinterlacing.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/filter_graph.h"

namespace glyphreel::media {

/// Deinterlaces, with FFmpeg's bwdif, frames that decoders flag as interlaced: one output per input frame,
/// with the same time. Until the first such frame, all frames pass through unchanged and without delay.
/// From then on each is delayed by one frame, and frames that are not flagged still pass unchanged.
/// Thread-safety: one thread at a time.
class Deinterlacer {
 public:
  /// `mode` and `threads` are those of SourceOptions.
  Deinterlacer(Deinterlacing mode, int threads) : mode_(mode), threads_(threads) {}

  /// Adds a frame that has its final times. Hardware frames pass through unchanged.
  void put(FramePtr frame);
  /// Ends the input, so that the remaining frames can be taken. Returns false if there are none.
  bool finish();
  /// Returns the next frame; null if none is ready.
  [[nodiscard]] FramePtr take();
  /// Discards all frames, for a seek.
  void flush();

  /// Whether a frame from take() is a deinterlaced copy.
  [[nodiscard]] static bool made(const AVFrame& frame);

 private:
  void build(const AVFrame& like);
  void collect();
  void end_graph();

  Deinterlacing mode_;
  int threads_;
  FilterGraph graph_;  ///< none: frames pass unchanged
  int format_ = 0;     ///< of the frames that the graph was built for, like size_
  Extent size_;
  std::int64_t first_inside_ = 0;  ///< number of the oldest frame of inside_
  std::deque<FramePtr> inside_;    ///< originals of the frames in the graph, which carries no times
  std::deque<FramePtr> ready_;
};

}  // namespace glyphreel::media
