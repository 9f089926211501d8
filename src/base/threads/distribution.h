#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glyphreel {

/// Statistics of a value over a run of any length, in bounded memory. Count, mean and maximum are exact.
/// Quantiles are computed from the absolute values. They are exact for the first `Remembered` values; later
/// they come from a histogram whose buckets are 1/64 of an octave wide, so their error is at most 0.8 %.
/// Thread-safety: one thread.
class Distribution {
 public:
  /// Number of values that are stored individually.
  static constexpr std::size_t Remembered = 2048;

  void add(double value);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }
  /// Returns the mean. The mean and the statistics below are 0 if there are no values.
  [[nodiscard]] double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  /// Returns the largest magnitude.
  [[nodiscard]] double largest() const { return largest_; }
  /// Returns the q-quantile (0..1) of the magnitudes, see glyphreel::quantile().
  [[nodiscard]] double quantile(double q) const;
  /// Returns the most recent values, oldest first: at most `count`, and at most `Remembered`.
  [[nodiscard]] std::vector<float> recent(std::size_t count) const;

 private:
  // The histogram covers 2^-20 to 2^20: for values in milliseconds, one nanosecond to 17 minutes.
  static constexpr int MinExponent = -20;
  static constexpr int Octaves = 40;
  static constexpr int BucketsPerOctave = 64;

  [[nodiscard]] static std::size_t bucket_of(double magnitude);
  [[nodiscard]] static double middle_of(std::size_t bucket);

  std::uint64_t count_ = 0;
  double sum_ = 0;
  double least_ = 0;
  double largest_ = 0;
  std::vector<float> ring_;             ///< when full, the oldest value is at count_ % Remembered
  std::vector<std::uint64_t> buckets_;  ///< empty until the ring overflows for the first time
};

/// Returns the q-quantile (0..1) of `samples` by linear interpolation between closest ranks; 0 if
/// `samples` is empty.
[[nodiscard]] double quantile(std::vector<float> samples, double q);

}  // namespace glyphreel
