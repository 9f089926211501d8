#pragma once

#include <deque>
#include <memory>

#include "media/ffmpeg.h"
#include "media/source.h"

struct AVFilterContext;
struct AVFilterGraph;

namespace glyphreel::media {

/// Makes whole pictures of frames that decoders flag as interlaced, by FFmpeg's bwdif: one of each frame,
/// with its time. Before the first such frame all pass untouched and at once; from there on they come one
/// later, and those that are not flagged still untouched. Thread-safety: one thread at a time.
class Deinterlacer {
 public:
  /// As SourceOptions tells them.
  Deinterlacer(Deinterlacing mode, int threads) : mode_(mode), threads_(threads) {}
  ~Deinterlacer();
  Deinterlacer(const Deinterlacer&) = delete;
  Deinterlacer& operator=(const Deinterlacer&) = delete;

  /// A frame with its final times. Those of hardware decoders pass untouched.
  void put(FramePtr frame);
  /// No more frames come: those that are under way can be taken. False: there are none.
  bool finish();
  /// The next frame; null: none yet.
  [[nodiscard]] FramePtr take();
  /// Forgets all frames, for a seek.
  void flush();

  /// Whether a frame that was taken is a copy made here.
  [[nodiscard]] static bool made(const AVFrame& frame);

 private:
  struct FreeGraph {
    void operator()(AVFilterGraph* graph) const;
  };
  [[nodiscard]] bool build(const AVFrame& like);
  void collect();
  void end_graph();

  Deinterlacing mode_;
  int threads_;
  std::unique_ptr<AVFilterGraph, FreeGraph> graph_;  ///< null: frames pass untouched
  AVFilterContext* source_ = nullptr;
  AVFilterContext* sink_ = nullptr;
  FramePtr like_;                  ///< what the graph was built for
  std::int64_t first_inside_ = 0;  ///< number of the oldest frame of inside_
  std::deque<FramePtr> inside_;    ///< what is in the graph: their times are not the filter's business
  std::deque<FramePtr> ready_;
};

}  // namespace glyphreel::media
