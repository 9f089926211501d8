#include "mapping/tables/dither.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

#include "mapping/shared/shared_types.h"

namespace glyphreel::mapping::dither_test {
namespace {

constexpr int Size = static_cast<int>(shared::DitherSize);
using Square = std::vector<std::uint32_t>;

void expect_flat_histogram(const Square& thresholds) {
  ASSERT_EQ(thresholds.size(), static_cast<std::size_t>(Size * Size));
  std::array<int, 256> counts{};
  for (const std::uint32_t threshold : thresholds) {
    ASSERT_LT(threshold, 256u);
    ++counts[threshold];
  }
  for (const int count : counts) EXPECT_EQ(count, Size * Size / 256);
}

/// Returns the mean power of the spatial frequencies f of a square of thresholds, for `from` <= f < `to`. The
/// unit of frequency is one cycle per side of the square. Ignores frequency 0.
double power_between(const Square& thresholds, double from, double to) {
  double sum = 0;
  int counted = 0;
  for (int v = -Size / 2; v < Size / 2; ++v) {
    for (int u = 0; u < Size / 2; ++u) {
      const double distance = std::hypot(u, v);
      if (distance < from || distance >= to || distance == 0) continue;
      std::complex<double> coefficient;
      for (int y = 0; y < Size; ++y) {
        std::complex<double> row;
        for (int x = 0; x < Size; ++x) {
          row += (thresholds[static_cast<std::size_t>(y * Size + x)] - 127.5) *
                 std::polar(1.0, -2 * std::numbers::pi * u * x / Size);
        }
        coefficient += row * std::polar(1.0, -2 * std::numbers::pi * v * y / Size);
      }
      sum += std::norm(coefficient);
      ++counted;
    }
  }
  return sum / counted;
}

Square white_noise() {
  Square thresholds;
  for (int i = 0; i < Size * Size; ++i) thresholds.push_back(static_cast<std::uint32_t>(i % 256));
  std::shuffle(thresholds.begin(), thresholds.end(), std::mt19937(7));
  return thresholds;
}

TEST(BayerThresholds, FormOrderedMatrix) {
  const Square thresholds = bayer_thresholds();
  expect_flat_histogram(thresholds);
  // In Bayer's recursion, the lowest bits of x and y select the two highest bits of the threshold from the
  // matrix `smallest`. The next higher bits of x and y select the next lower two bits from the same matrix.
  const std::array<std::array<std::uint32_t, 2>, 2> smallest = {{{0, 2}, {3, 1}}};
  for (int y = 0; y < Size; ++y) {
    for (int x = 0; x < Size; ++x) {
      const std::uint32_t threshold = thresholds[static_cast<std::size_t>(y * Size + x)];
      std::uint32_t expected = 0;
      for (int bit = 0; bit < 4; ++bit) {
        expected = expected * 4 +
                   smallest[static_cast<std::size_t>(y >> bit & 1)][static_cast<std::size_t>(x >> bit & 1)];
      }
      ASSERT_EQ(threshold, expected) << x << ' ' << y;
    }
  }
}

TEST(BlueNoiseThresholds, AreEvenlyDistributed) {
  expect_flat_histogram(blue_noise_thresholds());
}

TEST(BlueNoiseThresholds, AreTheSameOnEveryMachine) {
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (const std::uint32_t threshold : blue_noise_thresholds()) hash = (hash ^ threshold) * 16777619u;
  EXPECT_EQ(hash, 4109875381u);
}

TEST(BlueNoiseThresholds, HaveLittleLowFrequencyPower) {
  const Square blue = blue_noise_thresholds();
  const Square white = white_noise();
  EXPECT_LT(power_between(blue, 0, 8), 0.05 * power_between(white, 0, 8));
  EXPECT_GT(power_between(blue, 24, 32), 0.9 * power_between(white, 24, 32));
}

TEST(BlueNoiseThresholds, SpreadPointsAtEveryLevel) {
  // At a density of d, evenly distributed points are about sqrt(1 / d) apart. The square repeats, so
  // distances are also measured across its border.
  const Square thresholds = blue_noise_thresholds();
  for (const std::uint32_t level : {4u, 8u, 16u, 32u}) {
    std::vector<int> points;
    for (int i = 0; i < Size * Size; ++i) {
      if (thresholds[static_cast<std::size_t>(i)] < level) points.push_back(i);
    }
    double nearest_of_all = Size;
    for (const int a : points) {
      for (const int b : points) {
        if (a == b) continue;
        const int x = std::abs(a % Size - b % Size);
        const int y = std::abs(a / Size - b / Size);
        nearest_of_all = std::min(nearest_of_all, std::hypot(std::min(x, Size - x), std::min(y, Size - y)));
      }
    }
    EXPECT_GT(nearest_of_all, 0.45 * std::sqrt(256.0 / level)) << level;
  }
}

}  // namespace
}  // namespace glyphreel::mapping::dither_test
