// Tests how glyphs are matched to cells by their light, and how much light drawn cells emit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <utility>
#include <vector>

#include "../map_subjects.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_measures.h"

namespace glyphreel::mapping::light_test {
namespace {

namespace scalar = shared::scalar;

constexpr GridSize Samples[] = {{4, 8}, {1, 1}, {3, 5}, {4, 1}, {1, 8}, {2, 3}};

/// The mean linear light of each channel, 0 to 1.
struct Light {
  std::array<double, 3> channel{};  // blue, green, red
  [[nodiscard]] double luminance() const {
    return 0.0722 * channel[0] + 0.7152 * channel[1] + 0.2126 * channel[2];
  }
};

double linear(std::uint32_t color, std::size_t channel) {
  return linear_from_code(static_cast<int>((color >> (8 * channel)) & 255)) / 65535.0;
}

/// Returns the sRGB code value of linear light, in doubles.
double code_of(double light) {
  return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1 / 2.4) - 0.055);
}

Light light_of(const std::vector<std::uint32_t>& samples) {
  Light light;
  for (const std::uint32_t sample : samples) {
    for (std::size_t c = 0; c < 3; ++c)
      light.channel[c] += linear(sample, c) / static_cast<double>(samples.size());
  }
  return light;
}

/// Returns the light of a cell as it is drawn, pixel by pixel.
Light light_of(const text::GlyphSet& set, const scalar::CELL& cell) {
  const std::size_t pixels = static_cast<std::size_t>(set.cell().width) * set.cell().height;
  Light light;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint32_t color =
        scalar::blend(cell.foreground, cell.background, set.masks()[cell.glyph * pixels + i]);
    for (std::size_t c = 0; c < 3; ++c) light.channel[c] += linear(color, c) / static_cast<double>(pixels);
  }
  return light;
}

enum class Look { Gradient, Edge, Noise };

/// Returns 4 x 8 samples of one pattern in random colors.
std::vector<std::uint32_t> draw(Look look, std::mt19937& random) {
  std::array<double, 3> one{};
  std::array<double, 3> two{};
  for (std::size_t c = 0; c < 3; ++c) {
    one[c] = static_cast<double>(random() & 255);
    two[c] = static_cast<double>(random() & 255);
    // The two ends of a gradient within one cell differ less than random colors.
    if (look == Look::Gradient)
      two[c] = std::clamp(one[c] + static_cast<double>(random() % 97) - 48, 0.0, 255.0);
  }
  const double angle = static_cast<double>(random() % 360) * 3.14159265 / 180;
  const double place = static_cast<double>(random() % 100) / 100 - 0.5;
  std::vector<std::uint32_t> samples;
  for (int i = 0; i < 32; ++i) {
    const double x = (i % 4 + 0.5) / 4 - 0.5;
    const double y = (i / 4 + 0.5) / 4 - 1;
    double along = x * std::cos(angle) + y * std::sin(angle) + 0.5;
    if (look == Look::Edge) along = (along - 0.5 - place) * 4 + 0.5;  // the transition is one sample wide
    along = std::clamp(along, 0.0, 1.0);
    std::array<std::uint32_t, 3> color{};
    for (std::size_t c = 0; c < 3; ++c) {
      color[c] = look == Look::Noise
                     ? random() & 255
                     : static_cast<std::uint32_t>(std::lround(one[c] + (two[c] - one[c]) * along));
    }
    samples.push_back(sample_of(color[0], color[1], color[2]));
  }
  return samples;
}

TEST(CellHalves, AreMeansOfBothHalves) {
  std::mt19937 random(21);
  for (const GridSize size : Samples) {
    const shared::MapParameters p{.sample_count = static_cast<std::uint32_t>(size.cells()),
                                  .samples_x = static_cast<std::uint32_t>(size.columns)};
    for (int round = 0; round < 500; ++round) {
      std::vector<std::uint32_t> samples;
      for (int i = 0; i < size.cells(); ++i) {
        samples.push_back(round == 0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(random()));
      }
      // With an odd number of rows, the middle row belongs to the lower half. A single row counts
      // as both halves.
      const int upper_rows = size.rows / 2;
      double upper = 0;
      double lower = 0;
      for (int i = 0; i < size.cells(); ++i) {
        (i / size.columns < upper_rows ? upper : lower) += samples[static_cast<std::size_t>(i)] >> 24;
      }
      lower /= size.columns * (size.rows - upper_rows);
      upper = upper_rows == 0 ? lower : upper / (size.columns * upper_rows);
      const std::uint32_t halves = scalar::cell_halves(samples.data(), nullptr, {}, p);
      ASSERT_NEAR((halves & 0xFFFF) / 16.0, upper, 0.5001 / 16);
      ASSERT_NEAR((halves >> 16) / 16.0, lower, 0.5001 / 16);
    }
  }
}

/// Returns the weight of `block` in the blurred luma at `place`, along one axis. A block is as wide as a cell
/// and half as high. The luma is blurred over blocks with the weights 1 2 1 and then interpolated linearly.
/// Block 0 is the cell's first block, and block `i` has its center at place `i`.
double blur_weight(double place, int block) {
  double weight = 0;
  for (int tap = -1; tap <= 1; ++tap) {
    weight += (tap == 0 ? 0.5 : 0.25) * std::max(0.0, 1 - std::abs(block + tap - place));
  }
  return weight;
}

/// Returns the 16-bit numbers in `count` words of the tables from `first` on, each word's lower half first.
std::vector<double> unpacked_pairs(const GlyphTables& made, std::uint32_t first, int count) {
  std::vector<double> numbers;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t pair = made.words[first + static_cast<std::uint32_t>(i)];
    numbers.push_back(pair & 0xFFFF);
    numbers.push_back(pair >> 16);
  }
  return numbers;
}

TEST(LocalContrast, MatchesUnsharpMaskInDoubles) {
  std::mt19937 random(22);
  for (const CellSize cell : {CellSize{8, 16}, {3, 5}, {2, 3}, {1, 2}}) {
    const GlyphTables made = tables(*glyphs(ascii(), cell), {.color = Color::Mono});
    const shared::MapParameters& p = made.parameters;
    ASSERT_NE(p.surround.contrast, 0u);
    const int across = static_cast<int>(p.samples_x);
    const int down = static_cast<int>(p.sample_count) / across;
    // Six weights for each column of samples (the last one is 0), then six for each row.
    const std::vector<double> weights = unpacked_pairs(made, p.surround.weights_at, 3 * (across + down));
    for (int x = 0; x < across; ++x) {
      for (int k = 0; k < 5; ++k) {
        // The largest weight is adjusted so that the rounded weights sum to 256, hence the tolerance of 2.
        ASSERT_NEAR(weights[x * 6 + k] / 256, blur_weight((x + 0.5) / across - 0.5, k - 2), 2.0 / 256);
      }
    }
    for (int y = 0; y < down; ++y) {
      for (int k = 0; k < 6; ++k) {
        ASSERT_NEAR(weights[(across + y) * 6 + k] / 256, blur_weight((y + 0.5) * 2 / down - 0.5, k - 2),
                    2.0 / 256);
      }
    }
    for (int round = 0; round < 500; ++round) {
      Surroundings around;
      for (auto& halves : around.halves) {
        halves = round == 0 ? 255 * 16 | 255 * 16 << 16
                            : static_cast<std::uint32_t>(random() % 4081 | (random() % 4081) << 16);
      }
      std::vector<std::uint32_t> samples;
      for (int i = 0; i < across * down; ++i) samples.push_back(static_cast<std::uint32_t>(random()));
      const scalar::CellCodes lumas =
          scalar::local_contrast(samples.data(), made.words.data(), around.view(), p);
      for (int y = 0; y < down; ++y) {
        for (int x = 0; x < across; ++x) {
          double blurred = 0;
          for (int half = 0; half < 6; ++half) {
            for (int column = 0; column < 5; ++column) {
              const std::uint32_t word = around.halves[static_cast<std::size_t>((half / 2 + 1) * 5 + column)];
              const double luma = (half % 2 == 0 ? word & 0xFFFF : word >> 16) / 16.0;
              blurred += luma * weights[x * 6 + column] / 256 * weights[(across + y) * 6 + half] / 256;
            }
          }
          const double code = samples[static_cast<std::size_t>(y * across + x)] >> 24;
          const double raised = std::clamp(code + (code - blurred) * p.surround.contrast / 2, 0.0, 255.0);
          // local_contrast() rounds the result to codes, rounds the added contrast down to sixteenths of
          // a code, and rounds the blurred luma first to 1/128 and then to sixteenths.
          const double blur_error = 1.0 / 256 + 1.0 / 32;
          ASSERT_NEAR(lumas.code[y * across + x], raised,
                      0.5 + 1.0 / 16 + p.surround.contrast / 2.0 * blur_error);
        }
      }
    }
  }
}

TEST(LocalContrast, LeavesFlatPicturesUnchanged) {
  const GlyphTables made = tables(*glyphs(ascii()), {.color = Color::Fg});
  for (std::uint32_t code = 0; code < 256; ++code) {
    const std::vector<std::uint32_t> samples(32, code * 0x01010101u);
    Surroundings around;
    for (auto& halves : around.halves) halves = code * 16 | code * 16 << 16;
    const scalar::CellCodes lumas =
        scalar::local_contrast(samples.data(), made.words.data(), around.view(), made.parameters);
    for (const int luma : lumas.code) ASSERT_EQ(luma, static_cast<int>(code));
  }
}

TEST(Mono, BlackStaysBlankAndWhiteIsDense) {
  for (const CellSize cell : {CellSize{8, 16}, {5, 7}, {16, 32}, {10, 20}}) {
    const auto set = glyphs(ascii(), cell);
    const std::vector<std::uint32_t> ink = measure_ink(*set);
    const double most = *std::max_element(ink.begin(), ink.end());
    for (const Mode mode : AllModes) {
      const GlyphTables made = tables(*set, {.mode = mode, .color = Color::Mono});
      // Tests every position, since dither differs by position.
      for (int place = 0; place < 16; ++place) {
        const std::vector<std::uint32_t> black(made.parameters.sample_count, 0);
        const std::vector<std::uint32_t> white(made.parameters.sample_count, 0xFFFFFFFF);
        ASSERT_EQ(ink[map_alone(made, black, place % 4, place / 4).glyph], 0u) << cell.width;
        // Ramp mode uses the densest glyph. The other modes prefer a dense glyph with evenly distributed ink:
        // Q, although N has a fifth more ink. Edge mode dims areas between contours in coarse steps, by using
        // glyphs of little ink.
        constexpr double Dimmed = shared::EdgeMonoShading / 16.0;
        const double least = mode == Mode::Ramp ? 1 : mode == Mode::Shape ? 0.8 : Dimmed / 3;
        const double greatest = mode == Mode::Edge ? 2 * Dimmed : 1;
        const double drawn = ink[map_alone(made, white, place % 4, place / 4).glyph];
        ASSERT_GE(drawn, least * most) << cell.width;
        ASSERT_LE(drawn, greatest * most) << cell.width;
      }
    }
  }
}

/// The mean ink of neighboring cells must rise with the tone of the source. Flat cells use glyphs with evenly
/// distributed ink, of which ASCII has few. The tone is therefore off by up to 28 codes (11 codes rms). Cells
/// darker than the faintest glyph are black.
TEST(Mono, TonesFollowSource) {
  const auto set = glyphs(ascii());
  const std::vector<std::uint32_t> ink = measure_ink(*set);
  const double most = *std::max_element(ink.begin(), ink.end());
  const GlyphTables made = tables(*set, {.color = Color::Mono});
  double square = 0;
  double before = 0;
  for (std::uint32_t code = 0; code < 256; ++code) {
    double sum = 0;
    for (int place = 0; place < 16; ++place) {
      sum += ink[map_alone(made, std::vector<std::uint32_t>(32, code * 0x01010101u), place % 4, place / 4)
                     .glyph];
    }
    // A brighter cell may show a glyph with slightly less, but more evenly distributed ink.
    ASSERT_GE(sum, 0.85 * before) << code;
    before = sum;
    const double away = code_of(sum / 16 / most) - code;
    square += away * away / 256;
    EXPECT_LT(std::abs(away), 28) << code;
  }
  EXPECT_LT(std::sqrt(square), 11);
}

TEST(Reverse, SwapsColorsWhenCloser) {
  const auto set = glyphs(ascii());
  const GlyphTables made = tables(
      *set,
      {.color = Color::Mono, .foreground = 0x20FF40, .background = 0x001000, .reverse = Reverse::PerCell});
  const shared::MapParameters& p = made.parameters;
  const auto blank = static_cast<std::uint32_t>(set->blank());
  for (int place = 0; place < 16; ++place) {
    const scalar::CELL black = map_alone(made, std::vector<std::uint32_t>(32, 0), place % 4, place / 4);
    EXPECT_EQ(black.glyph, blank);
    EXPECT_EQ(black.background, p.background);
    EXPECT_EQ(black.foreground, p.foreground);
    const scalar::CELL white =
        map_alone(made, std::vector<std::uint32_t>(32, 0xFFFFFFFF), place % 4, place / 4);
    EXPECT_EQ(white.glyph, blank);
    EXPECT_EQ(white.background, p.foreground);
    EXPECT_EQ(white.foreground, p.background);
  }
  // In random patterns, bright cells must use the swapped pair of colors, and dark cells the unswapped pair.
  // Cells with tones in between may use either pair.
  std::mt19937 random(23);
  for (int round = 0; round < 3000; ++round) {
    const auto samples = draw(static_cast<Look>(round % 3), random);
    const scalar::CELL cell = map_alone(made, samples);
    ASSERT_LT(cell.glyph, 95u);
    const bool swapped = cell.foreground == p.background;
    ASSERT_EQ(cell.foreground, swapped ? p.background : p.foreground);
    ASSERT_EQ(cell.background, swapped ? p.foreground : p.background);
    double luma = 0;
    for (const std::uint32_t sample : samples) luma += linear(sample >> 24, 0) / 32;
    if (luma > 0.75) {
      ASSERT_TRUE(swapped) << round;
    }
    if (luma < 0.1) {
      ASSERT_FALSE(swapped) << round;
    }
  }
}

/// With Color::Fg, all light is scaled so that white in the source is drawn with 80 % of the light of the
/// densest glyph in white. This leaves headroom for hues. Unless the foreground is clipped, each channel of
/// the drawn cell must have the scaled light of the source's channel.
TEST(Fg, PreservesHueAndLight) {
  const auto set = glyphs(ascii());
  const std::vector<std::uint32_t> ink = measure_ink(*set);
  const double white = 0.8 * *std::max_element(ink.begin(), ink.end()) / 65535;
  for (const std::uint32_t background : {0x000000u, 0x101820u}) {
    const GlyphTables made = tables(*set, {.color = Color::Fg, .background = background});
    std::mt19937 random(24);
    int reached = 0;
    double square = 0;
    double worst = 0;
    for (int round = 0; round < 20000; ++round) {
      const auto samples = draw(round % 2 == 0 ? Look::Gradient : Look::Edge, random);
      const scalar::CELL cell = map_alone(made, samples);
      ASSERT_EQ(cell.background, 0xFF000000u | background);
      const Light wanted = light_of(samples);
      const Light drawn = light_of(*set, cell);
      const bool clipped = [&] {
        for (const int shift : {0, 8, 16}) {
          const auto code = (cell.foreground >> shift) & 255;
          if (code == 0 || code == 255) return true;
        }
        return false;
      }();
      // Skips blank cells, which cannot show a hue, and clipped colors, which are too dark or too bright.
      if (clipped || ink[cell.glyph] == 0) continue;
      ++reached;
      for (std::size_t c = 0; c < 3; ++c) {
        const double base = linear(background, c);
        const double away = code_of(std::clamp((drawn.channel[c] - base) / white + base, 0.0, 2.0)) -
                            code_of(wanted.channel[c]);
        square += away * away / 3;
        worst = std::max(worst, std::abs(away));
      }
    }
    EXPECT_GT(reached, 5000);
    // Ink is measured on black. On other backgrounds, the antialiased edges of glyphs emit different light.
    EXPECT_LT(std::sqrt(square / reached), background == 0 ? 2.5 : 7) << background;
    EXPECT_LT(worst, background == 0 ? 8 : 20) << background;
  }
}

/// Returns, for blue, green and red, whether the light correction can reach the light of the samples.
std::array<bool, 3> light_in_reach(const GlyphTables& made, const std::vector<std::uint32_t>& samples,
                                   std::uint32_t glyph) {
  const shared::AnalysisView none;
  const shared::MapParameters& p = made.parameters;
  const std::uint32_t* words = made.words.data();
  const auto index = static_cast<int>(glyph);
  const scalar::CellSamples cell = scalar::load_samples(samples.data(), words, none, p);
  const scalar::Moments m = scalar::measure(samples.data(), words, none, p, cell);
  const scalar::ColorFit fit = scalar::fit_colors(samples.data(), words, none, p, cell, m, index);
  const scalar::GlyphSums s = scalar::pixel_sums(samples.data(), words, none, p, index);
  const auto is_representable = [&](int foreground, int background, int square) {
    const int factor = scalar::light_correction(s, foreground, background, square);
    const int brightest = std::max(foreground, background) * factor;
    return factor > 192 && factor < 341 && brightest < 255 * 256;
  };
  return {is_representable(fit.fg_b, fit.bg_b, m.square_b), is_representable(fit.fg_g, fit.bg_g, m.square_g),
          is_representable(fit.fg_r, fit.bg_r, m.square_r)};
}

/// Compares the mean light of each channel of random cells with that of their samples, in code values. Light
/// must be corrected because the fit preserves the perceived mean, in which a cell's border has less weight.
/// The correction scales colors by 3/4 to 4/3 and clips them at 255, so it cannot reach the light of every
/// channel. Noise is too bright by a few codes, since the correction approximates light by squares of code
/// values.
TEST(Full, PreservesLight) {
  struct Bound {
    Look look;
    double reached;                   ///< share of the channels within the range of the correction
    double mean, rms, of_99_percent;  ///< mean, rms and 99th percentile of these channels' errors
    double all;                       ///< rms error of all channels
  };
  const auto set = glyphs(ascii());
  const GlyphTables made = tables(*set, {});
  for (const auto& [look, reached, mean, rms, of_99_percent, all] :
       {Bound{Look::Gradient, 0.9, 0.1, 0.55, 2, 0.7},
        {Look::Edge, 0.7, 0.35, 1.5, 5.5, 4.5},
        {Look::Noise, 0.75, 3.3, 3.7, 7.5, 4}}) {
    std::mt19937 random(25);
    std::vector<double> errors;
    double square = 0;
    double square_of_all = 0;
    double sum = 0;
    for (int round = 0; round < 20000; ++round) {
      const auto samples = draw(look, random);
      const scalar::CELL cell = map_alone(made, samples);
      const std::array<bool, 3> in_reach = light_in_reach(made, samples, cell.glyph);
      const Light wanted = light_of(samples);
      const Light drawn = light_of(*set, cell);
      for (std::size_t c = 0; c < 3; ++c) {
        const double away = code_of(drawn.channel[c]) - code_of(wanted.channel[c]);
        square_of_all += away * away / 60000;
        if (!in_reach[c]) continue;
        errors.push_back(std::abs(away));
        square += away * away;
        sum += away;
      }
    }
    std::sort(errors.begin(), errors.end());
    const auto count = static_cast<double>(errors.size());
    EXPECT_GT(count, reached * 60000);
    EXPECT_LT(std::abs(sum / count), mean);
    EXPECT_LT(std::sqrt(square / count), rms);
    EXPECT_LT(errors[errors.size() * 99 / 100], of_99_percent);
    EXPECT_LT(std::sqrt(square_of_all), all);
  }
}

int luma_of(std::uint32_t color) {
  return static_cast<int>((((color >> 16) & 255) * 54 + ((color >> 8) & 255) * 183 + (color & 255) * 19) >>
                          8);
}

double lightness_of(std::uint32_t color) {
  const double light = linear_from_code(luma_of(color)) / 65535.0;
  return light > 216.0 / 24389 ? 116 * std::cbrt(light) - 16 : light * 24389 / 27;
}

TEST(Legibility, SeparatesLightnessOfGrayCells) {
  const auto set = glyphs(ascii());
  for (const double asked : {0.17, 0.5, 1.0}) {
    const GlyphTables made = tables(*set, {.legibility = asked});
    std::mt19937 random(26);
    double square = 0;
    for (int round = 0; round < 9000; ++round) {
      auto samples = draw(static_cast<Look>(round % 3), random);
      for (std::uint32_t& sample : samples) sample = (sample >> 24) * 0x01010101u;
      const scalar::CELL cell = map_alone(made, samples);
      ASSERT_GE(std::abs(lightness_of(cell.foreground) - lightness_of(cell.background)), 50 * asked - 2)
          << round;
      const double away = code_of(light_of(*set, cell).luminance()) - code_of(light_of(samples).luminance());
      square += away * away / 9000;
    }

    // If legibility requires the colors to differ by up to half of the lightness range, dark and bright cells
    // cannot keep their mean light.
    EXPECT_LT(std::sqrt(square), 30 * asked * asked + 1) << asked;
  }
}

TEST(Legibility, DependsOnGlyphsAndColorsByDefault) {
  const auto legibility_of = [](const std::string& characters, Parameters parameters) {
    parameters.legibility.reset();
    return tables(*glyphs(characters), parameters).parameters.legibility.contrast;
  };
  EXPECT_EQ(legibility_of(ascii(), {}), std::lround(DefaultLegibility * 128));
  EXPECT_EQ(legibility_of(" ░▒▓█", {}), 0u);
  EXPECT_EQ(legibility_of(" ⠁⠃⠇⣿", {}), 0u);
  EXPECT_EQ(legibility_of(ascii(), {.palette = {0x000000, 0xFFFFFF}}), 0u);
  EXPECT_EQ(legibility_of(ascii(), {.color = Color::Mono}), 0u);
}

/// Maps a cell whose samples are all the gray `code`, in surroundings with the mean luma `around`.
scalar::CELL legible_gray(const GlyphTables& made, int code, int around,
                          const scalar::CELL* previous = nullptr) {
  const std::vector<std::uint32_t> samples(32, static_cast<std::uint32_t>(code) * 0x01010101u);
  const std::vector<std::uint32_t> halves(15, static_cast<std::uint32_t>(around * 16) * 0x10001u);
  const std::vector<std::uint32_t> words(15, 0);
  const shared::AnalysisView view{.halves = halves.data() + 7, .mode_words = words.data() + 7, .pitch = 5};
  shared::MapParameters p = made.parameters;
  p.history.keep = previous != nullptr ? 1 : 0;
  p.two_pass = 0;
  return scalar::map_cell(samples.data(), made.words.data(), view, p,
                          previous != nullptr ? *previous : scalar::CELL{}, 3, 5);
}

TEST(Legibility, InkIsLightOnDarkAndDarkOnLight) {
  const auto set = glyphs(ascii());
  const GlyphTables made = tables(*set, {.legibility = DefaultLegibility});
  for (int code = 32; code < 224; ++code) {
    const scalar::CELL dark = legible_gray(made, code, 60);
    const scalar::CELL light = legible_gray(made, code, 200);
    ASSERT_GT(luma_of(dark.foreground), luma_of(dark.background)) << code;
    ASSERT_LT(luma_of(light.foreground), luma_of(light.background)) << code;
    EXPECT_EQ(dark.glyph, light.glyph) << "the glyph of a flat cell depends on its place only";
    for (const scalar::CELL& cell : {dark, light})
      EXPECT_NEAR(code_of(light_of(*set, cell).luminance()), code, 2.5);
  }
}

TEST(Legibility, PolarityStaysNearItsThreshold) {
  const GlyphTables made = tables(*glyphs(ascii()), {.legibility = DefaultLegibility});
  constexpr int Below = shared::LightInkBelow;
  const scalar::CELL light_ink = legible_gray(made, 100, 40);
  const scalar::CELL dark_ink = legible_gray(made, 100, 240);
  const auto is_light = [](const scalar::CELL& cell) {
    return luma_of(cell.foreground) > luma_of(cell.background);
  };
  EXPECT_TRUE(is_light(legible_gray(made, 100, Below + 10, &light_ink)));
  EXPECT_FALSE(is_light(legible_gray(made, 100, Below - 10, &dark_ink)));
  EXPECT_FALSE(is_light(legible_gray(made, 100, Below + 40, &light_ink)));
  EXPECT_TRUE(is_light(legible_gray(made, 100, Below - 40, &dark_ink)));
}

/// Tests extreme samples in every mode, color mode and background. Builds with -fsanitize=undefined report
/// overflows; in every build, glyphs must be in the set.
TEST(WorstCases, StayWithinRange) {
  std::mt19937 random(27);
  const std::pair<std::uint32_t, std::uint32_t> inks[] = {{0xFFFFFF, 0x000000},
                                                          {0x000000, 0xFFFFFF},
                                                          {0x00FF00, 0xFF00FF},
                                                          {0x808080, 0x7F7F7F},
                                                          {0xFFFFFF, 0xFFFFFF}};
  const std::pair<CellSize, std::string> sets[] = {{{8, 16}, ascii()}, {{8, 16}, " █▌▄▖"}, {{3, 5}, ascii()},
                                                   {{1, 1}, " #"},     {{32, 64}, " .`█"}, {{8, 16}, " "}};
  for (const auto& [cell, characters] : sets) {
    const auto set = glyphs(characters, cell);
    for (const Mode mode : AllModes) {
      for (const Color color : {Color::Mono, Color::Fg, Color::Full}) {
        for (const auto& [foreground, background] : inks) {
          for (const bool all : {false, true}) {
            GlyphTables made = tables(*set, {.mode = mode,
                                             .color = color,
                                             .foreground = foreground,
                                             .background = background,
                                             .reverse = all ? Reverse::PerCell : Reverse::Never,
                                             .legibility = all ? 1.0 : 0.0,
                                             .stability = all ? 1.0 : 0.5,
                                             .dither = all ? Dither::Bayer : Dither::None});
            shared::MapParameters& p = made.parameters;
            const auto glyph_total = static_cast<std::uint32_t>(set->size());
            for (int round = 0; round < 120; ++round) {
              std::vector<std::uint32_t> samples;
              for (std::uint32_t i = 0; i < p.sample_count; ++i) {
                const std::uint32_t x = i % p.samples_x;
                const std::uint32_t y = i / p.samples_x;
                std::uint32_t word = static_cast<std::uint32_t>(random());
                if (round % 10 == 0) word = 0;
                if (round % 10 == 1) word = 0xFFFFFFFF;
                if (round % 10 == 2) word = (x + y) % 2 == 0 ? 0 : 0xFFFFFFFF;
                if (round % 10 == 3) word = (x + y) % 2 == 0 ? 0xFFFFFFFF : 0;
                if (round % 10 == 4) word = x < p.samples_x / 2 ? 0 : 0xFFFFFFFF;
                if (round % 10 == 5) word = i == 0 ? 0xFFFFFFFF : 0;
                if (round % 10 == 6) word = i == 0 ? 0 : 0xFFFFFFFF;
                if (round % 10 == 7)
                  word = (random() & 1) != 0 ? 0x00FF00FF : 0xFF00FF00;  // luma contradicts the color
                samples.push_back(word);
              }
              Surroundings around(mode_word_of(made, samples));
              for (auto& word : around.halves) {
                word = round % 4 == 0 ? 0
                       : round % 4 == 1
                           ? 4080u | 4080u << 16
                           : static_cast<std::uint32_t>(random() % 4081 | (random() % 4081) << 16);
              }
              p.levels.gain = round % 3 == 0 ? 6144 : 4096;
              p.history.keep = static_cast<std::uint32_t>(round & 1);
              const scalar::CELL previous{static_cast<std::uint32_t>(random()) % glyph_total,
                                          (random() & 1) != 0 ? p.foreground : p.background,
                                          (random() & 1) != 0 ? p.background : 0xFFFFFFFFu};
              const scalar::CELL mapped = scalar::map_cell(samples.data(), made.words.data(), around.view(),
                                                           p, previous, round % 64, round / 2);
              ASSERT_LT(mapped.glyph, glyph_total);
              ASSERT_EQ(mapped.foreground >> 24, 255u);
              ASSERT_EQ(mapped.background >> 24, 255u);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::light_test
