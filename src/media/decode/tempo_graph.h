#pragma once

#include <memory>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/filter_graph.h"

extern "C" {
#include <libswresample/swresample.h>
}

namespace glyphreel::media {

/// Converts decoded audio of one format to interleaved stereo floats at one sample rate and playback speed.
/// Uses libswresample at speed 1 and libavfilter at all other speeds.
///
/// The Rubber Band filter changes the speed and preserves the pitch. Its output is late or early by an offset
/// that is nearly constant for each speed; callers can compensate for it with offset_seconds(). The offsets
/// below were measured with beeps and the filter's option window=short. Each is a median, followed by the
/// range in parentheses, in ms of playback time (negative: early):
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
  /// Creates a graph for frames of the same format as `first`. Returns null if FFmpeg rejects the format, or
  /// if `speed` is not 1 and libavfilter is not installed.
  [[nodiscard]] static std::unique_ptr<TempoGraph> make(const AVFrame& first, int rate, double speed);

  /// Whether `frame` has the format that this graph accepts.
  [[nodiscard]] bool supports(const AVFrame& frame) const;
  /// Filters `frame` and appends the output to `samples`. A null `frame` drains the graph, which then accepts
  /// no more frames. Returns false if the filter failed.
  bool filter(const AVFrame* frame, std::vector<float>& samples);

  /// Returns how late the output is, in seconds of playback (negative: early): the sound at input time `t` is
  /// output at time (t / speed + offset_seconds()).
  [[nodiscard]] double offset_seconds() const { return offset_seconds_; }

 private:
  TempoGraph() = default;
  [[nodiscard]] bool open_resampler(AVChannelLayout& layout, int rate);
  [[nodiscard]] bool open_graph(AVChannelLayout& layout, int rate, double speed);
  bool resample(const AVFrame* frame, std::vector<float>& samples);

  std::unique_ptr<SwrContext, FreeIndirect<swr_free>> resampler_;  ///< used only at speed 1
  FilterGraph graph_;                                              ///< used at all other speeds
  FramePtr like_ = new_frame();  ///< an empty frame with the accepted format
  FramePtr filtered_ = new_frame();
  std::int64_t samples_in_ = 0;
  double offset_seconds_ = 0;
};

}  // namespace glyphreel::media
