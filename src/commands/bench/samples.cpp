#include "commands/bench/samples.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>

namespace glyphreel::commands {
namespace {

constexpr std::size_t MaxExact = 25;  // maximum number of samples per side for the exact distribution
constexpr int Resamplings = 4000;

/// Returns the probability that UTest::u is at most `u` if all samples, `n` on side a and `m` on side b, come
/// from the same distribution and no two samples are equal.
double exact_cumulative(std::size_t n, std::size_t m, std::size_t u) {
  // Let W(i, j, k) be the number of orders of i samples on side a and j samples on side b for which U is k.
  // If the greatest sample is on side b, it adds nothing to U. If it is on side a, it adds j, because it
  // exceeds all samples on side b. So W(i, j, k) = W(i, j - 1, k) + W(i - 1, j, k - j). After iteration i of
  // the outer loop, ways[j][k] is W(i, j, k).
  std::vector<std::vector<double>> ways(m + 1, std::vector<double>(n * m + 1, 0.0));
  for (auto& row : ways) row[0] = 1;
  for (std::size_t i = 1; i <= n; ++i) {
    for (std::size_t j = 1; j <= m; ++j) {
      std::vector<double> next(n * m + 1, 0.0);
      for (std::size_t k = 0; k <= i * j; ++k) next[k] = ways[j - 1][k] + (k >= j ? ways[j][k - j] : 0.0);
      ways[j] = std::move(next);
    }
  }
  const std::vector<double>& all = ways[m];
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(u, n * m)) + 1;
  return std::accumulate(all.begin(), end, 0.0) / std::accumulate(all.begin(), all.end(), 0.0);
}

/// Returns the probability that the sum of the ranks of all positive differences is at most `sum`, if each of
/// `count` differences is positive with probability 1/2.
double exact_rank_cumulative(std::size_t count, std::size_t sum) {
  std::vector<double> ways(count * (count + 1) / 2 + 1, 0.0);  // ways[k]: number of sets of ranks with sum k
  ways[0] = 1;
  for (std::size_t rank = 1; rank <= count; ++rank) {
    for (std::size_t k = ways.size() - 1; k >= rank; --k) ways[k] += ways[k - rank];
  }
  const auto end = ways.begin() + static_cast<std::ptrdiff_t>(sum) + 1;
  return std::accumulate(ways.begin(), end, 0.0) / std::exp2(static_cast<double>(count));
}

/// Returns the sum of t^3 - t over the groups of t equal values; 0 without ties.
double tie_sum(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::sort(all);
  double sum = 0;
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::upper_bound(first, all.end(), *first);
    const auto count = static_cast<double>(last - first);
    sum += count * count * count - count;
    first = last;
  }
  return sum;
}

/// Computes medians of random samples drawn with replacement. The seed is fixed, so that bootstrap_change()
/// always returns the same interval for the same input.
class Resampler {
 public:
  double median_of(std::span<const double> samples) {
    resampled_.clear();
    for (std::size_t i = 0; i < samples.size(); ++i)
      resampled_.push_back(samples[random_() % samples.size()]);
    return median(resampled_);
  }

 private:
  std::mt19937 random_{20};  // NOLINT(cert-msc51-cpp)
  std::vector<double> resampled_;
};

/// Calls `resampled_change` Resamplings times. Returns the 2.5th and the 97.5th percentile of the values
/// that it returns.
ChangeInterval bootstrap_interval(const auto& resampled_change) {
  std::vector<double> changes;
  for (int i = 0; i < Resamplings; ++i) changes.push_back(resampled_change());
  std::ranges::sort(changes);
  return {changes[Resamplings / 40], changes[Resamplings - 1 - Resamplings / 40]};
}

}  // namespace

double median(std::span<const double> samples) {
  if (samples.empty()) return 0;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

Aggregates aggregates(std::span<const double> samples) {
  if (samples.empty()) return {};
  const auto count = static_cast<double>(samples.size());
  Aggregates result{.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count,
                    .median = median(samples)};
  double squares = 0;
  for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
  if (samples.size() > 1) result.stddev = std::sqrt(squares / (count - 1));
  if (result.mean != 0) result.cv = result.stddev / result.mean;
  return result;
}

UTest u_test(std::span<const double> a, std::span<const double> b) {
  if (a.empty() || b.empty()) return {};
  UTest test{.u = 0, .p = 1};
  for (const double x : a) {
    for (const double y : b) test.u += x > y ? 1.0 : x == y ? 0.5 : 0.0;
  }
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  const double ties = tie_sum(a, b);
  const double nearer = std::min(test.u, n * m - test.u);
  if (ties == 0 && a.size() <= MaxExact && b.size() <= MaxExact) {
    test.p = std::min(1.0, 2 * exact_cumulative(a.size(), b.size(), static_cast<std::size_t>(nearer)));
    return test;
  }
  const double total = n + m;
  const double variance = n * m / 12 * (total + 1 - ties / (total * (total - 1)));
  if (variance <= 0) return test;  // all values are equal
  const double z = std::max(0.0, n * m / 2 - nearer - 0.5) / std::sqrt(variance);
  test.p = std::min(1.0, std::erfc(z / std::sqrt(2.0)));
  return test;
}

double signed_rank_test(std::span<const double> differences) {
  std::vector<double> sorted;
  std::ranges::copy_if(differences, std::back_inserter(sorted), [](double each) { return each != 0; });
  if (sorted.empty()) return 1;
  std::ranges::sort(sorted, {}, [](double each) { return std::abs(each); });
  const std::size_t count = sorted.size();
  double positive = 0;  // sum of the ranks of positive differences; equal magnitudes share a mean rank
  double ties = 0;      // sum of t^3 - t over the groups of t equal values
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    while (end < count && std::abs(sorted[end]) == std::abs(sorted[first])) ++end;
    const auto equal = static_cast<double>(end - first);
    const double rank = (static_cast<double>(first) + 1 + static_cast<double>(end)) / 2;
    positive += rank * static_cast<double>(std::count_if(sorted.begin() + static_cast<std::ptrdiff_t>(first),
                                                         sorted.begin() + static_cast<std::ptrdiff_t>(end),
                                                         [](double x) { return x > 0; }));
    ties += equal * equal * equal - equal;
  }
  const auto n = static_cast<double>(count);
  const double nearer = std::min(positive, n * (n + 1) / 2 - positive);
  if (ties == 0 && count <= MaxExact)
    return std::min(1.0, 2 * exact_rank_cumulative(count, static_cast<std::size_t>(nearer)));
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
  const double z = std::max(0.0, n * (n + 1) / 4 - nearer - 0.5) / std::sqrt(variance);
  return std::min(1.0, std::erfc(z / std::sqrt(2.0)));
}

std::vector<double> holm_adjusted(std::span<const double> probabilities) {
  std::vector<std::size_t> order(probabilities.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return probabilities[i]; });
  std::vector<double> adjusted(probabilities.size());
  double least = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    least = std::max(least, probabilities[order[rank]] * static_cast<double>(order.size() - rank));
    adjusted[order[rank]] = std::min(1.0, least);
  }
  return adjusted;
}

ChangeInterval bootstrap_change(std::span<const double> before, std::span<const double> after) {
  Resampler resampler;
  return bootstrap_interval([&] {
    const double base = resampler.median_of(before);
    return base > 0 ? resampler.median_of(after) / base - 1 : 0;
  });
}

ChangeInterval bootstrap_change(std::span<const double> changes) {
  Resampler resampler;
  return bootstrap_interval([&] { return resampler.median_of(changes); });
}

}  // namespace glyphreel::commands
