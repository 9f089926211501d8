#include "base/threads/distribution.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace glyphreel {

double quantile(std::vector<float> samples, double q) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double position = q * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double fraction = position - std::floor(position);
  return samples[below] * (1 - fraction) + samples[above] * fraction;
}

std::size_t Distribution::bucket_of(double magnitude) {
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);  // 0.5 <= fraction < 1
  if (magnitude <= 0 || exponent <= MinExponent) return 0;
  if (exponent > MinExponent + Octaves) return static_cast<std::size_t>(Octaves) * BucketsPerOctave - 1;
  const int within = static_cast<int>((fraction - 0.5) * 2 * BucketsPerOctave);
  return static_cast<std::size_t>((exponent - MinExponent - 1) * BucketsPerOctave + within);
}

double Distribution::middle_of(std::size_t bucket) {
  const int octave = static_cast<int>(bucket) / BucketsPerOctave;
  const int within = static_cast<int>(bucket) % BucketsPerOctave;
  return std::ldexp(1 + (within + 0.5) / BucketsPerOctave, octave + MinExponent);
}

void Distribution::add(double value) {
  const double magnitude = std::abs(value);
  if (ring_.size() < Remembered) {
    ring_.push_back(static_cast<float>(value));
  } else {
    if (buckets_.empty()) {
      buckets_.resize(static_cast<std::size_t>(Octaves) * BucketsPerOctave);
      for (const float earlier : ring_) ++buckets_[bucket_of(std::abs(static_cast<double>(earlier)))];
    }
    ring_[count_ % Remembered] = static_cast<float>(value);
  }
  if (!buckets_.empty()) ++buckets_[bucket_of(magnitude)];
  least_ = count_ == 0 ? magnitude : std::min(least_, magnitude);
  largest_ = std::max(largest_, magnitude);
  sum_ += value;
  ++count_;
}

double Distribution::quantile(double q) const {
  if (buckets_.empty()) {
    std::vector<float> magnitudes(ring_.size());
    std::transform(ring_.begin(), ring_.end(), magnitudes.begin(),
                   [](float value) { return std::abs(value); });
    return glyphreel::quantile(std::move(magnitudes), q);
  }
  const double position = q * static_cast<double>(count_ - 1);
  std::uint64_t passed = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    passed += buckets_[bucket];
    if (static_cast<double>(passed) <= position) continue;
    // The first and last buckets also count values outside their ranges. Their middles may differ greatly
    // from these values, so return the exact minimum or maximum.
    if (bucket == 0) return least_;
    if (bucket + 1 == buckets_.size()) return largest_;
    return std::clamp(middle_of(bucket), least_, largest_);
  }
  return largest_;
}

std::vector<float> Distribution::recent(std::size_t count) const {
  const std::size_t length = std::min(count, ring_.size());
  std::vector<float> values;
  values.reserve(length);
  for (std::uint64_t i = count_ - length; i < count_; ++i) values.push_back(ring_[i % Remembered]);
  return values;
}

}  // namespace glyphreel
