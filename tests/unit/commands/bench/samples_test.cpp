#include "commands/bench/samples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace glyphreel::commands::samples_test {
namespace {

using Samples = std::vector<double>;

/// Returns `count` samples around `mean` with a standard deviation of `spread`.
Samples noisy(double mean, double spread, int count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> distribution(mean, spread);
  Samples samples;
  for (int i = 0; i < count; ++i) samples.push_back(distribution(random));
  return samples;
}

TEST(Samples, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median(Samples{}), 0);
  EXPECT_EQ(median(Samples{3, 1, 2}), 2);
  EXPECT_EQ(median(Samples{4, 1, 2, 3}), 2.5);
}

TEST(Samples, AggregatesDivideByOneLessThanTheCount) {
  const Aggregates all = aggregates(Samples{2, 4, 4, 4, 5, 5, 7, 9});
  EXPECT_DOUBLE_EQ(all.mean, 5);
  EXPECT_DOUBLE_EQ(all.median, 4.5);
  EXPECT_DOUBLE_EQ(all.stddev, std::sqrt(32.0 / 7));
  EXPECT_DOUBLE_EQ(all.cv, std::sqrt(32.0 / 7) / 5);
  EXPECT_EQ(aggregates(Samples{3}).stddev, 0);
  EXPECT_EQ(aggregates(Samples{}).mean, 0);
}

// The example in SciPy's documentation of mannwhitneyu: ages of men and women at the diagnosis of diabetes.
TEST(UTest, ExactProbabilityOfPublishedExample) {
  const UTest test = u_test(Samples{19, 22, 16, 29, 24}, Samples{20, 11, 17, 12});
  EXPECT_EQ(test.u, 17);
  EXPECT_NEAR(test.p, 0.1111111111, 1e-9);
}

// Critical values of the two-sided test at 0.05, from published tables: the largest U with p <= 0.05.
TEST(UTest, CriticalValuesOfTheTables) {
  struct Row {
    int n, m, critical;
  };
  for (const Row& row : {Row{5, 5, 2}, Row{8, 8, 13}, Row{9, 9, 17}, Row{10, 10, 23}, Row{15, 15, 64},
                         Row{20, 20, 127}, Row{6, 10, 11}}) {
    // All samples of `a` are below those of `b`, except that the order of `inversions` pairs is reversed.
    const auto p_of = [&](int inversions) {
      Samples a;
      Samples b;
      for (int j = 0; j < row.m; ++j) b.push_back(j);
      for (int i = 0; i < row.n; ++i) {
        const int above = std::min(inversions, row.m);
        inversions -= above;
        a.push_back(above - 0.5 - 0.001 * (row.n - i));
      }
      return u_test(a, b).p;
    };
    EXPECT_LE(p_of(row.critical), 0.05) << row.n << " and " << row.m;
    EXPECT_GT(p_of(row.critical + 1), 0.05) << row.n << " and " << row.m;
  }
}

// Computed by hand: the groups of equal values have 1, 3, 4, 3, 2 and 1 members, so the variance is
// 49/12 (15 - 114/182), and z is 15.5 / 7.661.
TEST(UTest, TiesUseTheNormalApproximation) {
  const UTest test = u_test(Samples{1, 2, 2, 3, 3, 3, 4}, Samples{2, 3, 4, 4, 5, 5, 6});
  EXPECT_EQ(test.u, 8.5);
  EXPECT_NEAR(test.p, 0.0430514, 1e-6);
}

TEST(UTest, EqualSamplesDoNotDiffer) {
  EXPECT_EQ(u_test(Samples{1, 1, 1}, Samples{1, 1, 1}).p, 1);
  EXPECT_EQ(u_test(Samples{}, Samples{1}).p, 1);
}

TEST(UTest, IsSymmetric) {
  const Samples a = noisy(10, 1, 12, 1);
  const Samples b = noisy(10.5, 1, 9, 2);
  EXPECT_DOUBLE_EQ(u_test(a, b).p, u_test(b, a).p);
  EXPECT_DOUBLE_EQ(u_test(a, b).u + u_test(b, a).u, 12 * 9);
}

// The example in SciPy's documentation of wilcoxon: Darwin's differences between self- and cross-fertilized
// plants.
TEST(SignedRank, ExactProbabilityOfPublishedExample) {
  EXPECT_NEAR(signed_rank_test(Samples{6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75}),
              0.041259765625, 1e-12);
}

// Critical values of the two-sided test at 0.05, from published tables: the largest rank sum with p <= 0.05.
TEST(SignedRank, CriticalValuesOfTheTables) {
  struct Row {
    int n, critical;
  };
  for (const Row& row : {Row{6, 0}, Row{8, 3}, Row{10, 8}, Row{15, 25}, Row{20, 52}, Row{25, 89}}) {
    const auto p_of = [&](int sum) {
      Samples differences;
      for (int rank = row.n; rank > 0; --rank) {  // negates ranks that add up to `sum`
        const bool is_negative = rank <= sum;
        if (is_negative) sum -= rank;
        differences.push_back(is_negative ? -rank : rank);
      }
      return signed_rank_test(differences);
    };
    EXPECT_LE(p_of(row.critical), 0.05) << row.n;
    EXPECT_GT(p_of(row.critical + 1), 0.05) << row.n;
  }
}

// Computed by hand: the ranks are 1.5, 1.5, 3, 4.5, 4.5 and 6. The positive difference has the rank
// sum 1.5, the variance is 22.75 - 12/48, and z is 8.5 / 4.74342.
TEST(SignedRank, TiesUseTheNormalApproximation) {
  EXPECT_NEAR(signed_rank_test(Samples{-1, 1, 0, -2, -3, -3, -4}), 0.0731398, 1e-6);
}

TEST(SignedRank, NoDifferences) {
  EXPECT_EQ(signed_rank_test(Samples{}), 1);
  EXPECT_EQ(signed_rank_test(Samples{0, 0}), 1);
  EXPECT_EQ(signed_rank_test(Samples{1, -1}), 1);
}

// The expected values are from R's p.adjust, with the method "holm".
TEST(HolmAdjusted, PublishedProcedure) {
  const Samples adjusted = holm_adjusted(Samples{0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(adjusted[0], 0.03, 1e-12);
  EXPECT_NEAR(adjusted[1], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[2], 0.06, 1e-12);
  EXPECT_NEAR(adjusted[3], 0.02, 1e-12);
  EXPECT_TRUE(holm_adjusted({}).empty());
}

TEST(BootstrapChange, CoversTheTrueChange) {
  int covered = 0;
  for (unsigned run = 0; run < 20; ++run) {
    const ChangeInterval interval =
        bootstrap_change(noisy(10, 0.2, 15, 2 * run), noisy(10.3, 0.2, 15, 2 * run + 1));
    EXPECT_LT(interval.low, interval.high);
    covered += interval.low <= 0.03 && 0.03 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 15);  // 95 % intervals contain the true change in 19 of 20 runs on average
}

TEST(BootstrapChange, IsRepeatable) {
  const Samples a = noisy(10, 1, 9, 5);
  const Samples b = noisy(12, 1, 9, 6);
  EXPECT_EQ(bootstrap_change(a, b).low, bootstrap_change(a, b).low);
  EXPECT_GT(bootstrap_change(a, b).low, 0);
}

}  // namespace
}  // namespace glyphreel::commands::samples_test
