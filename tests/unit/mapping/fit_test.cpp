#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "mapping/shared_scalar.h"

namespace glyphreel::mapping {
namespace {

namespace scalar = shared::scalar;

/// A cell's or a pair of cells' samples of one channel, and how a glyph covers them (0 to 32).
struct Problem {
  std::vector<int> coverage, target;
};

struct Sums {
  scalar::GlyphSums glyph{};
  int n = 0, t = 0, tt = 0, at = 0;
};

Sums sums_of(const Problem& problem) {
  Sums s;
  s.n = static_cast<int>(problem.coverage.size());
  for (std::size_t i = 0; i < problem.coverage.size(); ++i) {
    const int a = problem.coverage[i];
    const int t = problem.target[i];
    s.glyph.a += a;
    s.glyph.aa += a * a;
    s.glyph.ab += a * (32 - a);
    s.glyph.bb += (32 - a) * (32 - a);
    s.t += t;
    s.tt += t * t;
    s.at += a * t;
  }
  s.glyph.variance = s.n * s.glyph.aa - s.glyph.a * s.glyph.a;
  return s;
}

/// What is minimised, sample by sample, in units of 1/1024.
double objective(const Problem& problem, double ink, double paper) {
  double sum = 0;
  for (std::size_t i = 0; i < problem.coverage.size(); ++i) {
    const double shown = ink * problem.coverage[i] + paper * (32 - problem.coverage[i]);
    sum += (shown - 32.0 * problem.target[i]) * (shown - 32.0 * problem.target[i]);
  }
  return sum;
}

Problem draw(std::mt19937& random) {
  Problem problem;
  const auto size = random() % 8;
  const std::size_t n = size < 2 ? 1 + random() % 64 : size < 5 ? 64 : 32;
  const auto kind = random() % 6;
  const int level = static_cast<int>(random() % 33);
  for (std::size_t i = 0; i < n; ++i) {
    int a = static_cast<int>(random() % 33);
    if (kind == 1) a = a < level ? 0 : 32;
    if (kind == 2) a = level;
    if (kind == 3) a = i == n / 2 ? 31 : 32;  // hardly any paper
    if (kind == 4) a = i == n / 2 ? 1 : 0;    // hardly any ink
    problem.coverage.push_back(a);
  }
  const auto look = random() % 5;
  const int one = static_cast<int>(random() & 255);
  const int two = static_cast<int>(random() & 255);
  for (std::size_t i = 0; i < n; ++i) {
    int t = static_cast<int>(random() & 255);
    if (look == 1) t = random() % 2 == 0 ? 0 : 255;
    if (look == 2) t = problem.coverage[i] > 16 ? one : two;
    if (look == 3) t = (one * problem.coverage[i] + two * (32 - problem.coverage[i])) / 32;
    if (look == 4) t = one;
    problem.target.push_back(t);
  }
  return problem;
}

/// The best of all lines, without bounds.
struct Line {
  double ink, paper;
};
Line least_squares(const Sums& s) {
  const double slope =
      s.glyph.variance > 0
          ? (static_cast<double>(s.n) * s.at - static_cast<double>(s.glyph.a) * s.t) / s.glyph.variance
          : 0;
  const double paper = (s.t - slope * s.glyph.a) / s.n;
  return {paper + 32 * slope, paper};
}

bool outside(double code) {
  return code < 0 || code > 255;
}

TEST(FitChannel, AsGoodAsLeastSquaresInDoubles) {
  std::mt19937 random(11);
  int inside = 0;
  for (int round = 0; round < 200000; ++round) {
    const Problem problem = draw(random);
    const Sums s = sums_of(problem);
    const shared::MapParameters p{.sample_count = static_cast<std::uint32_t>(s.n)};
    const scalar::ChannelFit fit = scalar::fit_channel(s.glyph, p, s.t, s.tt, s.at);
    ASSERT_TRUE(fit.ink >= 0 && fit.ink <= 255 && fit.paper >= 0 && fit.paper <= 255);
    const auto [ink, paper] = least_squares(s);
    if (outside(ink) || outside(paper)) continue;
    ++inside;
    // Both colours are rounded to whole codes (1/2) after steps of 1/16 (ink) and 1/512 + 1/16 (paper), so
    // that every sample shows at most 0.57 codes beside the best, and the objective is quadratic around it.
    const double tolerance = s.n * (0.57 * 32) * (0.57 * 32);
    ASSERT_LE(objective(problem, fit.ink, fit.paper), objective(problem, ink, paper) + tolerance)
        << "round " << round << ": ink " << fit.ink << " paper " << fit.paper << ", doubles " << ink << ' '
        << paper;
  }
  EXPECT_GT(inside, 10000);
}

/// Where one colour cannot be what least squares asks for, the other makes up for it in the mean of the cell.
TEST(FitChannel, KeepsTheMeanWhereOneColorIsClipped) {
  std::mt19937 random(14);
  int clipped = 0;
  int both_clipped = 0;
  for (int round = 0; round < 400000; ++round) {
    const Problem problem = draw(random);
    const Sums s = sums_of(problem);
    const shared::MapParameters p{.sample_count = static_cast<std::uint32_t>(s.n)};
    const auto [ink, paper] = least_squares(s);
    // What lies half a code value beyond a bound or less may be rounded to it.
    const bool ink_out = ink < -0.6 || ink > 255.6;
    const bool paper_out = paper < -0.6 || paper > 255.6;
    if (!ink_out && !paper_out) continue;
    const scalar::ChannelFit fit = scalar::fit_channel(s.glyph, p, s.t, s.tt, s.at);
    const int uncovered = 32 * s.n - s.glyph.a;
    const int lost = std::abs(fit.ink * s.glyph.a + fit.paper * uncovered - 32 * s.t);
    if (ink_out && paper_out) {
      // One of the two stands at its bound, and the other is what the mean asks for, or at its own bound.
      ++both_clipped;
      ASSERT_TRUE(fit.ink == (ink < 0 ? 0 : 255)) << round;
      ASSERT_TRUE(lost <= uncovered / 2 + 1 || fit.paper == 0 || fit.paper == 255) << round;
      continue;
    }
    if (outside(ink) && outside(paper)) continue;
    ++clipped;
    ASSERT_TRUE(ink_out ? fit.ink == (ink < 0 ? 0 : 255) : fit.paper == (paper < 0 ? 0 : 255)) << round;
    // The other colour is rounded to a whole code value: half of one on all that it covers.
    ASSERT_LE(lost, (ink_out ? uncovered : s.glyph.a) / 2 + 1)
        << "round " << round << ": ink " << fit.ink << " paper " << fit.paper << ", doubles " << ink << ' '
        << paper;
    // Nearer to the samples than no glyph at all, but for that rounding.
    const double mean = static_cast<double>(s.t) / s.n;
    ASSERT_LE(std::sqrt(objective(problem, fit.ink, fit.paper)),
              std::sqrt(objective(problem, mean, mean)) + 0.57 * 32 * std::sqrt(s.n))
        << "round " << round;
  }
  EXPECT_GT(clipped, 10000);
  EXPECT_GT(both_clipped, 500);
}

TEST(FitChannel, ItsErrorIsThatOfItsColors) {
  std::mt19937 random(15);
  for (int round = 0; round < 100000; ++round) {
    const Problem problem = draw(random);
    const Sums s = sums_of(problem);
    const shared::MapParameters p{.sample_count = static_cast<std::uint32_t>(s.n)};
    const scalar::ChannelFit fit = scalar::fit_channel(s.glyph, p, s.t, s.tt, s.at);
    ASSERT_EQ(static_cast<double>(fit.error), objective(problem, fit.ink, fit.paper)) << round;
  }
}

/// Against the low-pass in doubles: 1 2 1 along both axes with the ends repeated.
TEST(SmoothSamples, IsTheLowPass) {
  std::mt19937 random(16);
  for (const auto& [across, down] : {std::pair{4, 8}, {1, 1}, {2, 3}, {3, 5}, {4, 1}, {1, 8}}) {
    const shared::MapParameters p{.sample_count = static_cast<std::uint32_t>(across * down),
                                  .samples_x = static_cast<std::uint32_t>(across)};
    for (int round = 0; round < 200; ++round) {
      std::vector<std::uint32_t> samples;
      for (int i = 0; i < across * down; ++i) {
        samples.push_back(round == 0 ? 0xFFFFFFFFu : static_cast<std::uint32_t>(random()));
      }
      const shared::AnalysisView none;
      const scalar::Smoothed smooth = scalar::smooth_samples(samples.data(), nullptr, none, p);
      int square = 0;
      for (int y = 0; y < down; ++y) {
        for (int x = 0; x < across; ++x) {
          for (const int shift : {0, 8, 16}) {
            double sum = 0;
            for (int dy = -1; dy <= 1; ++dy) {
              for (int dx = -1; dx <= 1; ++dx) {
                const int at = std::clamp(y + dy, 0, down - 1) * across + std::clamp(x + dx, 0, across - 1);
                sum += (2 - std::abs(dx)) * (2 - std::abs(dy)) *
                       static_cast<double>((samples[static_cast<std::size_t>(at)] >> shift) & 255);
              }
            }
            ASSERT_NEAR((smooth.word[y * across + x] >> shift) & 255, sum / 16, 0.5) << x << ',' << y;
          }
          const auto red = static_cast<int>((samples[static_cast<std::size_t>(y * across + x)] >> 16) & 255);
          square += red * red;
        }
      }
      ASSERT_EQ(smooth.square_r, square);
    }
  }
}

TEST(ChannelError, IsExact) {
  std::mt19937 random(13);
  const auto expect = [](const Problem& problem, int ink, int paper) {
    const Sums s = sums_of(problem);
    std::int64_t exact = 0;
    for (std::size_t i = 0; i < problem.coverage.size(); ++i) {
      const std::int64_t shown = ink * problem.coverage[i] + paper * (32 - problem.coverage[i]);
      exact += (shown - 32 * problem.target[i]) * (shown - 32 * problem.target[i]);
    }
    shared::MapParameters p{};
    p.sample_count = static_cast<std::uint32_t>(s.n);
    ASSERT_EQ(scalar::channel_error(s.glyph, p, ink, paper, s.t, s.tt, s.at), exact);
  };
  for (int round = 0; round < 200000; ++round) {
    expect(draw(random), static_cast<int>(random() & 255), static_cast<int>(random() & 255));
  }
  // The greatest error that there is: 64 samples, each wrong by 255.
  for (const int coverage : {0, 32}) {
    const Problem worst{std::vector<int>(64, coverage), std::vector<int>(64, 255)};
    expect(worst, 0, 0);
    const Problem inverse{std::vector<int>(64, coverage), std::vector<int>(64, 0)};
    expect(inverse, 255, 255);
  }
}

}  // namespace
}  // namespace glyphreel::mapping
