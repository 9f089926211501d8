#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace glyphreel {

/// What a figure was like over a run of any length, in memory that does not grow. Count, mean and extremes
/// are exact. Quantiles are of magnitudes: exact while all values are still remembered, and then from a
/// histogram whose buckets are 1/64 of their octave wide, so within 0.8 %. Thread-safety: one thread.
class Distribution {
 public:
  /// So many values are remembered one by one.
  static constexpr std::size_t Remembered = 2048;

  void add(double value);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }
  /// 0 where there are no values, as the others.
  [[nodiscard]] double mean() const { return count_ > 0 ? sum_ / static_cast<double>(count_) : 0; }
  /// The largest magnitude.
  [[nodiscard]] double largest() const { return largest_; }
  /// The q-quantile (0..1) of the values' magnitudes, see glyphreel::quantile().
  [[nodiscard]] double quantile(double q) const;
  /// The last `count` values at most, oldest first, never more than Remembered.
  [[nodiscard]] std::vector<float> recent(std::size_t count) const;

 private:
  // Octaves from 2^-20 to 2^20: with milliseconds from a nanosecond to a quarter of an hour.
  static constexpr int LeastExponent = -20;
  static constexpr int Octaves = 40;
  static constexpr int BucketsPerOctave = 64;

  [[nodiscard]] static std::size_t bucket_of(double magnitude);
  [[nodiscard]] static double middle_of(std::size_t bucket);

  std::uint64_t count_ = 0;
  double sum_ = 0;
  double least_ = 0;
  double largest_ = 0;
  std::vector<float> ring_;  ///< grows to Remembered values; then the oldest is at count_ % Remembered
  std::vector<std::uint64_t> buckets_;  ///< empty until the ring overflows for the first time
};

/// The q-quantile (0..1) of `samples` by linear interpolation between closest ranks; 0 where there are none.
[[nodiscard]] double quantile(std::vector<float> samples, double q);

}  // namespace glyphreel
