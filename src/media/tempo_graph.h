#pragma once

#include <memory>
#include <vector>

#include "media/ffmpeg.h"

extern "C" {
#include <libavfilter/avfilter.h>
}

namespace glyphreel::media {

/// Decoded frames of one format in, interleaved stereo floats at one rate and speed out, through libavfilter.
///
/// The pitch is kept by Rubber Band with its short window: beeps come out, against where they belong, at an
/// offset that hardly varies, and that is therefore made good. Median, then range, in ms heard:
///
///     speed        0.25              0.5              0.75            1.25            2              4
///     Rubber Band  -45 (-47 to -44)  -16 (-17 to -15) -6 (-7 to -5)   2 (1 to 2)      2 (0 to 5)     3 (1 to
///     12) atempo       -123 (-163, -81)  -42 (-58, -33)   -31 (-33, -13)  -16 (-18, -13)  -12 (-18, -8)  -9
///     (-17, -1)
///
/// Rubber Band takes about 1 % of a processor. An FFmpeg without it falls back to atempo.
///
/// Thread-safety: one thread at a time.
class TempoGraph {
 public:
  /// For frames like `first`. Null where libavfilter refuses.
  [[nodiscard]] static std::unique_ptr<TempoGraph> make(const AVFrame& first, int rate, double speed);

  /// Whether `frame` has the form that this graph takes.
  [[nodiscard]] bool takes(const AVFrame& frame) const;
  /// Adds what `frame` completes to `samples`; null drains, once. False where the filter failed.
  bool filter(const AVFrame* frame, std::vector<float>& samples);

  /// Seconds heard by which sound comes out late (early where negative), against input time / speed.
  [[nodiscard]] double offset_seconds() const { return offset_seconds_; }

 private:
  TempoGraph() = default;
  [[nodiscard]] bool build(const AVFrame& first, int rate, double speed, const char* tempo_filter);

  std::unique_ptr<AVFilterGraph, FreeIndirect<avfilter_graph_free>> graph_;
  AVFilterContext* source_ = nullptr;
  AVFilterContext* sink_ = nullptr;
  FramePtr like_;  ///< a frame of no samples with the form taken
  FramePtr filtered_ = new_frame();
  std::int64_t samples_in_ = 0;
  double offset_seconds_ = 0;
};

}  // namespace glyphreel::media
