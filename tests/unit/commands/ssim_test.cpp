#include "commands/ssim.h"

#include <gtest/gtest.h>

#include <vector>

namespace glyphreel::commands::ssim_test {
namespace {

constexpr Extent Size{64, 64};

/// Returns the SSIM of two pictures whose pixels are `a` and `b`.
double ssim_of(std::vector<std::uint32_t> a, const std::vector<std::uint32_t>& b, int cell_width) {
  const Picture picture{.format = PictureFormat::Bgra8,
                        .size = Size,
                        .planes = {reinterpret_cast<std::byte*>(a.data())},
                        .strides = {Size.width * 4}};
  return ssim(picture, b, {cell_width, 2 * cell_width});
}

std::vector<std::uint32_t> picture_of(std::uint32_t (*gray)(int x, int y)) {
  std::vector<std::uint32_t> pixels;
  for (int i = 0; i < Size.width * Size.height; ++i)
    pixels.push_back(0xFF000000U | gray(i % Size.width, i / Size.width) * 0x010101U);
  return pixels;
}

TEST(Ssim, EqualPicturesHaveOne) {
  const auto ramp = picture_of([](int x, int y) { return static_cast<std::uint32_t>(2 * x + y); });
  EXPECT_NEAR(ssim_of(ramp, ramp, 4), 1, 1e-12);
}

TEST(Ssim, DarkerAndInvertedPicturesHaveLess) {
  const auto ramp = picture_of([](int x, int) { return static_cast<std::uint32_t>(4 * x); });
  const auto darker = picture_of([](int x, int) { return static_cast<std::uint32_t>(2 * x); });
  const auto inverted = picture_of([](int x, int) { return static_cast<std::uint32_t>(255 - 4 * x); });
  EXPECT_LT(ssim_of(darker, ramp, 4), 0.95);
  EXPECT_LT(ssim_of(inverted, ramp, 4), 0);
}

TEST(Ssim, FlatPicturesFollowTheFormula) {
  // Flat pictures have no variance, so the SSIM is the factor of the means alone:
  // (2 a b + C1) / (a^2 + b^2 + C1).
  const auto black = picture_of([](int, int) { return 0U; });
  const auto white = picture_of([](int, int) { return 255U; });
  EXPECT_NEAR(ssim_of(black, white, 4), 6.5025 / (255 * 255 + 6.5025), 1e-9);
}

TEST(Ssim, IgnoresStrokesSmallerThanACell) {
  const auto gray = picture_of([](int, int) { return 128U; });
  const auto stripes = picture_of([](int x, int) { return x % 2 == 0 ? 255U : 1U; });
  EXPECT_NEAR(ssim_of(stripes, gray, 4), 1, 1e-9);
}

TEST(Ssim, SmallPicturesHaveOne) {
  const auto black = picture_of([](int, int) { return 0U; });
  EXPECT_EQ(ssim_of(black, black, 32), 1);
}

}  // namespace
}  // namespace glyphreel::commands::ssim_test
