#pragma once

#include <span>
#include <vector>

namespace glyphreel::commands {

// Statistics of repeated measurements. All functions are pure.

/// Statistics of one benchmark over its repetitions, as Google Benchmark reports them.
struct Aggregates {
  double mean = 0, median = 0;
  double stddev = 0;  ///< sample standard deviation (divided by n - 1); 0 for one value
  double cv = 0;      ///< stddev / mean
};
/// Returns zeros if there are no samples.
[[nodiscard]] Aggregates aggregates(std::span<const double> samples);

/// Returns the middle value, or the mean of the two middle values; 0 if there are no samples.
[[nodiscard]] double median(std::span<const double> samples);

/// The two-sided Mann-Whitney U test.
struct UTest {
  double u = 0;  ///< number of pairs in which the sample of `a` is greater; a tie counts one half
  double p = 1;  ///< probability of a U at least this far from its mean if both distributions are equal
};
/// Tests whether `a` and `b` come from one distribution. `p` is exact for up to 25 samples per side without
/// ties. Otherwise, `p` is the normal approximation with corrections for ties and continuity (Mann and
/// Whitney 1947; Lehmann, Nonparametrics, 1975). `p` is 1 if `a` or `b` is empty.
[[nodiscard]] UTest u_test(std::span<const double> a, std::span<const double> b);

/// Returns the two-sided probability of Wilcoxon's signed-rank test: the probability that the positive
/// differences rank at least this far above or below the negative ones if both signs are equally likely. For
/// paired samples, this test takes the place of the U test. The probability is exact for up to 25 differences
/// without ties. Otherwise, it is the normal approximation with corrections for ties and continuity (Wilcoxon
/// 1945; Lehmann, Nonparametrics, 1975). Differences of 0 are ignored. Returns 1 if no difference is nonzero.
[[nodiscard]] double signed_rank_test(std::span<const double> differences);

/// Returns the probabilities adjusted for testing all of them at once (Holm 1979), in the same order.
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> probabilities);

/// A range of relative changes: 0.03 is 3 % more.
struct ChangeInterval {
  double low = 0, high = 0;
};
/// Returns the 95 % percentile bootstrap interval of median(after) / median(before) - 1, from 4000
/// resamplings with a fixed seed. Neither side may be empty.
[[nodiscard]] ChangeInterval bootstrap_change(std::span<const double> before, std::span<const double> after);
/// Returns the same kind of interval for the median of `changes`, which must not be empty.
[[nodiscard]] ChangeInterval bootstrap_change(std::span<const double> changes);

}  // namespace glyphreel::commands
