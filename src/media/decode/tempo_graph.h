#pragma once

#include <memory>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/filter_graph.h"

namespace glyphreel::media {

/// Converts decoded frames of one format to interleaved stereo floats at one rate and speed with libavfilter.
///
/// Rubber Band preserves the pitch. With its short window, its output is late or early by a nearly constant
/// offset at each speed, for which offset_seconds() lets callers compensate. Offsets measured with beeps, in
/// ms of playback time (negative: early), as median (range):
///
///     speed  Rubber Band        atempo
///     0.25   -45 (-47 to -44)   -123 (-163 to -81)
///     0.5    -16 (-17 to -15)    -42 (-58 to -33)
///     0.75    -6 (-7 to -5)      -31 (-33 to -13)
///     1.25     2 (1 to 2)        -16 (-18 to -13)
///     2        2 (0 to 5)        -12 (-18 to -8)
///     4        3 (1 to 12)        -9 (-17 to -1)
///
/// Rubber Band uses about 1 % of a CPU core. In FFmpeg builds without it, atempo is used instead.
///
/// Thread-safety: one thread at a time.
class TempoGraph {
 public:
  /// Creates a graph for frames of the same format as `first`. Returns null if libavfilter rejects the
  /// format.
  [[nodiscard]] static std::unique_ptr<TempoGraph> make(const AVFrame& first, int rate, double speed);

  /// Whether `frame` has the format that this graph accepts.
  [[nodiscard]] bool supports(const AVFrame& frame) const;
  /// Appends the samples that `frame` completes to `samples`. A null `frame` drains the graph; call that
  /// only once. Returns false if the filter failed.
  bool filter(const AVFrame* frame, std::vector<float>& samples);

  /// Returns by how many seconds of playback the output is late (negative: early), relative to input time /
  /// speed.
  [[nodiscard]] double offset_seconds() const { return offset_seconds_; }

 private:
  TempoGraph() = default;

  FilterGraph graph_;
  FramePtr like_ = new_frame();  ///< an empty frame with the accepted format
  FramePtr filtered_ = new_frame();
  std::int64_t samples_in_ = 0;
  double offset_seconds_ = 0;
};

}  // namespace glyphreel::media
