#pragma once

#include <cstdint>

#include "base/frame.h"

namespace glyphreel::media {

/// Measures the peak and average brightness of HDR scenes, so that tone mapping can use the full SDR range in
/// each scene. HDR metadata, if present, describes only the whole video. Within a scene, the result follows
/// changes slowly; at a cut, it changes at once. Frames in a hardware decoder's memory are not measured.
/// Thread-safety: one thread at a time.
class LightMeter {
 public:
  /// Sets scene_peak and scene_average of the frame's ColorTags, if its transfer is PQ or HLG.
  void measure(Frame& frame);

 private:
  double peak_ = 0, average_ = 0;  ///< smoothed signals of the current scene, 0 to 4095
  int shown_peak_ = 0, shown_average_ = 0;
  std::uint32_t epoch_ = 0;
  bool has_scene_ = false;
};

}  // namespace glyphreel::media
