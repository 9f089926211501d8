#pragma once

#include "base/picture_choices.h"

namespace glyphreel::mapping {

/// SDR white, and HDR's reference white (ITU-R BT.2408-5), in cd/m2.
inline constexpr double WhiteNits = 203;
inline constexpr double PqPeakNits = 10000;

/// Converts between a signal of SMPTE ST 2084 (PQ), 0 to 1, and light in cd/m2.
[[nodiscard]] double pq_nits(double signal);
[[nodiscard]] double pq_signal(double nits);

/// The light of a scene in cd/m2.
struct SceneLight {
  double peak = 1000;
  double average = 0;  ///< light whose PQ signal is the scene's mean PQ signal; 0: unknown
};

/// Maps light of 0 to `scene.peak` to SDR's range of 0 to WhiteNits. Input and result are in cd/m2. The light
/// of a scene whose peak is at most WhiteNits is unchanged, except by Spline, the curve that Auto selects.
[[nodiscard]] double tone_mapped(ToneMapping curve, double nits, const SceneLight& scene);

}  // namespace glyphreel::mapping
