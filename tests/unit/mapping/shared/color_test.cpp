#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

#include "mapping/cell_mapper.h"
#include "mapping/shared/shared_scalar.h"

namespace glyphreel::mapping::color_test {
namespace {

namespace scalar = shared::scalar;

TEST(Blend, RoundsToNearestForEveryInkPaperAndCoverage) {
  for (std::uint32_t coverage = 0; coverage < 256; ++coverage) {
    for (std::uint32_t foreground = 0; foreground < 256; ++foreground) {
      for (std::uint32_t background = 0; background < 256; ++background) {
        // Divides the weighted sum by 255 and rounds to nearest. 255 is odd, so there are no ties.
        const std::uint32_t wanted =
            (2 * (foreground * coverage + background * (255 - coverage)) + 255) / 510;
        if (scalar::blend_8(foreground, background, coverage) != wanted) {
          FAIL() << foreground << " over " << background << " at " << coverage;
        }
        // Blends all four bytes together, with neighboring bytes as different as possible.
        const std::uint32_t foregrounds =
            foreground << 24 | (255 - foreground) << 16 | foreground << 8 | (255 - foreground);
        const std::uint32_t backgrounds =
            background << 24 | (255 - background) << 16 | background << 8 | (255 - background);
        const std::uint32_t inverse = 255 - wanted;
        const std::uint32_t both = wanted << 24 | inverse << 16 | wanted << 8 | inverse;
        if (scalar::blend(foregrounds, backgrounds, coverage) != both)
          FAIL() << foreground << " over " << background << " at " << coverage;
      }
    }
  }
}

TEST(Blend, BytesAreIndependent) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000000; ++i) {
    const auto foreground = static_cast<std::uint32_t>(random());
    const auto background = static_cast<std::uint32_t>(random());
    const auto coverage = static_cast<std::uint32_t>(random() & 255);
    const std::uint32_t mixed = scalar::blend(foreground, background, coverage);
    for (int shift = 0; shift < 32; shift += 8) {
      ASSERT_EQ((mixed >> shift) & 255,
                scalar::blend_8((foreground >> shift) & 255, (background >> shift) & 255, coverage));
    }
  }
}

TEST(Blend, OpaqueColorsStayOpaque) {
  for (std::uint32_t coverage = 0; coverage < 256; ++coverage) {
    EXPECT_EQ(scalar::blend(0xFF000000, 0xFFFFFFFF, coverage) >> 24, 255u);
  }
  EXPECT_EQ(scalar::blend(0xFF123456, 0xFFABCDEF, 255), 0xFF123456u);
  EXPECT_EQ(scalar::blend(0xFF123456, 0xFFABCDEF, 0), 0xFFABCDEFu);
}

TEST(YuvFromRgb, IsWithinHalfCodeForEveryColor) {
  double worst = 0;
  for (int red = 0; red < 256; ++red) {
    for (int green = 0; green < 256; ++green) {
      for (int blue = 0; blue < 256; ++blue) {
        const std::uint32_t yuv =
            scalar::yuv_from_rgb(0xFF000000u | static_cast<std::uint32_t>(red << 16 | green << 8 | blue));
        const double luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        const double y = 16 + luma * 219 / 255;
        const double cb = 128 + (blue - luma) / 1.8556 * 224 / 255;
        const double cr = 128 + (red - luma) / 1.5748 * 224 / 255;
        worst = std::max({worst, std::abs(y - ((yuv >> 16) & 255)), std::abs(cb - ((yuv >> 8) & 255)),
                          std::abs(cr - (yuv & 255))});
        if (yuv >> 24 != 0) FAIL() << "the top byte is not empty";
      }
    }
  }
  // Rounding to codes changes a value by up to half a code. Rounding the three 16-bit coefficients, which
  // multiply 8-bit codes, changes it by up to (3 * 255 * 2^-17).
  EXPECT_LT(worst, 0.5 + 0.006);
}

TEST(YuvFromRgb, GraysHaveNeutralChromaAndFullRange) {
  for (std::uint32_t gray = 0; gray < 256; ++gray) {
    const std::uint32_t yuv = scalar::yuv_from_rgb(0xFF000000u | gray * 0x010101u);
    EXPECT_EQ(yuv & 0xFFFF, 0x8080u) << gray;
    EXPECT_GE(yuv >> 16, 16u);
    EXPECT_LE(yuv >> 16, 235u);
  }
  EXPECT_EQ(scalar::yuv_from_rgb(0xFF000000) >> 16, 16u);
  EXPECT_EQ(scalar::yuv_from_rgb(0xFFFFFFFF) >> 16, 235u);
  for (const std::uint32_t color : {0xFF0000u, 0x00FF00u, 0x0000FFu, 0xFFFF00u, 0x00FFFFu, 0xFF00FFu}) {
    const std::uint32_t yuv = scalar::yuv_from_rgb(color);
    for (const std::uint32_t chroma : {(yuv >> 8) & 255, yuv & 255}) {
      EXPECT_GE(chroma, 16u);
      EXPECT_LE(chroma, 240u);
    }
  }
}

TEST(DivideRound, RoundsHalvesAwayFromZero) {
  EXPECT_EQ(scalar::divide_round(5, 2), 3);
  EXPECT_EQ(scalar::divide_round(-5, 2), -3);
  EXPECT_EQ(scalar::divide_round(4, 3), 1);
  EXPECT_EQ(scalar::divide_round(-4, 3), -1);
  EXPECT_EQ(scalar::divide_round(0, 7), 0);
  std::mt19937 random(3);
  const auto expect = [](std::int64_t n, std::int64_t d) {
    const std::int64_t magnitude = (2 * std::abs(n) + d) / (2 * d);
    ASSERT_EQ(scalar::divide_round(static_cast<int>(n), static_cast<int>(d)), n < 0 ? -magnitude : magnitude)
        << n << " / " << d;
  };
  constexpr int Edge = (1 << 30) - 1;
  for (const int n : {0, 1, -1, Edge, -Edge, Edge - 1, 1 << 20}) {
    for (const int d : {1, 2, 3, 4, 32, 255, 1024, Edge, Edge - 1}) expect(n, d);
  }
  for (int i = 0; i < 200000; ++i) {
    const int shift = static_cast<int>(random() % 30);
    const auto n = static_cast<int>(random() & 0x7FFFFFFF) - Edge;
    expect(std::clamp(n, -Edge, Edge) >> shift % 7, 1 + static_cast<int>(random() & Edge) / (1 << shift));
  }
}

/// divide_by_samples() shifts instead of dividing if the number of samples is a power of two.
TEST(DivideBySamples, MatchesDivideRound) {
  std::mt19937 random(4);
  for (std::uint32_t n = 1; n <= shared::MaxSamples; ++n) {
    const shared::MapParameters p{.sample_count = n};
    const int count = static_cast<int>(n);
    for (int i = -3 * count; i <= 3 * count; ++i)
      ASSERT_EQ(scalar::divide_by_samples(i, p), scalar::divide_round(i, count));
    for (int i = 0; i < 3000; ++i) {
      const int numerator = static_cast<int>(random() & 0x7FFFFFFF) - (1 << 30);
      ASSERT_EQ(scalar::divide_by_samples(numerator, p), scalar::divide_round(numerator, count))
          << numerator << " / " << n;
    }
  }
}

TEST(FinishChroma, IsRoundedMeanOfFour) {
  for (std::uint32_t sum = 0; sum <= 4 * 255 * 255; ++sum) {
    ASSERT_EQ(scalar::finish_chroma(sum), static_cast<std::uint32_t>(std::lround(sum / 1020.0)));
  }
}

struct MatrixCase {
  YuvMatrix matrix;
  double kr, kb;
};

/// Compares the conversion of 8-bit Y'CbCr to R'G'B' with the equations of ITU-T H.273 in doubles.
TEST(FinishSample, MatchesStandards) {
  const PixelLayout yuv{ColorModel::Yuv, 1, {ComponentLayout{.plane = 0}, {.plane = 1}, {.plane = 2}}};
  for (const MatrixCase& m : {MatrixCase{YuvMatrix::Bt601, 0.299, 0.114},
                              {YuvMatrix::Bt709, 0.2126, 0.0722},
                              {YuvMatrix::Bt2020, 0.2627, 0.0593}}) {
    for (const ColorRange range : {ColorRange::Limited, ColorRange::Full}) {
      const FrameView view{.layout = yuv, .color = {.matrix = m.matrix, .range = range}, .size = {1, 1}};
      const shared::SampleParameters p =
          make_sample_plan(sample_key(view, {1, 1}, {1, 1}, Fit::Stretch, {})).parameters;
      const bool limited = range == ColorRange::Limited;
      for (int y = 0; y < 256; y += 3) {
        for (int cb = 0; cb < 256; cb += 5) {
          for (int cr = 0; cr < 256; cr += 5) {
            const double luma = limited ? (y - 16) * 255.0 / 219 : y;
            const double b = (cb - 128) * (limited ? 255.0 / 224 : 1);
            const double r = (cr - 128) * (limited ? 255.0 / 224 : 1);
            const double red = luma + 2 * (1 - m.kr) * r;
            const double blue = luma + 2 * (1 - m.kb) * b;
            const double green = (luma - m.kr * red - m.kb * blue) / (1 - m.kr - m.kb);
            const std::uint32_t word = scalar::finish_sample(y << 4, cb << 4, cr << 4, p);
            // Rounding to codes changes a value by up to half a code. The second term bounds the effect of
            // rounding three 14-bit coefficients, which multiply codes up to 255.
            constexpr double Tolerance = 0.5 + 3 * 255 * 0.5 / 16384;
            ASSERT_NEAR((word >> 24) & 255, std::clamp(luma, 0.0, 255.0), Tolerance) << y;
            ASSERT_NEAR((word >> 16) & 255, std::clamp(red, 0.0, 255.0), Tolerance)
                << y << ' ' << cb << ' ' << cr;
            ASSERT_NEAR((word >> 8) & 255, std::clamp(green, 0.0, 255.0), Tolerance)
                << y << ' ' << cb << ' ' << cr;
            ASSERT_NEAR(word & 255, std::clamp(blue, 0.0, 255.0), Tolerance) << y << ' ' << cb << ' ' << cr;
          }
        }
      }
    }
  }
}

/// With --luma, luma is computed from the same R'G'B' values that FFmpeg's fast conversion yields. That
/// conversion uses libswscale's 13-bit coefficients and truncates each term separately. Programs that convert
/// with FFmpeg and compare grays with thresholds use these values.
TEST(FinishSample, WeightedLumaMatchesFfmpegFastConversion) {
  const PixelLayout yuv{ColorModel::Yuv, 1, {ComponentLayout{.plane = 0}, {.plane = 1}, {.plane = 2}}};
  const FrameView view{.layout = yuv, .color = {.matrix = YuvMatrix::Bt601}, .size = {1, 1}};
  const shared::SampleParameters p =
      make_sample_plan(sample_key(view, {1, 1}, {1, 1}, Fit::Stretch, {.luma = Luma::Bt601})).parameters;
  const auto clamped = [](int value) { return std::clamp(value, 0, 255); };
  for (int y = 0; y < 256; ++y) {
    for (int cb = 16; cb <= 240; cb += 3) {
      for (int cr = 16; cr <= 240; cr += 3) {
        const int luma = ((y - 16) * 9539) >> 13;
        const int red = clamped(luma + ((13075 * (cr - 128)) >> 13));
        const int green = clamped(luma + ((-3209 * (cb - 128)) >> 13) + ((-6660 * (cr - 128)) >> 13));
        const int blue = clamped(luma + ((16525 * (cb - 128)) >> 13));
        const int gray = (4899 * red + 9617 * green + 1868 * blue + 8192) >> 14;
        ASSERT_EQ(scalar::finish_sample(y << 4, cb << 4, cr << 4, p) >> 24, static_cast<std::uint32_t>(gray))
            << y << ' ' << cb << ' ' << cr;
      }
    }
  }
  EXPECT_EQ(scalar::finish_sample(235 << 4, 2048, 2048, p) >> 24, 255u) << "white must stay white";
}

TEST(FinishSample, RgbPassesThroughAndGivesLuma) {
  const PixelLayout rgb{
      ColorModel::Rgb, 1, {ComponentLayout{.step = 3}, {.step = 3, .offset = 1}, {.step = 3, .offset = 2}}};
  const FrameView view{.layout = rgb, .size = {1, 1}};  // tagged as limited range, which RGB never is
  std::mt19937 random(5);
  for (const Luma luma : {Luma::Bt601, Luma::Bt709}) {
    const shared::SampleParameters p =
        make_sample_plan(sample_key(view, {1, 1}, {1, 1}, Fit::Stretch, {.luma = luma})).parameters;
    EXPECT_EQ(p.luma_weight_r + p.luma_weight_g + p.luma_weight_b, 1 << 14);
    for (int i = 0; i < 20000; ++i) {
      const int r = static_cast<int>(random() & 255);
      const int g = static_cast<int>(random() & 255);
      const int b = static_cast<int>(random() & 255);
      const std::uint32_t word = scalar::finish_sample(r << 4, g << 4, b << 4, p);
      ASSERT_EQ(word & 0xFFFFFF, static_cast<std::uint32_t>(r << 16 | g << 8 | b));
      const int classic = (4899 * r + 9617 * g + 1868 * b + 8192) >> 14;
      const double hd = 0.2126 * r + 0.7152 * g + 0.0722 * b;
      if (luma == Luma::Bt601) {
        ASSERT_EQ(word >> 24, static_cast<std::uint32_t>(classic));
      } else {
        ASSERT_NEAR(word >> 24, hd, 0.52);
      }
    }
    for (int gray = 0; gray < 256; ++gray) {
      ASSERT_EQ(scalar::finish_sample(gray << 4, gray << 4, gray << 4, p),
                static_cast<std::uint32_t>(gray) * 0x01010101u);
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::color_test
