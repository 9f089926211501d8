#include "text/fonts/color_font.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <vector>

namespace glyphreel::text::color_font_test {
namespace {

using Pixel = std::array<std::uint8_t, 4>;  // blue, green, red, alpha
constexpr Pixel White{255, 255, 255, 255}, Black{0, 0, 0, 255}, Clear{0, 0, 0, 0};

std::vector<std::uint8_t> coverage(Extent size, const std::vector<Pixel>& pixels, CellSize canvas) {
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(canvas.width) * canvas.height);
  draw_as_coverage({.size = size, .pitch = 4 * size.width, .pixels = pixels.front().data()}, canvas,
                   mask.data());
  return mask;
}

TEST(DrawAsCoverage, KeepsGrayLevels) {
  const std::vector<std::uint8_t> mask = coverage({2, 2}, {White, Black, Clear, White}, {2, 2});
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{255, 85, 0, 255}));
}

TEST(DrawAsCoverage, AveragesPixels) {
  const std::vector<std::uint8_t> mask =
      coverage({4, 2}, {White, White, Clear, Clear, Clear, Clear, Clear, Clear}, {2, 1});
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{127, 0}));
}

TEST(DrawAsCoverage, CentersInTallCanvas) {
  const std::vector<std::uint8_t> mask = coverage({1, 1}, {White}, {2, 4});
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{0, 0, 255, 255, 255, 255, 0, 0}));
}

TEST(DrawAsCoverage, CentersInWideCanvas) {
  const std::vector<std::uint8_t> mask = coverage({1, 2}, {White, Black}, {3, 2});
  EXPECT_EQ(mask, (std::vector<std::uint8_t>{0, 255, 0, 0, 85, 0}));
}

TEST(ColorFont, OutlineFontsAreRefused) {
  const auto file = find_font("DejaVu Sans Mono");
  ASSERT_TRUE(file);
  EXPECT_FALSE(ColorFont::open(*file));
}

}  // namespace
}  // namespace glyphreel::text::color_font_test
