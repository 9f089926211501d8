#include "mapping/color/palette_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace glyphreel::mapping::palette_fit_test {
namespace {

using testing::ElementsAre;

std::vector<std::uint32_t> meadow() {
  std::vector<std::uint32_t> pixels;
  for (std::uint32_t i = 0; i < 10000; ++i)
    pixels.push_back((20 + i % 40) << 16 | (90 + i % 120) << 8 | (10 + i % 30));
  for (int i = 0; i < 50; ++i) pixels.push_back(0xD01820);
  return pixels;
}

TEST(PaletteFit, FewColorsAreFoundExactlyDarkToLight) {
  const std::vector<std::uint32_t> pixels = {0xFFE020, 0x102030, 0xFFE020, 0x3060C0, 0x102030};
  EXPECT_THAT(fit_palette(pixels, 3), ElementsAre(0x102030u, 0x3060C0u, 0xFFE020u));
}

TEST(PaletteFit, BlackAndWhiteFillThePalette) {
  EXPECT_THAT(fit_palette(std::vector<std::uint32_t>(100, 0x808080), 16),
              ElementsAre(0u, 0x808080u, 0xFFFFFFu));
  EXPECT_THAT(fit_palette(std::vector<std::uint32_t>(100, 0), 2), ElementsAre(0u, 0xFFFFFFu));
}

TEST(PaletteFit, SmallObjectsOfAnotherHueGetAColor) {
  const std::vector<std::uint32_t> palette = fit_palette(meadow(), 4);
  EXPECT_EQ(palette.size(), 4u);
  EXPECT_TRUE(std::ranges::any_of(palette, [](std::uint32_t color) {
    return (color >> 16 & 255) >= 0xD0 && (color >> 8 & 255) <= 0x18;
  })) << testing::PrintToString(palette);
}

TEST(PaletteFit, DependsOnThePixelsAlone) {
  std::vector<std::uint32_t> pixels = meadow();
  const std::vector<std::uint32_t> palette = fit_palette(pixels, 16);
  EXPECT_EQ(palette.size(), 16u);
  std::ranges::reverse(pixels);
  for (std::uint32_t& pixel : pixels) pixel |= 0x7F000000;  // the top byte is luma, which the fit ignores
  EXPECT_EQ(fit_palette(pixels, 16), palette);
}

}  // namespace
}  // namespace glyphreel::mapping::palette_fit_test
