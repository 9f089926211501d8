#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "mapping/shared_scalar.h"

namespace glyphreel::mapping {
namespace {

namespace scalar = shared::scalar;

/// A cell's samples of one channel, and how a glyph covers them (0 to 32).
struct Problem {
  std::vector<int> coverage, target;
};

struct Sums {
  scalar::GlyphSums glyph{};
  int n = 0, t = 0, tt = 0, at = 0, bt = 0;
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
    s.bt += (32 - a) * t;
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

double best_paper(const Sums& s, double ink) {
  return s.glyph.bb == 0 ? 0 : std::clamp((32.0 * s.bt - ink * s.glyph.ab) / s.glyph.bb, 0.0, 255.0);
}
double best_ink(const Sums& s, double paper) {
  return s.glyph.aa == 0 ? 0 : std::clamp((32.0 * s.at - paper * s.glyph.ab) / s.glyph.aa, 0.0, 255.0);
}

Problem draw(std::mt19937& random) {
  Problem problem;
  const std::size_t n = random() % 4 == 0 ? 1 + random() % 32 : 32;
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

TEST(FitChannel, AsGoodAsLeastSquaresInDoubles) {
  std::mt19937 random(11);
  int inside = 0;
  int clamped = 0;
  int both_out = 0;
  for (int round = 0; round < 200000; ++round) {
    const Problem problem = draw(random);
    const Sums s = sums_of(problem);
    const shared::MapParameters p{.sample_count = static_cast<std::uint32_t>(s.n)};
    const scalar::ChannelFit fit = scalar::fit_channel(s.glyph, p, s.t, s.tt, s.at);
    ASSERT_TRUE(fit.ink >= 0 && fit.ink <= 255 && fit.paper >= 0 && fit.paper <= 255);

    const double slope =
        s.glyph.variance > 0
            ? (static_cast<double>(s.n) * s.at - static_cast<double>(s.glyph.a) * s.t) / s.glyph.variance
            : 0;
    const double paper = (s.t - slope * s.glyph.a) / s.n;
    const double ink = paper + 32 * slope;
    const bool ink_out = ink < 0 || ink > 255;
    const bool paper_out = paper < 0 || paper > 255;
    double best = 0;
    if (!ink_out && !paper_out) {
      best = objective(problem, ink, paper);
      ++inside;
    } else if (ink_out && paper_out) {
      // Documented: the ink is fixed first, and the other order is not searched.
      const double bound = std::clamp(ink, 0.0, 255.0);
      best = objective(problem, bound, best_paper(s, bound));
      ++both_out;
    } else {
      // With one bound crossed, the best pair lies on that bound (the objective is convex).
      best = std::numeric_limits<double>::max();
      for (const double bound : {0.0, 255.0}) {
        best = std::min({best, objective(problem, bound, best_paper(s, bound)),
                         objective(problem, best_ink(s, bound), bound)});
      }
      ++clamped;
    }
    // Both colours are rounded to whole codes (1/2) after steps of 1/16 (ink) and 1/512 + 1/16 (paper), so
    // that every sample shows at most 0.57 codes beside the best, and the objective is quadratic around it.
    const double tolerance = s.n * (0.57 * 32) * (0.57 * 32);
    ASSERT_LE(objective(problem, fit.ink, fit.paper), best + tolerance)
        << "round " << round << ": ink " << fit.ink << " paper " << fit.paper << ", doubles " << ink << ' '
        << paper;
  }
  EXPECT_GT(inside, 10000);
  EXPECT_GT(clamped, 10000);
  EXPECT_GT(both_out, 500);
}

TEST(FitInk, IsTheBestInkOnAGivenPaper) {
  std::mt19937 random(12);
  for (int round = 0; round < 100000; ++round) {
    const Problem problem = draw(random);
    const Sums s = sums_of(problem);
    const int paper = static_cast<int>(random() & 255);
    const scalar::ChannelFit fit = scalar::fit_ink(s.glyph, paper, s.t, s.tt, s.at);
    ASSERT_EQ(fit.paper, paper);
    const double chosen = objective(problem, fit.ink, paper);
    if (fit.ink > 0) {
      ASSERT_LE(chosen, objective(problem, fit.ink - 1, paper));
    }
    if (fit.ink < 255) {
      ASSERT_LE(chosen, objective(problem, fit.ink + 1, paper));
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
    ASSERT_EQ(scalar::channel_error(s.glyph, ink, paper, s.at, s.bt, s.tt), exact);
  };
  for (int round = 0; round < 200000; ++round) {
    expect(draw(random), static_cast<int>(random() & 255), static_cast<int>(random() & 255));
  }
  // The greatest error that there is: 32 samples, each wrong by 255.
  for (const int coverage : {0, 32}) {
    const Problem worst{std::vector<int>(32, coverage), std::vector<int>(32, 255)};
    expect(worst, 0, 0);
    const Problem inverse{std::vector<int>(32, coverage), std::vector<int>(32, 0)};
    expect(inverse, 255, 255);
  }
}

}  // namespace
}  // namespace glyphreel::mapping
