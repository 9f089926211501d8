// Compares the conversion of HDR and wide-gamut sources with the standards' formulas in doubles.
#include "mapping/tables/source_color.h"
#include "mapping/shared/shared_scalar.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>

#include "mapping/cell_mapper.h"
#include "mapping/color/tone_curve.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::mapping::source_color_test {
namespace {

namespace scalar = shared::scalar;

using Triple = std::array<double, 3>;

constexpr ColorTags Pq{
    .matrix = YuvMatrix::Bt2020, .range = ColorRange::Limited, .primaries = 9, .transfer = 16};
constexpr ColorTags Hlg{
    .matrix = YuvMatrix::Bt2020, .range = ColorRange::Limited, .primaries = 9, .transfer = 18};

PixelLayout yuv_layout(std::uint8_t depth) {
  const std::uint8_t bytes = depth > 8 ? 2 : 1;
  ComponentLayout component{.step = bytes, .depth = depth};
  PixelLayout layout{ColorModel::Yuv, bytes, {component, component, component}};
  layout.components[1].plane = 1;
  layout.components[2].plane = 2;
  return layout;
}

SamplePlan plan_of(const PixelLayout& layout, const ColorTags& color, const Parameters& parameters = {}) {
  const FrameView view{.layout = layout, .color = color, .size = {1, 1}};
  return make_sample_plan(
      sample_key(view, {1, 1}, {1, 1}, Fit::Stretch, parameters, {.tone_mapping = ToneMapping::Bt2390}));
}

std::uint32_t finish(const SamplePlan& plan, int first, int second, int third) {
  return scalar::finish_wide_sample(first, second, third, plan.parameters, plan.axis_words.data());
}

/// Returns a neutral sample with this 10-bit luma.
std::uint32_t finish_gray(const SamplePlan& plan, int luma_10) {
  return finish(plan, luma_10 << 2, 2048, 2048);
}

// SMPTE ST 2084-2014, equations 4.1 to 5.2, with the constants as the standard writes them.
constexpr double M1 = 0.1593017578125, M2 = 78.84375, C1 = 0.8359375, C2 = 18.8515625, C3 = 18.6875;
double pq_to_nits(double signal) {
  const double p = std::pow(signal, 1 / M2);
  return 10000 * std::pow(std::max(p - C1, 0.0) / (C2 - C3 * p), 1 / M1);
}
double nits_to_pq(double nits) {
  const double y = std::pow(nits / 10000, M1);
  return std::pow((C1 + C2 * y) / (1 + C3 * y), M2);
}

/// Implements BT.2390-10, section 5.4.1, steps 1 to 3, with black at zero. Input: nits. Output: nits of a
/// display with peak `target`.
double eetf(double nits, double peak, double target) {
  const double e1 = std::min(nits_to_pq(nits) / nits_to_pq(peak), 1.0);
  const double max_lum = nits_to_pq(target) / nits_to_pq(peak);
  const double ks = 1.5 * max_lum - 0.5;
  double e2 = e1;
  if (e1 >= ks && ks < 1) {
    const double t = (e1 - ks) / (1 - ks);
    e2 = (2 * t * t * t - 3 * t * t + 1) * ks + (t * t * t - 2 * t * t + t) * (1 - ks) +
         (-2 * t * t * t + 3 * t * t) * max_lum;
  }
  return pq_to_nits(e2 * nits_to_pq(peak));
}

double srgb(double light) {
  light = std::clamp(light, 0.0, 1.0);
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055);
}

/// Converts BT.2020 to BT.709 in linear light, with the inverse of the matrix in ITU-R BT.2087-0, section 2.
Triple bt2020_to_bt709(const Triple& v) {
  return {1.660491 * v[0] - 0.587641 * v[1] - 0.072850 * v[2],
          -0.124550 * v[0] + 1.132900 * v[1] - 0.008349 * v[2],
          -0.018151 * v[0] - 0.100579 * v[1] + 1.118730 * v[2]};
}

/// Converts the light of an HDR display, in cd/m2 and BT.2020, to the light of an SDR display, in BT.709 with
/// 1 = white.
Triple linear_light(const Triple& nits, double peak) {
  const double brightest = std::max({nits[0], nits[1], nits[2], 1e-9});
  const double gain = eetf(brightest, peak, 203) / brightest / 203;
  return bt2020_to_bt709({nits[0] * gain, nits[1] * gain, nits[2] * gain});
}

/// Returns the light of an HLG signal on a 1000 cd/m2 display. First computes the scene light, then applies
/// the OOTF, both by BT.2100-2, table 5.
Triple hlg_to_nits(const Triple& signal) {
  constexpr double A = 0.17883277, B = 0.28466892, C = 0.55991073;
  Triple scene{};
  for (std::size_t i = 0; i < 3; ++i) {
    scene[i] = signal[i] <= 0.5 ? signal[i] * signal[i] / 3 : (std::exp((signal[i] - C) / A) + B) / 12;
  }
  const double luminance = 0.2627 * scene[0] + 0.6780 * scene[1] + 0.0593 * scene[2];
  const double gain = luminance > 0 ? 1000 * std::pow(luminance, 0.2) : 0;
  return {scene[0] * gain, scene[1] * gain, scene[2] * gain};
}

/// Converts 12-bit Y'CbCr codes to R'G'B' by the equations of BT.2020 for non-constant luminance. Clips each
/// component to 0..1. `full_peak`: the code of white in full range.
Triple rgb_signal(int y, int cb, int cr, ColorRange range, double full_peak) {
  const bool limited = range == ColorRange::Limited;
  const double luma = limited ? (y - 256) / 3504.0 : y / full_peak;
  const double b = (cb - 2048) / (limited ? 3584.0 : full_peak);
  const double r = (cr - 2048) / (limited ? 3584.0 : full_peak);
  const double red = luma + 1.4746 * r;
  const double blue = luma + 1.8814 * b;
  const double green = (luma - 0.2627 * red - 0.0593 * blue) / 0.6780;
  return {std::clamp(red, 0.0, 1.0), std::clamp(green, 0.0, 1.0), std::clamp(blue, 0.0, 1.0)};
}

Triple bytes_of(std::uint32_t word) {
  return {static_cast<double>((word >> 16) & 255), static_cast<double>((word >> 8) & 255),
          static_cast<double>(word & 255)};
}

/// The largest differences from the formulas, in code values.
struct Errors {
  /// The error for colors whose components all have at least 2 % of the brightest component's light.
  double in_gamut = 0;
  double others = 0;  ///< the error for all other colors, where rounding has a larger effect
  void add(const Triple& got, const Triple& wanted, const Triple& light) {
    const double least = std::min({light[0], light[1], light[2]});
    double& worst = least >= 0.02 * std::max({light[0], light[1], light[2]}) ? in_gamut : others;
    for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(got[i] - wanted[i]));
  }
};

Triple nits_of(const Triple& signal, const ColorTags& color) {
  if (color.transfer == 18) return hlg_to_nits(signal);
  return {pq_to_nits(signal[0]), pq_to_nits(signal[1]), pq_to_nits(signal[2])};
}

PixelLayout rgb_layout(std::uint8_t depth) {
  PixelLayout layout = yuv_layout(depth);
  layout.model = ColorModel::Rgb;
  return layout;
}

/// Returns the errors for 12-bit R'G'B', whose codes index the tables directly.
Errors errors_of_rgb(const ColorTags& color, double peak) {
  const SamplePlan plan = plan_of(rgb_layout(12), color);
  Errors errors;
  const auto compare = [&](int r, int g, int b) {
    const Triple nits = nits_of({r / 4095.0, g / 4095.0, b / 4095.0}, color);
    const Triple light = linear_light(nits, peak);
    errors.add(bytes_of(finish(plan, r, g, b)), {srgb(light[0]), srgb(light[1]), srgb(light[2])}, light);
  };
  for (int code = 0; code < 4096; ++code) compare(code, code, code);
  for (int r = 0; r < 4096; r += 65) {
    for (int g = 0; g < 4096; g += 65) {
      for (int b = 0; b < 4096; b += 65) compare(r, g, b);
    }
  }
  return errors;
}

/// Returns the errors for Y'CbCr, which is converted to R'G'B' of 12 bits first. Rounding to 12 bits changes
/// light by up to 0.25 %.
Errors errors_of_yuv(const ColorTags& color, double peak) {
  const SamplePlan plan = plan_of(yuv_layout(10), color);
  Errors errors;
  const auto compare = [&](int y, int cb, int cr) {
    const Triple nits = nits_of(rgb_signal(y, cb, cr, color.range, 4092), color);
    const Triple light = linear_light(nits, peak);
    errors.add(bytes_of(finish(plan, y, cb, cr)), {srgb(light[0]), srgb(light[1]), srgb(light[2])}, light);
  };
  for (int y = 0; y < 4093; y += 4) compare(y, 2048, 2048);
  for (int y = 0; y < 4093; y += 44) {
    for (int cb = 0; cb < 4093; cb += 44) {
      for (int cr = 0; cr < 4093; cr += 44) compare(y, cb, cr);
    }
  }
  return errors;
}

TEST(SourceColor, PqMatchesBt2390) {
  for (const int peak : {203, 400, 1000, 4000, 10000}) {
    SCOPED_TRACE(peak);
    ColorTags color = Pq;
    color.peak_nits = peak;
    for (const ColorRange range : {ColorRange::Limited, ColorRange::Full}) {
      color.range = range;
      const Errors yuv = errors_of_yuv(color, peak);
      EXPECT_LT(yuv.in_gamut, 2);
      EXPECT_LT(yuv.others, 6);
    }
    const Errors rgb = errors_of_rgb(color, peak);
    EXPECT_LT(rgb.in_gamut, 1);
    EXPECT_LT(rgb.others, 2);
  }
}

TEST(SourceColor, SplineBrightensASceneWithinSdr) {
  ColorTags color = Pq;
  color.scene_peak = static_cast<int>(pq_signal(WhiteNits) * 4095);
  color.scene_average = static_cast<int>(pq_signal(20) * 4095);
  const FrameView view{.layout = yuv_layout(10), .color = color, .size = {1, 1}};
  const SamplePlan plan = make_sample_plan(sample_key(view, {1, 1}, {1, 1}, Fit::Stretch, {}));
  const SceneLight scene{.peak = pq_nits(color.scene_peak / 4095.0),
                         .average = pq_nits(color.scene_average / 4095.0)};
  const ToneCurve tone(ToneMapping::Spline, scene);
  for (int luma = 64; luma <= 940; ++luma) {
    const double nits = tone(pq_nits((luma - 64) / 876.0));
    EXPECT_NEAR(finish_gray(plan, luma) & 255, srgb(std::min(1.0, nits / WhiteNits)), 2) << luma;
  }
}

TEST(SourceColor, HlgMatchesBt2100AndBt2390) {
  ColorTags color = Hlg;
  for (const ColorRange range : {ColorRange::Limited, ColorRange::Full}) {
    color.range = range;
    const Errors yuv = errors_of_yuv(color, 1000);
    EXPECT_LT(yuv.in_gamut, 2);
    EXPECT_LT(yuv.others, 6);
  }
  const Errors rgb = errors_of_rgb(color, 1000);
  EXPECT_LT(rgb.in_gamut, 1);
  EXPECT_LT(rgb.others, 2);
}

/// Checks signals for which the standards and reports state the light.
TEST(SourceColor, KnownPoints) {
  // BT.2408-5, table 1: 203 cd/m2 has a signal of 58 % in PQ and of 75 % in HLG. ST 2084: 100 cd/m2 has a
  // signal of 50.8 %. In 10-bit limited range, a signal of 100 % is the code 64 + 876.
  EXPECT_NEAR(nits_to_pq(203), 0.5807, 5e-5);
  EXPECT_NEAR(nits_to_pq(100), 0.5081, 5e-5);
  EXPECT_NEAR(hlg_to_nits({0.75, 0.75, 0.75})[0], 203, 1);
  EXPECT_NEAR(hlg_to_nits({1, 1, 1})[0], 1000, 0.1);

  const SamplePlan pq = plan_of(yuv_layout(10), Pq);
  const SamplePlan hlg = plan_of(yuv_layout(10), Hlg);
  for (const SamplePlan* plan : {&pq, &hlg}) {
    EXPECT_EQ(finish_gray(*plan, 64) & 0xFFFFFF, 0u) << "black";
    EXPECT_EQ(finish_gray(*plan, 0) & 0xFFFFFF, 0u) << "below black";
    EXPECT_EQ(finish_gray(*plan, 940) & 0xFFFFFF, 0xFFFFFFu) << "the peak";
    EXPECT_EQ(finish_gray(*plan, 1023) & 0xFFFFFF, 0xFFFFFFu) << "beyond the peak";
  }
  // The assumed peak of 1000 cd/m2 is shown as white. Reference white (203 cd/m2) is darker, to leave
  // room for highlights.
  EXPECT_EQ(finish_gray(pq, 64 + 659) & 0xFF, 255u);
  EXPECT_NEAR(finish_gray(pq, 64 + 509) & 0xFF, srgb(eetf(203, 1000, 203) / 203), 1);
  EXPECT_NEAR(finish_gray(pq, 64 + 509) & 0xFF, 229, 2);
  EXPECT_NEAR(finish_gray(hlg, 64 + 657) & 0xFF, finish_gray(pq, 64 + 509) & 0xFF, 1)
      << "75 % HLG is 58 % PQ";
  // Below the knee of the tone curve, light is preserved: 20 cd/m2 becomes 20/203 of SDR white.
  EXPECT_NEAR(finish_gray(pq, 64 + static_cast<int>(std::lround(876 * nits_to_pq(20)))) & 0xFF,
              srgb(20.0 / 203), 1);
}

TEST(SourceColor, GraysAreMonotonicAndNeutral) {
  for (const ColorTags& color : {Pq, Hlg}) {
    const SamplePlan plan = plan_of(yuv_layout(12), color);
    std::uint32_t last = 0;
    for (int y = 0; y < 4096; ++y) {
      const std::uint32_t word = finish(plan, y, 2048, 2048);
      const std::uint32_t gray = word & 255;
      ASSERT_EQ(word, gray * 0x01010101u) << y;
      ASSERT_GE(gray, last) << y;
      ASSERT_LE(gray, last + 2) << "discontinuity in the shadows or at the knee, " << y;
      last = gray;
    }
    EXPECT_EQ(last, 255u);
  }
}

TEST(SourceColor, PeakAffectsOnlyToneCurve) {
  ColorTags color = Pq;
  int last = 256;
  for (const int peak : {100, 203, 600, 1000, 4000, 10000}) {
    color.peak_nits = peak;
    const SamplePlan plan = plan_of(yuv_layout(10), color);
    const auto reference_white = static_cast<int>(finish_gray(plan, 64 + 509) & 255);
    EXPECT_LE(reference_white, last) << peak;
    last = reference_white;
    const int peak_code = static_cast<int>(std::ceil(876 * nits_to_pq(std::max(peak, 203)))) + 64;
    EXPECT_EQ(finish_gray(plan, std::min(peak_code, 940)) & 255, 255u) << peak;
  }
}

/// In SDR, converting from BT.2020 to BT.709 must not change grays, and must convert colors by the inverse of
/// the matrix in BT.2087.
TEST(SourceColor, WideGamutsInSdr) {
  for (const ColorRange range : {ColorRange::Limited, ColorRange::Full}) {
    const ColorTags narrow{.matrix = YuvMatrix::Bt2020, .range = range, .primaries = 1, .transfer = 14};
    ColorTags wide = narrow;
    wide.primaries = 9;
    const SamplePlan plain = plan_of(yuv_layout(8), narrow);
    const SamplePlan plan = plan_of(yuv_layout(8), wide);
    ASSERT_EQ(plain.parameters.tone, shared::ToneNone);
    ASSERT_EQ(plan.parameters.tone, shared::ToneGamut);
    for (int y = 0; y < 256; ++y) {
      const std::uint32_t gray = finish(plan, y << 4, 2048, 2048) & 0xFFFFFF;
      ASSERT_EQ(gray, (gray & 255) * 0x010101u) << y;
      ASSERT_NEAR(gray & 255, scalar::finish_sample(y << 4, 2048, 2048, plain.parameters) & 255, 1) << y;
    }
    const auto light = [](double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); };
    double worst = 0;
    for (int y = 0; y < 256; y += 5) {
      for (int cb = 0; cb < 256; cb += 7) {
        for (int cr = 0; cr < 256; cr += 7) {
          const Triple signal = rgb_signal(y << 4, cb << 4, cr << 4, range, 4080);
          const Triple wanted = bt2020_to_bt709({light(signal[0]), light(signal[1]), light(signal[2])});
          const Triple got = bytes_of(finish(plan, y << 4, cb << 4, cr << 4));
          for (std::size_t i = 0; i < 3; ++i) worst = std::max(worst, std::abs(got[i] - srgb(wanted[i])));
        }
      }
    }
    EXPECT_LT(worst, 1.2);
  }
}

TEST(SourceColor, DisplayP3Reds) {
  ComponentLayout component{.step = 3};
  PixelLayout rgb{ColorModel::Rgb, 1, {component, component, component}};
  rgb.components[1].offset = 1;
  rgb.components[2].offset = 2;
  const SamplePlan plan = plan_of(rgb, {.range = ColorRange::Full, .primaries = 12, .transfer = 13});
  EXPECT_EQ(finish(plan, 4080, 4080, 4080) & 0xFFFFFF, 0xFFFFFFu);
  EXPECT_EQ(finish(plan, 0, 0, 0) & 0xFFFFFF, 0u);
  // The red of sRGB is 0.9175 0.2003 0.1387 in Display P3 (CSS Color 4, sample conversions) and must be
  // converted back.
  const auto code = [](double signal) { return static_cast<int>(std::lround(signal * 4080)); };
  const std::uint32_t red = finish(plan, code(0.9175), code(0.2003), code(0.1387));
  EXPECT_GE((red >> 16) & 255, 254u);
  EXPECT_LE((red >> 8) & 255, 2u);
  EXPECT_LE(red & 255, 2u);
}

TEST(SourceColor, HdrGrayAndRgbSources) {
  const PixelLayout gray{ColorModel::Gray, 2, {ComponentLayout{.step = 2, .depth = 10}}};
  const SamplePlan of_gray = plan_of(gray, Pq);
  const SamplePlan of_yuv = plan_of(yuv_layout(10), Pq);
  for (int y = 0; y < 1024; ++y) ASSERT_EQ(finish(of_gray, y << 2, 0, 0), finish_gray(of_yuv, y));

  PixelLayout rgb{ColorModel::Rgb,
                  2,
                  {ComponentLayout{.step = 6, .depth = 16},
                   {.step = 6, .offset = 2, .depth = 16},
                   {.step = 6, .offset = 4, .depth = 16}}};
  const SamplePlan of_rgb = plan_of(rgb, Pq);  // RGB is always full range
  for (int code = 0; code < 4096; code += 3) {
    const double nits = pq_to_nits(code / 4095.0);
    ASSERT_NEAR(finish(of_rgb, code, code, code) & 255, srgb(linear_light({nits, nits, nits}, 1000)[0]), 1)
        << code;
  }
}

TEST(SourceColor, LumaMatchesDisplayedColor) {
  const SamplePlan plan = plan_of(yuv_layout(10), Pq);
  for (int y = 256; y < 3760; y += 101) {
    for (int cb = 256; cb < 3840; cb += 211) {
      for (int cr = 256; cr < 3840; cr += 211) {
        const std::uint32_t word = finish(plan, y, cb, cr);
        const Triple rgb = bytes_of(word);
        ASSERT_NEAR(word >> 24, 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2], 0.52);
      }
    }
  }
}

TEST(SourceColor, SdrSourcesNeedNoTables) {
  for (const int primaries : {0, 1, 2, 5, 6, 7}) {
    for (const int transfer : {0, 1, 2, 4, 5, 6, 8, 13}) {
      EXPECT_EQ(source_tone({.primaries = primaries, .transfer = transfer}), shared::ToneNone);
    }
  }
  const SamplePlan plan = plan_of(yuv_layout(8), {});
  EXPECT_LT(plan.axis_words.size(), 16u);
}

}  // namespace
}  // namespace glyphreel::mapping::source_color_test
