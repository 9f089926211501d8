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

/// Maps the light of a scene to SDR: the input is between 0 and the scene's peak, the output between 0 and
/// WhiteNits. The light of a scene whose peak is at most WhiteNits is unchanged, except by Spline, the curve
/// that Auto selects.
class ToneCurve {
 public:
  ToneCurve(ToneMapping curve, const SceneLight& scene) : curve_(curve), scene_(scene), spline_(scene) {}

  /// Takes and returns light in cd/m2.
  [[nodiscard]] double operator()(double nits) const;

 private:
  /// Two hyperbolas that meet at a pivot, as in libplacebo with its defaults. The pivot's input is the
  /// scene's average signal, which is a fraction f of the scene's range. The pivot's output is between this
  /// input and the signal at the fraction f of SDR's range. SDR's range begins at the black of a display with
  /// a contrast of 1000 : 1. The light of this black is subtracted from the result.
  class Spline {
   public:
    explicit Spline(const SceneLight& scene);
    [[nodiscard]] double operator()(double nits) const;

   private:
    double peak_nits_, white_nits_;
    double peak_, white_, black_;  ///< PQ signals, as are source_ and pivot_
    double source_;                ///< the pivot's input: the scene's average
    double pivot_;                 ///< the pivot's output
    double slope_;                 ///< at the pivot
  };

  ToneMapping curve_;
  SceneLight scene_;
  Spline spline_;
};

}  // namespace glyphreel::mapping
