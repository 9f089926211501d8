// Compares brightness, contrast, gamma, saturation and inversion with their formulas in doubles.
#include "mapping/tables/adjustments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "mapping/cell_mapper.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::mapping::adjustments_test {
namespace {

namespace scalar = shared::scalar;

PixelLayout planar(ColorModel model) {
  PixelLayout layout{model, 1, {ComponentLayout{}, ComponentLayout{.plane = 1}, ComponentLayout{.plane = 2}}};
  return layout;
}

SamplePlan plan_of(const Parameters& parameters, const PixelLayout& layout = planar(ColorModel::Yuv),
                   const ColorTags& color = {}, const Adjustments& adjustments = {}) {
  const FrameView view{.layout = layout, .color = color, .size = {1, 1}};
  return make_sample_plan(sample_key(view, {1, 1}, {1, 1}, Fit::Stretch, parameters, adjustments));
}

SamplePlan plan_of(const Adjustments& adjustments, const Parameters& parameters = {}) {
  return plan_of(parameters, planar(ColorModel::Yuv), {}, adjustments);
}

std::uint32_t adjust(const SamplePlan& plan, std::uint32_t finished) {
  return scalar::adjust_sample(finished, plan.parameters, plan.axis_words.data());
}

/// Returns a gray of this code value.
std::uint32_t gray(int code) {
  return static_cast<std::uint32_t>(code) * 0x01010101u;
}

/// Returns the adjusted code (0 to 255), computed in doubles. Applies these steps in order: contrast (a
/// factor, so black stays black), brightness, clipping, gamma, inversion.
double wanted(const Adjustments& a, double code) {
  const double line = std::clamp(code / 255 * (1 + a.contrast / 100.0) + a.brightness / 100.0, 0.0, 1.0);
  const double curve = std::pow(line, 1 / std::exp(std::log(8.0) * a.gamma / 100));
  return 255 * (a.inverted ? 1 - curve : curve);
}

TEST(Adjustments, CurvesMatchFormulas) {
  for (int brightness = -100; brightness <= 100; brightness += 25) {
    for (int contrast = -100; contrast <= 100; contrast += 25) {
      for (int gamma = -100; gamma <= 100; gamma += 20) {
        for (const bool inverted : {false, true}) {
          const Adjustments a{
              .brightness = brightness, .contrast = contrast, .gamma = gamma, .inverted = inverted};
          for (int code = 0; code < 256; ++code) ASSERT_NEAR(adjusted_code(a, code), wanted(a, code), 0.51);
        }
      }
    }
  }
}

/// Checks values that are known without the formula.
TEST(Adjustments, KnownPoints) {
  EXPECT_EQ(adjusted_code({.brightness = 100}, 0), 255);
  EXPECT_EQ(adjusted_code({.brightness = -100}, 255), 0);
  EXPECT_EQ(adjusted_code({.brightness = 20}, 100), 151);
  EXPECT_EQ(adjusted_code({.contrast = -100}, 255), 0);
  EXPECT_EQ(adjusted_code({.contrast = 100}, 100), 200);
  EXPECT_EQ(adjusted_code({.contrast = 50}, 255), 255);
  EXPECT_EQ(adjusted_code({.gamma = 100}, 1), 128);  // 255 (1 / 255)^(1 / 8) is 127.56
  EXPECT_EQ(adjusted_code({.gamma = -100}, 128), 1);
  EXPECT_EQ(adjusted_code({.inverted = true}, 0), 255);
  EXPECT_EQ(adjusted_code({.inverted = true}, 200), 55);
}

TEST(Adjustments, NoneNeedsNoTable) {
  const SamplePlan plain = plan_of(Adjustments{});
  EXPECT_EQ(plain.parameters.adjust_at, 0);
  EXPECT_EQ(plan_of(Adjustments{.gamma = 1}).axis_words.size(), plain.axis_words.size() + 256);
  // Without adjustments there is no table. An identity table, as built here, would give the same result.
  SamplePlan plan = plain;
  plan.parameters.adjust_at = static_cast<std::int32_t>(plan.axis_words.size());
  for (int code = 0; code < 256; ++code) {
    plan.axis_words.push_back(static_cast<std::uint32_t>(adjusted_code({}, code)));
  }
  for (std::uint32_t word = 0; word < 0xFF000000u; word += 0x00030507u) ASSERT_EQ(adjust(plan, word), word);
}

TEST(Adjustments, GraysStayGray) {
  for (const Adjustments& a : {Adjustments{.brightness = 20}, Adjustments{.gamma = -30, .saturation = 100},
                               Adjustments{10, -40, 25, -70, true}}) {
    const SamplePlan plan = plan_of(a);
    for (int code = 0; code < 256; ++code) {
      ASSERT_EQ(adjust(plan, gray(code)), gray(adjusted_code(a, code))) << code;
    }
  }
}

/// Saturation moves each component away from the luma or toward it. The luma itself stays the same.
TEST(Adjustments, SaturationMatchesFormula) {
  for (int saturation = -100; saturation <= 100; saturation += 10) {
    if (saturation == 0) continue;
    const SamplePlan plan = plan_of(Adjustments{.saturation = saturation});
    for (std::uint32_t word = 0x00102030u; word < 0xFE000000u; word += 0x00712345u) {
      const std::uint32_t got = adjust(plan, word);
      const double luma = word >> 24;
      EXPECT_EQ(got >> 24, word >> 24);
      for (const int shift : {0, 8, 16}) {
        const double value = (word >> shift) & 255;
        const double exact = std::clamp(luma + (value - luma) * (1 + saturation / 100.0), 0.0, 255.0);
        // Rounding the factor to 1/256 and rounding the result each change the value by up to half a code.
        ASSERT_NEAR((got >> shift) & 255, exact, 1.01) << saturation << ' ' << std::hex << word;
      }
    }
  }
}

TEST(Adjustments, ZeroSaturationIsGray) {
  const SamplePlan plan = plan_of(Adjustments{.saturation = -100});
  EXPECT_EQ(adjust(plan, 0x40FF8000u), 0x40404040u);
  EXPECT_EQ(adjust(plan, 0xFF000000u), 0xFFFFFFFFu);
}

TEST(Adjustments, InversionIsItsOwnInverse) {
  const SamplePlan plan = plan_of(Adjustments{.inverted = true});
  EXPECT_EQ(adjust(plan, 0x00112233u), 0xFFEEDDCCu);
  for (std::uint32_t word = 0; word < 0xFF000000u; word += 0x00030507u) {
    ASSERT_EQ(adjust(plan, word), ~word);
    ASSERT_EQ(adjust(plan, adjust(plan, word)), word);
  }
}

/// With Color::Mono, the sample plan must read no chroma, and must give the same luma as with Color::Full.
TEST(Adjustments, MonoNeedsOnlyLuma) {
  constexpr Adjustments Some{.contrast = 20, .saturation = 40};
  const SamplePlan alone = plan_of(Some, {.color = Color::Mono});
  const SamplePlan whole = plan_of(Some, {.color = Color::Full});
  EXPECT_EQ(alone.component_count(), 1);
  EXPECT_EQ(whole.component_count(), 3);
  for (int y = 0; y < 4096; ++y) {
    const std::uint32_t a = adjust(alone, scalar::finish_sample(y, 0, 0, alone.parameters));
    const std::uint32_t b = adjust(whole, scalar::finish_sample(y, 1500, 2900, whole.parameters));
    ASSERT_EQ(a >> 24, b >> 24);
    ASSERT_EQ(a, gray(static_cast<int>(a >> 24)));
  }
}

TEST(Adjustments, WeightedLumaNeedsChroma) {
  const ColorTags pq{.matrix = YuvMatrix::Bt2020, .primaries = 9, .transfer = 16};
  const PixelLayout yuv = planar(ColorModel::Yuv);
  EXPECT_EQ(plan_of(Parameters{.color = Color::Mono}, yuv, pq).component_count(), 3);
  EXPECT_EQ(plan_of(Parameters{.color = Color::Mono, .luma = Luma::Bt601}, yuv).component_count(), 3);
  EXPECT_EQ(plan_of(Parameters{.color = Color::Mono}, planar(ColorModel::Rgb)).component_count(), 3);
  EXPECT_EQ(plan_of(Parameters{.color = Color::Fg}, yuv).component_count(), 3);
}

}  // namespace
}  // namespace glyphreel::mapping::adjustments_test
