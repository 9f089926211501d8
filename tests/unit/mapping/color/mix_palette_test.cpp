#include "mapping/color/mix_palette.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace glyphreel::mapping::mix_palette_test {
namespace {

std::vector<WantedColor> wanted(std::initializer_list<std::uint32_t> colors) {
  std::vector<WantedColor> all;
  for (const std::uint32_t color : colors)
    all.push_back({.light = light_of(color), .place = oklab(color), .weight = 1});
  return all;
}

/// Returns the square of the distance between a color and the nearest palette color.
double distance(std::uint32_t color, std::span<const std::uint32_t> palette) {
  double least = 10;
  for (const std::uint32_t each : palette)
    least = std::min(least, square_distance(oklab(color), oklab(each)));
  return least;
}

TEST(MixPalette, ColorsAtTheEndsAreReached) {
  const std::vector<WantedColor> colors = wanted({0x200408, 0x501018, 0x901828, 0xB81C30, 0xE02038});
  const std::vector<std::uint32_t> palette =
      fitted_to_mixes(std::vector<std::uint32_t>{0x401820, 0xA83848}, colors);
  ASSERT_EQ(palette.size(), 2U);
  EXPECT_LT(distance(0xE02038, palette),
            distance(0xE02038, std::vector<std::uint32_t>{0x401820, 0xA83848}) / 2);
}

TEST(MixPalette, PaletteThatFitsStays) {
  const std::vector<std::uint32_t> palette = {0x102030, 0x3060C0, 0xFFE020};
  EXPECT_EQ(fitted_to_mixes(palette, wanted({0x102030, 0x3060C0, 0xFFE020})), palette);
}

TEST(MixPalette, ColorWithoutAMixStays) {
  const std::vector<std::uint32_t> palette = {0x000000, 0xFFFFFF, 0x00FF00};
  EXPECT_EQ(fitted_to_mixes(palette, wanted({0x000000, 0xFFFFFF}))[2], 0x00FF00U);
}

}  // namespace
}  // namespace glyphreel::mapping::mix_palette_test
