#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include "map_subjects.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_measures.h"
#include "tables/perceived_cells.h"

namespace glyphreel::mapping::fit_test {
namespace {

namespace scalar = shared::scalar;

constexpr int All = 1 << shared::PerceptualLog2;

/// The inputs of the color fit for one channel of a cell and one glyph. In the formulas of
/// fit.glsl, `glyph.contrast` is 8 zz, `total` is T, and `inked` is P.
struct Problem {
  scalar::PerceivedGlyph glyph{};
  int total = 0, inked = 0;

  [[nodiscard]] double contrast() const { return glyph.contrast / 8.0; }
  [[nodiscard]] double covariance() const { return inked - static_cast<double>(glyph.a) * total / All; }
  /// Returns D of fit.glsl: the perceived sum of the glyph drawn in these colors, minus the perceived sum T
  /// of the samples.
  [[nodiscard]] double missed(double foreground, double background) const {
    return foreground * glyph.a + background * (All - glyph.a) - total;
  }
  /// Returns the error of these colors minus that of the mean color, by the formula at the top of fit.glsl.
  [[nodiscard]] double error(double foreground, double background) const {
    const double apart = foreground - background;
    return contrast() * apart * apart - 2 * apart * covariance() +
           missed(foreground, background) * missed(foreground, background) / All;
  }
};

/// Returns the largest contrast that a glyph with the perceived coverage `a` can have. The contrast is 8
/// times the glyph's perceived variance, which never exceeds (a - a^2 / All).
int most_contrast(int a) {
  return static_cast<int>(8 * (a - static_cast<double>(a) * a / All));
}

/// Returns a problem with random samples. Each sample has a random perceptual weight, and the glyph covers a
/// random part of that weight.
Problem draw(std::mt19937& random) {
  const auto below = [&random](int bound) {
    return static_cast<int>(random() % static_cast<unsigned>(bound));
  };
  const int n = below(8) < 6 ? 32 : 1 + below(32);
  std::vector<int> ends{0, All};
  for (int i = 1; i < n; ++i) ends.push_back(below(All + 1));
  std::sort(ends.begin(), ends.end());
  const int kind = below(6);
  const int look = below(5);
  const int level = below(256);
  const int one = below(256);
  const int two = below(256);
  Problem problem;
  double square = 0;
  for (int i = 0; i < n; ++i) {
    const int all = ends[static_cast<std::size_t>(i) + 1] - ends[static_cast<std::size_t>(i)];
    int seen = below(all + 1);
    if (kind == 1) seen = below(256) < level ? all : 0;
    if (kind == 2) seen = all * level / 255;
    if (kind == 3) seen = i == n / 2 ? all * 31 / 32 : all;  // hardly any background
    if (kind == 4) seen = i == n / 2 ? all / 32 : 0;         // hardly any foreground
    int t = below(256);
    if (look == 1) t = below(2) * 255;
    if (look == 2) t = 2 * seen > all ? one : two;
    if (look == 3 && all > 0) t = (one * seen + two * (all - seen)) / all;
    if (look == 4) t = one;
    problem.glyph.a += seen;
    problem.total += all * t;
    problem.inked += seen * t;
    square += static_cast<double>(all) * t * t;
  }
  // By Cauchy-Schwarz, (covariance^2 / contrast) cannot exceed the samples' variance, so the contrast has a
  // lower bound. The contrast is also at least 16: the tables store a lower contrast as 0.
  const double variance = square - static_cast<double>(problem.total) * problem.total / All;
  const double c = problem.covariance();
  const int most = most_contrast(problem.glyph.a);
  const int least = std::max(16, variance > 0 ? static_cast<int>(std::ceil(8 * c * c / variance)) : 0);
  if (most >= least) {
    const int room = most - least + 1;
    const int contrast_kind = below(4);
    problem.glyph.contrast =
        contrast_kind == 0 ? most : least + below(contrast_kind == 1 ? std::min(room, 64) : room);
  }
  return problem;
}

/// The colors that least squares yields without limiting them to 0 to 255.
struct Line {
  double foreground, background;
};
Line least_squares(const Problem& problem) {
  const double slope = problem.glyph.contrast > 0 ? problem.covariance() / problem.contrast() : 0;
  const double background = (problem.total - slope * problem.glyph.a) / All;
  return {background + slope, background};
}

bool outside(double code) {
  return code < 0 || code > 255;
}

scalar::ChannelFit fit_of(const Problem& problem) {
  return scalar::fit_channel(problem.glyph, std::max(problem.glyph.contrast, 1), problem.total,
                             problem.inked);
}

bool in_range(const scalar::ChannelFit& fit) {
  return fit.foreground >= 0 && fit.foreground <= 255 && fit.background >= 0 && fit.background <= 255;
}

// fit_channel() rounds twice: first the slope and the background to multiples of 1/256, and then both colors
// to integers. Each color therefore deviates by at most (1/2 + 1/256) from the best one.
constexpr double CodeRounding = 0.5 + 1.0 / 256;

/// Returns the largest possible increase of the error if both colors deviate from the best ones by at most
/// CodeRounding.
double rounding_error(const Problem& problem) {
  return problem.contrast() * 4 * CodeRounding * CodeRounding + All * CodeRounding * CodeRounding;
}

TEST(FitChannel, MatchesLeastSquaresInDoubles) {
  std::mt19937 random(11);
  int inside = 0;
  int uneven = 0;
  for (int round = 0; round < 400000; ++round) {
    const Problem problem = draw(random);
    const scalar::ChannelFit fit = fit_of(problem);
    ASSERT_TRUE(in_range(fit)) << round;
    const auto [foreground, background] = least_squares(problem);
    if (outside(foreground) || outside(background)) continue;
    ++inside;
    uneven += std::abs(foreground - background) > 16;
    ASSERT_NEAR(fit.foreground, foreground, CodeRounding) << round;
    ASSERT_NEAR(fit.background, background, CodeRounding) << round;
    ASSERT_LE(problem.error(fit.foreground, fit.background),
              problem.error(foreground, background) + rounding_error(problem))
        << "round " << round << ": foreground " << fit.foreground << " background " << fit.background
        << ", doubles " << foreground << ' ' << background;
  }
  EXPECT_GT(inside, 100000);
  EXPECT_GT(uneven, 50000);
}

/// When one color is clipped, the other compensates to preserve the cell's mean.
TEST(FitChannel, PreservesMeanWhenOneColorIsClipped) {
  std::mt19937 random(14);
  int clipped = 0;
  int both_clipped = 0;
  for (int round = 0; round < 400000; ++round) {
    const Problem problem = draw(random);
    const auto [foreground, background] = least_squares(problem);
    // A value that is up to half a code beyond a bound is rounded to that bound, so it counts as in range.
    const bool foreground_out = foreground < -0.6 || foreground > 255.6;
    const bool background_out = background < -0.6 || background > 255.6;
    if (!foreground_out && !background_out) continue;
    const scalar::ChannelFit fit = fit_of(problem);
    const int uncovered = All - problem.glyph.a;
    const double lost = std::abs(problem.missed(fit.foreground, fit.background));
    if (foreground_out && background_out) {
      // The foreground is at its bound. The background preserves the mean, unless it is at a bound too.
      ++both_clipped;
      // fit_channel() limits the difference between the two colors to 2048 codes. If the unlimited difference
      // is larger, the limited foreground may be in range.
      if (std::abs(foreground - background) >= 2000) continue;
      ASSERT_TRUE(fit.foreground == (foreground < 0 ? 0 : 255)) << round;
      ASSERT_TRUE(2 * lost <= uncovered || fit.background == 0 || fit.background == 255) << round;
      continue;
    }
    if (outside(foreground) && outside(background)) continue;
    ++clipped;
    ASSERT_TRUE(foreground_out ? fit.foreground == (foreground < 0 ? 0 : 255)
                               : fit.background == (background < 0 ? 0 : 255))
        << round;
    // Rounding changes the color that is not clipped by up to half a code. This changes the perceived sum by
    // up to half of the coverage that has this color.
    ASSERT_LE(2 * lost, foreground_out ? uncovered : problem.glyph.a)
        << "round " << round << ": foreground " << fit.foreground << " background " << fit.background
        << ", doubles " << foreground << ' ' << background;
    // Clipping moves both colors from the best ones toward the mean color. Without the rounding, their error
    // therefore cannot exceed the error of the mean color.
    const double mean = static_cast<double>(problem.total) / All;
    const double exact =
        foreground_out ? (problem.total - fit.foreground * static_cast<double>(problem.glyph.a)) / uncovered
                       : (problem.total - fit.background * static_cast<double>(uncovered)) / problem.glyph.a;
    const double no_rounding =
        foreground_out ? problem.error(fit.foreground, exact) : problem.error(exact, fit.background);
    ASSERT_LE(no_rounding, 1e-6) << round << ", mean " << mean;
  }
  EXPECT_GT(clipped, 10000);
  EXPECT_GT(both_clipped, 500);
}

/// Returns how far rounding may change ChannelFit::error. The shifts of `covariance` and of `missed` in
/// fit_channel() each round down by up to 1.
double error_rounding(const Problem& problem, const scalar::ChannelFit& fit) {
  return 2.0 * std::abs(fit.foreground - fit.background) +
         2 * std::abs(problem.missed(fit.foreground, fit.background)) / 16 + 1;
}

TEST(FitChannel, ErrorMatchesColors) {
  std::mt19937 random(15);
  for (int round = 0; round < 400000; ++round) {
    const Problem problem = draw(random);
    const scalar::ChannelFit fit = fit_of(problem);
    ASSERT_NEAR(fit.error, 8 * problem.error(fit.foreground, fit.background), error_rounding(problem, fit))
        << round;
  }
}

/// Tests all corners of the input range. If a number exceeded 31 bits, the fit's error would be wrong. If the
/// colors and the error happened to be right despite an overflow, only sanitizer builds would detect it.
TEST(FitChannel, NeverOverflows) {
  std::mt19937 random(16);
  std::vector<int> shares{0, 1, 2, 31, 1023, 1024, 1025, 2016, 2046, 2047, 2048};
  for (int i = 0; i < 60; ++i) shares.push_back(static_cast<int>(random() % (All + 1)));
  double largest = 0;
  for (const int a : shares) {
    for (int level = 0; level <= 255; level += level == 0 || level == 254 ? 1 : 23) {
      for (const int more : {-1, 0, 1}) {
        const int total = std::clamp(level * All + more, 0, 255 * All);
        const int least = std::max(0, total - 255 * (All - a));
        const int most = std::min(255 * a, total);
        for (int step = 0; step <= 8; ++step) {
          const int inked = least + static_cast<int>((static_cast<std::int64_t>(most) - least) * step / 8);
          // `a` is a sum of rounded table bytes, so a glyph's contrast may slightly exceed most_contrast(a).
          const int contrasts = most_contrast(a) + 256;
          for (const int contrast : {0, 1, 2, 16, 100, 1000, contrasts}) {
            const Problem problem{{a, contrast}, total, inked};
            const scalar::ChannelFit fit = fit_of(problem);
            ASSERT_TRUE(in_range(fit));
            const double exact = 8 * problem.error(fit.foreground, fit.background);
            largest = std::max(largest, std::abs(exact));
            ASSERT_NEAR(fit.error, exact, error_rounding(problem, fit))
                << "a " << a << " contrast " << contrast << " total " << total << " inked " << inked;
          }
        }
      }
    }
  }
  EXPECT_GT(largest, 1 << 29) << "the corners must reach extreme values";
}

TEST(FitChannel, EvenGlyphsUseMeanForBothColors) {
  for (int total = 0; total <= 255 * All; total += 97) {
    for (const int a : {0, 1, 700, 1024, 2047, 2048}) {
      const scalar::ChannelFit fit =
          fit_of({{a, 0}, total, static_cast<int>(static_cast<std::int64_t>(total) * a / All)});
      ASSERT_EQ(fit.foreground, fit.background);
      ASSERT_NEAR(fit.foreground, static_cast<double>(total) / All, CodeRounding);
    }
  }
}

/// A glyph set, and the blur K of fit.glsl for each pair of a cell's pixels.
struct Seen {
  const text::GlyphSet& set;
  CellSize cell = set.cell();
  GridSize samples = samples_per_cell(cell, Sampling::Area);
  PerceivedByEyes eyes{cell, samples};
};

/// The perceived error of one channel's colors (fit.glsl), computed from all pairs of the cell's pixels
/// instead of the glyph tables.
struct RealChannel {
  double error;      ///< the error of these colors, minus the error of the mean color
  double tolerance;  ///< how far rounding in the tables and in integer arithmetic may change `error`
};
RealChannel real_channel(const Seen& seen, const shared::MapParameters& p, int glyph,
                         const std::vector<double>& samples, double foreground, double background) {
  const std::vector<double> mask = mask_of(seen.set, glyph);
  const std::vector<double> pixels = seen.eyes.to_pixels(samples);
  const std::vector<double> ones(seen.eyes.pixels(), 1.0);
  const double mean = seen.eyes.product(pixels, ones);
  std::vector<double> left(pixels.size());
  std::vector<double> left_by_mean(pixels.size());
  for (std::size_t x = 0; x < pixels.size(); ++x) {
    left[x] = foreground * mask[x] + background * (1 - mask[x]) - pixels[x];
    left_by_mean[x] = mean - pixels[x];
  }
  RealChannel real{};
  real.error = All * (seen.eyes.product(left, left) - seen.eyes.product(left_by_mean, left_by_mean));

  // The unit of a table byte is `unit`. Rounding a number to this unit adds an error with a variance of 1/12.
  // A sample's byte for a fully covered cell is the difference of two rounded numbers, so its error has a
  // variance of 2/12. A glyph's byte is the covered share of the sample's byte, rounded again, so its error
  // has a variance of at most 3/12. `a_off`, `total_off` and `covariance_off` are six standard deviations of
  // sums of these errors. In T and c (fit.glsl), the bytes are multiplied by samples, and the errors cancel
  // if all samples are equal. `total_off` and `covariance_off` therefore depend on the samples' distances
  // from their mean.
  const double unit = 1 << p.fit.weight_shift;
  double square = 0;
  for (const double t : samples) square += (t - mean) * (t - mean);
  const double n = static_cast<double>(samples.size());
  const double a = All * seen.eyes.product(mask, ones);
  const double a_off = 6 * unit * std::sqrt(n / 4);
  const double total_off = 6 * unit * std::sqrt(square / 6);
  const double covariance_off = 6 * unit * std::sqrt(square / 4) + a / All * total_off;
  const double contrast_off = (2 * a + a_off) * a_off / All + 1.0 / 16;
  const double apart = std::abs(foreground - background);
  const double missed = std::abs(foreground * a + background * (All - a) - All * mean);
  const double missed_off = apart * a_off + total_off;
  real.tolerance = contrast_off * apart * apart + 2 * apart * covariance_off +
                   (2 * missed + missed_off) * missed_off / All +
                   (2 * apart + (missed + missed_off) / 8 + 1) / 8;
  return real;
}

TEST(FitColors, ErrorMatchesPerceivedPixels) {
  std::mt19937 random(17);
  for (const CellSize cell : {CellSize{8, 16}, {5, 7}, {3, 5}, {10, 21}}) {
    const auto set = glyphs(ascii(), cell);
    const GlyphTables made = tables(*set, {});
    const shared::MapParameters& p = made.parameters;
    const shared::AnalysisView none;
    const Seen seen{*set};
    double allowed = 0;
    double off = 0;
    for (int round = 0; round < 200; ++round) {
      const auto glyph = static_cast<int>(random() % static_cast<unsigned>(set->size()));
      std::vector<std::uint32_t> samples(p.sample_count);
      const auto drawn = sample_masks(*set, seen.samples, [] {
        MaskCurve coverage{};
        for (std::size_t i = 0; i < coverage.size(); ++i) coverage[i] = static_cast<double>(i);
        return coverage;
      }())[static_cast<std::size_t>(random() % static_cast<unsigned>(set->size()))];
      const auto foreground = 0xFF000000u | static_cast<std::uint32_t>(random());
      const auto background = 0xFF000000u | static_cast<std::uint32_t>(random());
      for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = round % 2 == 0
                         ? static_cast<std::uint32_t>(random())
                         : scalar::blend(foreground, background, static_cast<std::uint32_t>(drawn[i]));
      }
      const scalar::CellSamples loaded = scalar::load_samples(samples.data(), made.words.data(), none, p);
      const scalar::Moments m = scalar::measure(samples.data(), made.words.data(), none, p, loaded);
      const scalar::ColorFit fit =
          scalar::fit_colors(samples.data(), made.words.data(), none, p, loaded, m, glyph);
      const auto channel = [&](int shift, int fg, int bg) {
        std::vector<double> codes;
        for (const std::uint32_t sample : samples) codes.push_back((sample >> shift) & 255);
        return real_channel(seen, p, glyph, codes, fg, bg);
      };
      const RealChannel r = channel(16, fit.fg_r, fit.bg_r);
      const RealChannel g = channel(8, fit.fg_g, fit.bg_g);
      const RealChannel b = channel(0, fit.fg_b, fit.bg_b);
      // fit_perceived() weights the channels by shifts of 2, 1 and 3 bits. Each shift rounds down.
      const double exact = 2 * r.error + 4 * g.error + b.error;
      const double tolerance = 2 * r.tolerance + 4 * g.tolerance + b.tolerance + 3;
      ASSERT_NEAR(fit.error, exact, tolerance)
          << set->utf8(glyph) << " round " << round << " of " << cell.width << 'x' << cell.height;
      allowed += tolerance * tolerance / (6 * 6);
      off += (fit.error - exact) * (fit.error - exact);
    }
    // Each tolerance is six standard deviations, as real_channel() explains. The rms error of all rounds must
    // be less than the rms of these standard deviations.
    EXPECT_LT(std::sqrt(off), std::sqrt(allowed)) << cell.width << 'x' << cell.height;
  }
}

/// fit_wide() returns how much more error the cells have in one common pair of colors than in each cell's own
/// mean color, averaged over the two cells. This number must match the one computed from the cells' pixels.
TEST(FitWide, ErrorMatchesPerceivedCellPair) {
  std::mt19937 random(18);
  const auto set = glyphs("x \u2648\u264F\u2614\u26A1");
  const GlyphTables made = tables(*set, {});
  const shared::MapParameters& p = made.parameters;
  const std::uint32_t* words = made.words.data();
  const shared::AnalysisView none;
  const Seen seen{*set};
  for (int round = 0; round < 300; ++round) {
    const auto character = static_cast<int>(random() % p.forms.wide_count);
    const int glyph = static_cast<int>(p.forms.wide_from) + 2 * character;
    std::vector<std::uint32_t> samples[2];
    for (auto& half : samples) {
      const auto shade = static_cast<std::uint32_t>(random());
      for (std::uint32_t i = 0; i < p.sample_count; ++i) {
        const auto noise = static_cast<std::uint32_t>(random());
        half.push_back(round % 3 == 0 ? noise : round % 3 == 1 ? shade : shade ^ (noise & 0x1F1F1F));
      }
    }
    const scalar::CellSamples left = scalar::load_samples(samples[0].data(), words, none, p);
    const scalar::CellSamples right = scalar::load_samples(samples[1].data(), words, none, p);
    const scalar::Joint joint =
        scalar::join(p, left, right, scalar::sample_sums(left, p), scalar::sample_sums(right, p),
                     scalar::full_sums(samples[0].data(), words, none, p, left),
                     scalar::full_sums(samples[1].data(), words, none, p, right));
    const scalar::ColorFit fit = scalar::fit_wide(samples[0].data(), words, none, p, joint, glyph);
    double exact = 0;
    double tolerance = 6;  // the shifts in fit_perceived() and in Joint::apart round down
    const auto add_channel = [&](int shift, int fg, int bg, double weight) {
      double totals[2] = {};
      for (int half = 0; half < 2; ++half) {
        std::vector<double> codes;
        for (const std::uint32_t sample : samples[half]) codes.push_back((sample >> shift) & 255);
        const RealChannel real = real_channel(seen, p, glyph + half, codes, fg, bg);
        exact += weight * real.error / 2;
        tolerance += weight * real.tolerance / 2;
        const std::vector<double> ones(seen.eyes.pixels(), 1.0);
        totals[half] = All * seen.eyes.product(seen.eyes.to_pixels(codes), ones);
      }
      const double apart = std::abs(totals[0] - totals[1]);
      // Allows for rounding down. average_weighted() reduces each sum by up to 1/2. error_apart() shifts the
      // difference between the cells' sums right by 4 bits, and the square of that difference by 2 bits.
      tolerance += weight * (2 * std::abs(fg - bg) + apart / (16 * 2 * 8) + 2);
    };
    add_channel(16, fit.fg_r, fit.bg_r, 2);
    add_channel(8, fit.fg_g, fit.bg_g, 4);
    add_channel(0, fit.fg_b, fit.bg_b, 1);
    ASSERT_NEAR(fit.error, exact, tolerance) << "round " << round << " glyph " << glyph;
  }
}

}  // namespace
}  // namespace glyphreel::mapping::fit_test
