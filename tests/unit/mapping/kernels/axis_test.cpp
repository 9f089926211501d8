#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "mapping/tables/sample_plan.h"

namespace glyphreel::mapping::axis_test {
namespace {

/// The weights of one lattice position: one number per source sample.
using Row = std::vector<double>;

std::string text_of(const AxisOptions& o) {
  return "lattice " + std::to_string(o.lattice) + " from " + std::to_string(o.from) + " count " +
         std::to_string(o.count) + " size " + std::to_string(o.size) + " part " + std::to_string(o.begin) +
         ".." + std::to_string(o.end) + (o.mirrored ? " mirrored" : "") + (o.corner ? " corner" : "");
}

/// Returns the weights of a position for each source sample. Fails if the taps read past the source.
std::vector<std::uint32_t> spread(const Axis& axis, int position, int size) {
  std::vector<std::uint32_t> row(static_cast<std::size_t>(size), 0);
  const auto k = static_cast<std::size_t>(position);
  for (int tap = 0; tap < axis.taps; ++tap) {
    const std::size_t sample = axis.first[k] + static_cast<std::size_t>(tap);
    if (sample >= row.size()) {
      ADD_FAILURE() << "position " << position << " reads sample " << sample << " of " << size;
      return row;
    }
    row[sample] += axis.weights[k * static_cast<std::size_t>(axis.taps) + static_cast<std::size_t>(tap)];
  }
  return row;
}

/// Returns the exact weights of position `i`, which covers a part of the source. The weight of each sample is
/// 256 times its share of that part.
Row expected(const AxisOptions& o, int i) {
  const int position = o.mirrored ? o.count - 1 - i : i;
  const double from = o.size * (o.begin + (o.end - o.begin) * position / o.count);
  const double to = o.size * (o.begin + (o.end - o.begin) * (position + 1) / o.count);
  Row row(static_cast<std::size_t>(o.size), 0);
  for (int s = 0; s < o.size; ++s) {
    const double share = std::min(to, s + 1.0) - std::max(from, static_cast<double>(s));
    row[static_cast<std::size_t>(s)] = std::max(0.0, share) / (to - from) * 256;
  }
  return row;
}

void expect_area_axis(const AxisOptions& o) {
  SCOPED_TRACE(text_of(o));
  const Axis axis = make_axis(o);
  ASSERT_GE(axis.taps, 1);
  ASSERT_LE(axis.taps, o.size);
  ASSERT_EQ(axis.first.size(), static_cast<std::size_t>(o.lattice));
  ASSERT_EQ(axis.weights.size(), static_cast<std::size_t>(o.lattice) * static_cast<std::size_t>(axis.taps));
  std::vector<std::uint32_t> used(static_cast<std::size_t>(o.size), 0);
  int last_centre = -1;
  for (int k = 0; k < o.lattice; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (k < o.from || k >= o.from + o.count) {
      ASSERT_EQ(axis.first[at], shared::AxisOutside);
      continue;
    }
    ASSERT_NE(axis.first[at], shared::AxisOutside);
    const std::vector<std::uint32_t> row = spread(axis, k, o.size);
    ASSERT_EQ(std::accumulate(row.begin(), row.end(), 0u), 256u) << "position " << k;
    const Row wanted = expected(o, k - o.from);
    double center = 0;
    for (std::size_t s = 0; s < row.size(); ++s) {
      // Rounding by the largest remainder method changes each weight by less than 1.
      ASSERT_LT(std::abs(row[s] - wanted[s]), 1 + 1e-4) << "position " << k << " sample " << s;
      used[s] += row[s];
      center += static_cast<double>(s) * row[s];
    }
    const int rounded = static_cast<int>(center);
    if (last_centre >= 0) {
      ASSERT_TRUE(o.mirrored ? rounded <= last_centre : rounded >= last_centre) << "position " << k;
    }
    last_centre = rounded;
  }
  // A position covers (size / count) samples, and each of them has the weight 256 / (size / count). If
  // `size` is much larger than `count`, weights below 0.5 may be rounded to zero, so samples may be unused.
  if (o.begin == 0 && o.end == 1 && o.size / o.count <= 200) {
    for (std::size_t s = 0; s < used.size(); ++s)
      ASSERT_GT(used[s], 0u) << "sample " << s << " is never used";
  }
}

TEST(Axis, TinySizesOnAllSmallLattices) {
  for (int size = 1; size <= 7; ++size) {
    for (int count = 1; count <= 64; ++count) {
      for (const bool mirrored : {false, true}) {
        expect_area_axis({.lattice = count, .count = count, .size = size, .mirrored = mirrored});
        expect_area_axis(
            {.lattice = count + 5, .from = 3, .count = count, .size = size, .mirrored = mirrored});
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Axis, LargerSizes) {
  for (const int size : {8, 9, 63, 64, 65, 100, 240, 540, 960, 1079, 1919, 3840}) {
    for (const int count : {1, 7, 31, 128, 320, 480, 536, 960, 1279, 2000}) {
      expect_area_axis({.lattice = count, .count = count, .size = size});
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Axis, ManyMoreSamplesThanWeights) {
  // 7680 samples in one position: most have zero weight, and the sum is still exact.
  const Axis axis = make_axis({.lattice = 1, .count = 1, .size = 7680});
  const std::vector<std::uint32_t> row = spread(axis, 0, 7680);
  EXPECT_EQ(std::accumulate(row.begin(), row.end(), 0u), 256u);
  EXPECT_EQ(*std::max_element(row.begin(), row.end()), 1u);
}

TEST(Axis, PartialSources) {
  for (const int size : {1, 2, 5, 37, 480}) {
    for (const int count : {1, 3, 16, 100}) {
      for (const double begin : {0.0, 0.125, 0.21, 0.4}) {
        const AxisOptions options{.lattice = count,
                                  .count = count,
                                  .size = size,
                                  .begin = begin,
                                  .end = 1 - begin,
                                  .mirrored = size == 5};
        expect_area_axis(options);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(Axis, WholeMultiplesAreExact) {
  const Axis half = make_axis({.lattice = 480, .count = 480, .size = 960});
  EXPECT_EQ(half.taps, 2);
  for (std::size_t k = 0; k < 480; ++k) {
    ASSERT_EQ(half.first[k], 2 * k);
    ASSERT_EQ(half.weights[2 * k], 128u);
    ASSERT_EQ(half.weights[2 * k + 1], 128u);
  }
  // Each position covers a third of a sample. Rounding errors of doubles must not move a position past the
  // edge of its sample.
  for (int size = 1; size <= 400; ++size) {
    const Axis thrice = make_axis({.lattice = 3 * size, .count = 3 * size, .size = size});
    ASSERT_EQ(thrice.taps, 1) << size;
    for (int k = 0; k < 3 * size; ++k)
      ASSERT_EQ(thrice.first[static_cast<std::size_t>(k)], static_cast<unsigned>(k / 3));
  }
}

TEST(Axis, MirroringReversesWeights) {
  for (const int size : {1, 4, 7, 53}) {
    for (const int count : {1, 5, 18, 64}) {
      AxisOptions options{.lattice = count, .count = count, .size = size};
      const Axis plain = make_axis(options);
      options.mirrored = true;
      const Axis mirrored = make_axis(options);
      for (int k = 0; k < count; ++k)
        ASSERT_EQ(spread(plain, k, size), spread(mirrored, count - 1 - k, size));
    }
  }
}

TEST(Axis, CornerReadsFirstSampleOfEachStep) {
  for (const int size : {1, 3, 16, 53, 100, 1080, 1920}) {
    for (const int count : {1, 3, 16, 80, 1000}) {
      for (const bool mirrored : {false, true}) {
        const AxisOptions options{.lattice = count + 2,
                                  .from = 1,
                                  .count = count,
                                  .size = size,
                                  .mirrored = mirrored,
                                  .corner = true};
        SCOPED_TRACE(text_of(options));
        const Axis axis = make_axis(options);
        ASSERT_EQ(axis.taps, 1);
        ASSERT_EQ(axis.first.front(), shared::AxisOutside);
        ASSERT_EQ(axis.first.back(), shared::AxisOutside);
        for (int i = 0; i < count; ++i) {
          const int position = mirrored ? count - 1 - i : i;
          const auto k = static_cast<std::size_t>(i + 1);
          ASSERT_EQ(axis.weights[k], 256u);
          const int wanted = size >= count ? position * (size / count) : position * size / count;
          ASSERT_EQ(axis.first[k], static_cast<unsigned>(wanted));
        }
      }
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::axis_test
