#pragma once

#include <deque>
#include <memory>

#include "base/geometry.h"
#include "media/decode/deinterlacing.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/filter_graph.h"

namespace glyphreel::media {

/// Deinterlaces frames that the decoder flags as interlaced, using FFmpeg's bwdif: one output frame per
/// input frame, with the same time. Until the first flagged frame, all frames pass through unchanged and
/// without delay. From then on, every frame is delayed by one frame, and frames that are not flagged still
/// pass through unchanged.
/// Thread-safety: one thread at a time.
class Deinterlacer {
 public:
  /// `mode` and `threads` are as in SourceOptions.
  Deinterlacer(Deinterlacing mode, int threads) : mode_(mode), threads_(threads) {}

  /// Adds a frame whose times are final. Hardware frames pass through unchanged.
  void put(FramePtr frame);
  /// Ends the input, so that take() returns the remaining frames. Returns false if there are none.
  bool finish();
  /// Returns the next frame; null if none is ready.
  [[nodiscard]] FramePtr take();
  /// Discards all frames, for example after a seek.
  void flush();

  /// Whether a frame from take() was deinterlaced.
  [[nodiscard]] static bool made(const AVFrame& frame);

 private:
  void build(const AVFrame& like);
  void collect();
  void end_graph();

  Deinterlacing mode_;
  int threads_;
  FilterGraph graph_;              ///< empty: frames pass through unchanged
  int format_ = 0;                 ///< pixel format of the frames for which the graph was built
  Extent size_;                    ///< size of the frames for which the graph was built
  std::int64_t first_inside_ = 0;  ///< frame number of inside_.front()
  /// The original of each frame in the graph, with its times: inside the graph, pts is a frame number.
  std::deque<FramePtr> inside_;
  std::deque<FramePtr> ready_;
};

}  // namespace glyphreel::media
