#include "mapping/tables/glyph_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "../map_subjects.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/perceptual_tables.h"
#include "perceived_cells.h"

namespace glyphreel::mapping::glyph_tables_test {
namespace {

namespace scalar = shared::scalar;

constexpr CellSize Sizes[] = {{8, 16}, {1, 1}, {3, 5}, {5, 7}, {16, 32}, {2, 3}};
constexpr Color Colors[] = {Color::Mono, Color::Fg, Color::Full};

/// Maps a cell with one gray in all of its samples.
shared::scalar::CELL map_gray(const GlyphTables& made, std::uint32_t gray) {
  const std::vector<std::uint32_t> samples(shared::MaxSamples, gray * 0x01010101u);
  return map_alone(made, samples);
}

TEST(LinearFromCode, MatchesSrgb) {
  EXPECT_EQ(linear_from_code(0), 0u);
  EXPECT_EQ(linear_from_code(255), 65535u);
  EXPECT_EQ(linear_from_code(188), 32957u);  // 0.50289 * 65535 by IEC 61966-2-1
  for (int code = 0; code < 255; ++code) EXPECT_LT(linear_from_code(code), linear_from_code(code + 1));
}

TEST(EncodeTable, RoundTripsEveryCode) {
  const auto set = glyphs(" #");
  const GlyphTables made = tables(*set, {});
  const std::uint32_t* linear = made.words.data() + made.parameters.light.linear_at;
  const std::uint32_t* encode = made.words.data() + made.parameters.light.encode_at;
  for (int code = 0; code < 256; ++code) {
    EXPECT_EQ(linear[code], linear_from_code(code));
    EXPECT_EQ(encode[linear[code] >> 4], static_cast<std::uint32_t>(code));
  }
  for (int i = 1; i < 4096; ++i) {
    ASSERT_GE(encode[i], encode[i - 1]);
    // Checks that no other code's light is closer to the middle of the interval that entry i covers.
    const int light = i * 16 + 8;
    const auto distance = [light](std::uint32_t code) {
      return std::abs(static_cast<int>(linear_from_code(static_cast<int>(code))) - light);
    };
    if (encode[i] > 0) {
      ASSERT_LE(distance(encode[i]), distance(encode[i] - 1)) << i;
    }
    if (encode[i] < 255) {
      ASSERT_LE(distance(encode[i]), distance(encode[i] + 1)) << i;
    }
  }
}

/// Returns, for each sample, the mean of `curve(coverage)` over the glyph's pixels under the sample. Averages
/// over a lattice of points so fine that each pixel is weighted exactly by its share of the sample.
template <typename Curve>
std::vector<double> area_averages(const text::GlyphSet& set, int glyph, GridSize samples, Curve curve) {
  const CellSize cell = set.cell();
  std::vector<double> averages;
  for (int i = 0; i < samples.cells(); ++i) {
    double sum = 0;
    for (int fy = 0; fy < cell.height; ++fy) {
      for (int fx = 0; fx < cell.width; ++fx) {
        const int x = (i % samples.columns * cell.width + fx) / samples.columns;
        const int y = (i / samples.columns * cell.height + fy) / samples.rows;
        sum +=
            curve(set.masks()[static_cast<std::size_t>((glyph * cell.height + y) * cell.width + x)] / 255.0);
      }
    }
    averages.push_back(sum / (cell.width * cell.height));
  }
  return averages;
}

/// For each glyph, the light correction uses two sums over the pixels: of the coverage and of the squared
/// coverage. Checks these sums in the tables.
TEST(GlyphTables, PixelSumsMatchMask) {
  for (const CellSize cell : Sizes) {
    const auto set = glyphs(ascii(), cell);
    const GridSize samples = samples_per_cell(cell, Sampling::Area);
    const GlyphTables made = tables(*set, {});
    const shared::MapParameters& p = made.parameters;
    ASSERT_EQ(p.sample_count, static_cast<std::uint32_t>(samples.cells()));
    ASSERT_EQ(p.forms.narrow, 95u);
    for (int g = 0; g < set->size(); ++g) {
      const GlyphNumbers numbers = glyph_numbers(made, static_cast<std::uint32_t>(g));
      double sum = 0;
      double square = 0;
      for (const double a : area_averages(*set, g, samples, [](double a) { return a; })) {
        sum += a * shared::CoverageOne;
      }
      for (const double aa : area_averages(*set, g, samples, [](double a) { return a * a; })) {
        square += aa * shared::CoverageOne * shared::CoverageOne;
      }
      ASSERT_NEAR(numbers.pixel_sum, sum, 0.5001);
      ASSERT_NEAR(numbers.pixel_square, square, 0.5001);
    }
  }
}

TEST(GlyphTables, FeaturesFitTheirWords) {
  for (const CellSize cell : Sizes) {
    const auto set = glyphs(ascii(), cell);
    for (const Color color : Colors) {
      const GlyphTables made = tables(*set, {.color = color});
      const shared::MapParameters& p = made.parameters;
      ASSERT_LE(p.forms.feature_pairs, shared::MaxSamples / 2);
      double longest = 0;
      for (std::uint32_t g = 0; g < p.forms.narrow; ++g) {
        double square = 0;
        double sum = 0;
        for (std::uint32_t j = 0; j < p.forms.feature_pairs; ++j) {
          const std::uint32_t word = made.words[p.forms.features_at + g * p.forms.feature_pairs + j];
          for (const auto value :
               {static_cast<std::int16_t>(word & 0xFFFF), static_cast<std::int16_t>(word >> 16)}) {
            square += value * value;
            sum += value;
          }
        }
        // The bias is computed before the features are packed into 16 bits each, so an overflow would show
        // here.
        ASSERT_NEAR(made.words[p.forms.bias_at + g], square / 2, 0.51);
        if (color != Color::Full) continue;
        // The longest feature vector has the length 4096, before each of its numbers is rounded by up to one
        // half.
        ASSERT_LE(std::sqrt(square), 4096 + std::sqrt(p.sample_count) / 2);
        longest = std::max(longest, std::sqrt(square));
        ASSERT_LE(std::abs(sum), p.sample_count / 2.0) << "the mean must be removed";
      }
    }
  }
}

/// In the tables, the forms with swapped colors follow the forms of the glyphs. This set contains the
/// negative of each of its glyphs, so each form with swapped colors must equal the form of the negative.
TEST(GlyphTables, ReverseDoublesForms) {
  const auto set = glyphs(" █▌▐");
  const GlyphTables made = tables(*set, {.color = Color::Mono, .reverse = Reverse::PerCell});
  const shared::MapParameters& p = made.parameters;
  ASSERT_EQ(p.forms.narrow, 8u);
  ASSERT_EQ(p.forms.reversed_from, 4u);
  const std::uint32_t negatives[] = {1, 0, 3, 2};
  for (std::uint32_t glyph = 0; glyph < 4; ++glyph) {
    for (std::uint32_t j = 0; j < p.forms.feature_pairs; ++j) {
      EXPECT_EQ(made.words[p.forms.features_at + (4 + glyph) * p.forms.feature_pairs + j],
                made.words[p.forms.features_at + negatives[glyph] * p.forms.feature_pairs + j])
          << glyph << ' ' << j;
    }
  }
}

TEST(GlyphTables, PoolingWeightsSumTo256) {
  for (const CellSize cell : Sizes) {
    const auto set = glyphs(ascii(), cell);
    for (const Color color : {Color::Mono, Color::Fg}) {
      const GlyphTables made = tables(*set, {.color = color});
      const shared::MapParameters& p = made.parameters;
      for (std::uint32_t k = 0; k < shared::PooledCount; ++k) {
        const std::uint32_t pairs = (p.sample_count + 1) / 2;
        std::uint32_t sum = 0;
        for (std::uint32_t j = 0; j < pairs; ++j) {
          const std::uint32_t pair = made.words[p.light.pool_at + k * pairs + j];
          EXPECT_LE(pair & 0xFFFF, 256u);
          EXPECT_LE(pair >> 16, 256u);
          sum += (pair & 0xFFFF) + (pair >> 16);
        }
        EXPECT_EQ(sum, 256u);
      }
    }
  }
}

// The parts of an entry of the ramp table: a glyph, a second glyph, and the share of the second in 256ths.
std::uint32_t first(std::uint32_t entry) {
  return entry & 4095;
}
std::uint32_t second(std::uint32_t entry) {
  return (entry >> 12) & 4095;
}
std::uint32_t share(std::uint32_t entry) {
  return entry >> 24;
}

TEST(RampTable, InkRisesWithTone) {
  for (const bool dark_ink : {false, true}) {
    const auto set = glyphs(ascii());
    const std::vector<std::uint32_t> ink = measure_ink(*set);
    Parameters parameters{.mode = Mode::Ramp, .color = Color::Mono};
    if (dark_ink) std::swap(parameters.foreground, parameters.background);
    const GlyphTables made = tables(*set, parameters);
    const std::uint32_t* ramp = made.words.data() + made.parameters.ramp.entries_at;
    for (int tone = 1; tone < 256; ++tone) {
      if (dark_ink) {
        ASSERT_LE(ink[first(ramp[tone])], ink[first(ramp[tone - 1])]) << tone;
      } else {
        ASSERT_GE(ink[first(ramp[tone])], ink[first(ramp[tone - 1])]) << tone;
      }
      // Without dither, both glyphs are the same.
      ASSERT_EQ(second(ramp[tone]), first(ramp[tone]));
      ASSERT_EQ(share(ramp[tone]), 0u);
    }
    const int black = dark_ink ? 255 : 0;
    EXPECT_EQ(ink[first(ramp[black])], 0u);
    EXPECT_EQ(ink[first(ramp[255 - black])], *std::max_element(ink.begin(), ink.end()));
  }
}

TEST(RampTable, CustomRampUsesOnlyItsCharacters) {
  const auto set = glyphs(ascii());
  const std::string allowed = " .oO@";
  for (const Dither dither : {Dither::None, Dither::Bayer}) {
    const GlyphTables made = tables(*set, {.mode = Mode::Ramp, .ramp = allowed, .dither = dither});
    for (std::uint32_t tone = 0; tone < 256; ++tone) {
      const std::uint32_t entry = made.words[made.parameters.ramp.entries_at + tone];
      for (const std::uint32_t glyph : {first(entry), second(entry)}) {
        ASSERT_NE(allowed.find(set->utf8(static_cast<int>(glyph))), std::string::npos);
      }
    }
  }
}

/// For each tone, dither mixes a darker and a brighter glyph such that their mean tone is that tone.
TEST(RampTable, DitherMixesTwoGlyphsToTone) {
  const auto set = glyphs(ascii());
  const std::vector<std::uint32_t> ink = measure_ink(*set);
  const std::uint32_t most = *std::max_element(ink.begin(), ink.end());
  // Returns a glyph's tone as a code value; the brightest glyph represents white.
  const auto tone_of = [&](std::uint32_t glyph) {
    const double light = static_cast<double>(ink[glyph]) / most;
    return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055);
  };
  const GlyphTables made =
      tables(*set, {.mode = Mode::Ramp, .color = Color::Mono, .dither = Dither::BlueNoise});
  for (int tone = 0; tone < 256; ++tone) {
    const std::uint32_t entry =
        made.words[made.parameters.ramp.entries_at + static_cast<std::uint32_t>(tone)];
    const double below = tone_of(first(entry));
    const double above = tone_of(second(entry));
    ASSERT_LE(below, tone + 0.6) << tone;
    ASSERT_GE(above, tone - 0.6) << tone;
    // The tones of glyphs are rounded to codes, and shares are rounded down to 256ths.
    const double mixed = below + (above - below) * share(entry) / 256;
    ASSERT_NEAR(mixed, tone, 1.0) << tone;
  }
}

TEST(RampTable, ThresholdsAreExact) {
  const auto set = glyphs(" 1728");
  const Parameters parameters{
      .mode = Mode::Ramp, .color = Color::Mono, .ramp = " 1728", .thresholds = {52, 103, 154, 215}};
  const GlyphTables made = tables(*set, parameters);
  for (int gray = 0; gray < 256; ++gray) {
    const char* wanted = gray < 52 ? " " : gray < 103 ? "1" : gray < 154 ? "7" : gray < 215 ? "2" : "8";
    EXPECT_EQ(set->utf8(static_cast<int>(map_gray(made, static_cast<std::uint32_t>(gray)).glyph)), wanted)
        << gray;
  }
}

TEST(RampTable, RampMayRepeatCharacter) {
  const auto set = glyphs(" x");
  const GlyphTables made = tables(*set, {.mode = Mode::Ramp, .ramp = " x x", .thresholds = {1, 128, 255}});
  EXPECT_EQ(map_gray(made, 0).glyph, 0u);
  EXPECT_EQ(map_gray(made, 1).glyph, 1u);
  EXPECT_EQ(map_gray(made, 127).glyph, 1u);
  EXPECT_EQ(map_gray(made, 128).glyph, 0u);
  EXPECT_EQ(map_gray(made, 254).glyph, 0u);
  EXPECT_EQ(map_gray(made, 255).glyph, 1u);
}

TEST(GlyphTables, OversizedInputsFail) {
  const auto set = glyphs(" 1728");
  const GridSize samples{4, 8};
  const auto missing = make_glyph_tables(*set, {.mode = Mode::Ramp, .ramp = " 17é"}, samples);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::Usage);
  EXPECT_NE(missing.error().message.find("é"), std::string::npos);
  for (const std::vector<int>& thresholds : {std::vector<int>{52, 103, 154}, {1, 2, 3, 4, 5}}) {
    const auto wrong =
        make_glyph_tables(*set, {.mode = Mode::Ramp, .ramp = " 1728", .thresholds = thresholds}, samples);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::Usage);
    EXPECT_NE(wrong.error().message.find("--thresholds"), std::string::npos);
  }
  EXPECT_FALSE(make_glyph_tables(*set, {.mode = Mode::Ramp, .ramp = " \xFF"}, samples)) << "invalid UTF-8";
}

/// Compares with the program that the classic ramp imitates, in which the gray of a cell's top-left pixel
/// selects one of five characters.
TEST(ClassicRamp, MatchesReferenceProgramCellForCell) {
  const auto set = glyphs(" 1728");
  const Parameters parameters{.mode = Mode::Ramp,
                              .color = Color::Mono,
                              .sampling = Sampling::Corner,
                              .luma = Luma::Bt601,
                              .ramp = " 1728",
                              .thresholds = {52, 103, 154, 215}};
  std::mt19937 random(7);
  for (const Extent size : {Extent{640, 360}, Extent{161, 97}, Extent{160, 45}, Extent{1000, 90}}) {
    std::vector<std::uint8_t> pixels(static_cast<std::size_t>(size.width) * size.height * 3);
    for (auto& byte : pixels) byte = static_cast<std::uint8_t>(random());
    FrameView view{
        .layout = {ColorModel::Rgb,
                   1,
                   {ComponentLayout{.step = 3}, {.step = 3, .offset = 1}, {.step = 3, .offset = 2}}},
        .size = size};
    view.planes[0] = reinterpret_cast<const std::byte*>(pixels.data());
    view.strides[0] = size.width * 3;
    const GridSize grid{160, 45};
    auto mapper = CellMapper::make(*set, grid, Fit::Stretch, parameters);
    ASSERT_TRUE(mapper);
    std::vector<shared::Cell> cells(static_cast<std::size_t>(grid.cells()));
    ThreadPool pool(1);
    mapper->map(view, {}, pool, cells.data());
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        const int y = row * (size.height / grid.rows);
        const int x = column * (size.width / grid.columns);
        const std::uint8_t* rgb = pixels.data() + static_cast<std::ptrdiff_t>(y * size.width + x) * 3;
        const int gray = (4899 * rgb[0] + 9617 * rgb[1] + 1868 * rgb[2] + 8192) >> 14;
        const char* wanted = gray < 52 ? " " : gray < 103 ? "1" : gray < 154 ? "7" : gray < 215 ? "2" : "8";
        const shared::Cell& cell = cells[static_cast<std::size_t>(row * grid.columns + column)];
        ASSERT_EQ(set->utf8(static_cast<int>(cell.glyph)), wanted)
            << column << ',' << row << " gray " << gray;
        ASSERT_EQ(cell.foreground, 0xFFFFFFFFu);
        ASSERT_EQ(cell.background, 0xFF000000u);
      }
    }
  }
}

/// A cell that shows a glyph in two colors must be mapped to that glyph in those colors.
TEST(ShapeMode, FindsDrawnGlyph) {
  const auto set = glyphs(ascii());
  const GlyphTables made = tables(*set, {});
  const shared::MapParameters& p = made.parameters;
  const PerceivedByEyes eyes({8, 16}, {4, 8});
  const std::vector<double> ones(eyes.pixels(), 1.0);
  std::mt19937 random(9);
  int found = 0;
  for (int g = 1; g < set->size(); ++g) {
    const auto ink = 0xFF000000u | static_cast<std::uint32_t>(random() & 0xFFFFFF);
    const auto background = ink ^ 0x00A0A0A0u;
    std::vector<std::uint32_t> samples;
    for (const double a : area_averages(*set, g, {4, 8}, [](double coverage) { return coverage; })) {
      samples.push_back(scalar::blend(ink, background, static_cast<std::uint32_t>(std::lround(a * 255))));
    }
    if (map_alone(made, samples).glyph != static_cast<std::uint32_t>(g)) continue;
    ++found;
    // Tests the fitted colors as they are before the light correction scales them.
    const shared::AnalysisView none;
    const scalar::CellSamples loaded = scalar::load_samples(samples.data(), made.words.data(), none, p);
    const scalar::ColorFit fit =
        scalar::fit_colors(samples.data(), made.words.data(), none, p, loaded,
                           scalar::measure(samples.data(), made.words.data(), none, p, loaded), g);
    const scalar::CELL cell = scalar::cell_of(g, fit);
    // Computes least squares over real pixels. Samples are two pixels wide and high in this test, so strokes
    // one pixel wide have less contrast in the samples than when drawn.
    const std::vector<double> mask = mask_of(*set, g);
    const double a = eyes.product(mask, ones);
    const double variance = eyes.product(mask, mask) - a * a;
    for (const int shift : {0, 8, 16}) {
      std::vector<double> codes;
      for (const std::uint32_t sample : samples) codes.push_back((sample >> shift) & 255);
      const std::vector<double> pixels = eyes.to_pixels(codes);
      const double mean = eyes.product(pixels, ones);
      const double slope = (eyes.product(mask, pixels) - a * mean) / variance;
      // Allows three standard deviations of the table bytes' rounding error, and the rounding of codes.
      // A byte's error has a variance of at most 3/12 (see real_channel() in fit_test.cpp).
      double square = 0;
      for (const double t : codes) square += (t - mean) * (t - mean);
      const double slope_off = 3 * std::sqrt(square / 4) / (variance * (1 << shared::PerceptualLog2));
      const auto wanted = [](double code) { return std::clamp(code, 0.0, 255.0); };
      EXPECT_NEAR((cell.foreground >> shift) & 255, wanted(mean + (1 - a) * slope), 1 + slope_off)
          << set->utf8(g);
      EXPECT_NEAR((cell.background >> shift) & 255, wanted(mean - a * slope), 1 + slope_off) << set->utf8(g);
      // The fitted colors must differ about as much as the drawn ones, but samples that are two pixels wide
      // and high do not resolve thin strokes completely.
      const double apart =
          static_cast<double>((ink >> shift) & 255) - static_cast<double>((background >> shift) & 255);
      EXPECT_GE(slope / apart, 0.6) << set->utf8(g);
      EXPECT_LE(slope / apart, 1.1) << set->utf8(g);
    }
  }
  EXPECT_GE(found, 90) << "of 94 glyphs";
}

TEST(ShapeMode, FlatCellsAreBlankInOwnColor) {
  const auto set = glyphs("#x o");
  ASSERT_EQ(set->blank(), 2);
  const GlyphTables made = tables(*set, {});
  for (const std::uint32_t gray : {0u, 1u, 77u, 128u, 254u, 255u}) {
    const scalar::CELL cell = map_gray(made, gray);
    EXPECT_EQ(cell.glyph, 2u);
    EXPECT_EQ(cell.background, 0xFF000000u | gray * 0x010101u);
    EXPECT_EQ(cell.foreground, cell.background);
  }
}

/// Color modes with a fixed color must not change that color.
TEST(FixedColors, StayAsRequested) {
  const auto set = glyphs(ascii());
  std::mt19937 random(10);
  for (const Mode mode : AllModes) {
    for (const Color color : {Color::Mono, Color::Fg}) {
      const GlyphTables made =
          tables(*set, {.mode = mode, .color = color, .foreground = 0x123456, .background = 0xFEDCBA});
      for (int round = 0; round < 300; ++round) {
        std::vector<std::uint32_t> samples(32);
        for (auto& sample : samples) sample = static_cast<std::uint32_t>(random());
        const scalar::CELL cell = map_alone(made, samples);
        ASSERT_EQ(cell.background, 0xFFFEDCBAu);
        if (color == Color::Mono) {
          ASSERT_EQ(cell.foreground, 0xFF123456u);
        }
        ASSERT_EQ(cell.foreground >> 24, 255u);
        ASSERT_LT(cell.glyph, 95u);
      }
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::glyph_tables_test
