#include "text/near_duplicate_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace glyphreel::text::near_duplicate_filter_test {
namespace {

using Mask = std::vector<std::uint8_t>;

constexpr CellSize Cells[] = {{8, 16}, {1, 1}, {1, 3}, {3, 5}, {16, 16}};

std::size_t pixels(CellSize cell) {
  return static_cast<std::size_t>(cell.width * cell.height);
}

double root_mean_square(const Mask& a, const Mask& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += std::pow(a[i] - b[i], 2);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

TEST(NearDuplicateFilter, LimitIsRootMeanSquareOfSix) {
  for (const CellSize cell : Cells) {
    NearDuplicateFilter seen(cell);
    EXPECT_TRUE(seen.add(Mask(pixels(cell), 100)));
    EXPECT_FALSE(seen.add(Mask(pixels(cell), 100)));
    EXPECT_FALSE(seen.add(Mask(pixels(cell), 106)));
    EXPECT_FALSE(seen.add(Mask(pixels(cell), 94)));
    EXPECT_TRUE(seen.add(Mask(pixels(cell), 107)));
    EXPECT_TRUE(seen.add(Mask(pixels(cell), 93)));
  }
}

TEST(NearDuplicateFilter, EqualInkElsewhereIsDistinct) {
  NearDuplicateFilter seen({8, 16});
  for (std::size_t pixel = 0; pixel < 128; ++pixel) {
    Mask dot(128, 0);
    dot[pixel] = 255;
    EXPECT_TRUE(seen.add(dot)) << pixel;
    EXPECT_FALSE(seen.add(dot)) << pixel;
  }
}

/// add() must return the same result as comparing the mask with all kept masks.
TEST(NearDuplicateFilter, MatchesExhaustiveComparison) {
  std::mt19937 random(1);
  for (const CellSize cell : Cells) {
    NearDuplicateFilter seen(cell);
    std::vector<Mask> kept;
    int dropped = 0;
    for (int i = 0; i < 600; ++i) {
      Mask mask(pixels(cell));
      if (i % 3 == 0 || kept.empty()) {
        for (auto& pixel : mask) pixel = static_cast<std::uint8_t>(random() % 256);
      } else {  // a kept mask plus noise, with an RMS somewhat below or above NearDuplicateRms
        mask = kept[random() % kept.size()];
        const int spread = 4 + static_cast<int>(random() % 14);
        for (auto& pixel : mask) {
          const int moved =
              pixel + static_cast<int>(random() % static_cast<unsigned>(2 * spread + 1)) - spread;
          pixel = static_cast<std::uint8_t>(std::clamp(moved, 0, 255));
        }
      }
      const bool is_new = std::ranges::none_of(kept, [&](const Mask& other) {
        return root_mean_square(mask, other) <= NearDuplicateFilter::NearDuplicateRms;
      });
      ASSERT_EQ(seen.add(mask), is_new) << i;
      if (is_new) kept.push_back(mask);
      dropped += is_new ? 0 : 1;
    }
    EXPECT_GT(dropped, 20);
    EXPECT_GT(kept.size(), 20u);
  }
}

}  // namespace
}  // namespace glyphreel::text::near_duplicate_filter_test
