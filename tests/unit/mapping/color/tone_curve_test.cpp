#include "mapping/color/tone_curve.h"

#include <gtest/gtest.h>

#include <string>

namespace glyphreel::mapping::tone_curve_test {
namespace {

constexpr ToneMapping Curves[] = {
    ToneMapping::Auto,   ToneMapping::Clip,  ToneMapping::Linear, ToneMapping::Gamma,   ToneMapping::Reinhard,
    ToneMapping::Mobius, ToneMapping::Hable, ToneMapping::Bt2390, ToneMapping::Bt2446a, ToneMapping::Spline};

TEST(ToneCurve, RisesFromBlackToWhite) {
  for (const ToneMapping curve : Curves) {
    for (const double peak : {210.0, 400.0, 1000.0, 4000.0, 10000.0}) {
      for (const double average : {0.0, 1.0, 60.0, 200.0}) {
        SCOPED_TRACE(std::to_string(static_cast<int>(curve)) + " peak " + std::to_string(peak) + " average " +
                     std::to_string(average));
        const SceneLight scene{.peak = peak, .average = average};
        const ToneCurve tone(curve, scene);
        EXPECT_NEAR(tone(0), 0, 0.05);
        EXPECT_NEAR(tone(peak), WhiteNits, WhiteNits * 0.004);
        double before = -1;
        for (int step = 0; step <= 1000; ++step) {
          const double mapped = tone(pq_nits(step / 1000.0 * pq_signal(peak)));
          ASSERT_GE(mapped, before - 1e-6) << step;
          before = mapped;
        }
      }
    }
  }
}

TEST(ToneCurve, SceneWithinSdrIsUnchanged) {
  for (const ToneMapping curve : Curves) {
    if (curve == ToneMapping::Auto || curve == ToneMapping::Spline) continue;
    for (const double nits : {0.0, 5.0, 50.0, 180.0}) EXPECT_EQ(ToneCurve(curve, {.peak = 180})(nits), nits);
  }
}

TEST(ToneCurve, KnownPoints) {
  // Reinhard's curve is x / (x + 1) * (p + 1) / p for the light x and the peak p, in units of white. Here,
  // x is 1 and p is 4.
  EXPECT_NEAR(ToneCurve(ToneMapping::Reinhard, {.peak = 4 * WhiteNits})(WhiteNits), WhiteNits * 0.625, 1e-9);
  EXPECT_EQ(ToneCurve(ToneMapping::Clip, {.peak = 1000})(500), WhiteNits);
  EXPECT_NEAR(ToneCurve(ToneMapping::Mobius, {.peak = 1000})(0.2 * WhiteNits), 0.2 * WhiteNits, 1e-9);
  EXPECT_NEAR(pq_nits(0.5081), 100, 0.1);
  EXPECT_NEAR(pq_signal(203), 0.5807, 5e-5);
}

}  // namespace
}  // namespace glyphreel::mapping::tone_curve_test
