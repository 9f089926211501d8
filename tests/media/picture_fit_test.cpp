#include "media/encode/picture_fit.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "support/recordings.h"

namespace glyphreel::media::picture_fit_test {
namespace {

TEST(PictureFit, KeepsAspect) {
  EXPECT_EQ(fitted_area({640, 360}, {1280, 720}), (FittedArea{0, 0, {1280, 720}}));
  EXPECT_EQ(fitted_area({640, 720}, {640, 360}), (FittedArea{160, 0, {320, 360}}));
  EXPECT_EQ(fitted_area({640, 90}, {640, 360}), (FittedArea{0, 134, {640, 90}}));
  EXPECT_EQ(fitted_area({4000, 1}, {64, 64}), (FittedArea{0, 30, {64, 2}})) << "never empty";
  for (int width = 1; width < 200; width += 7) {
    const FittedArea area = fitted_area({width, 100}, {128, 72});
    EXPECT_EQ(area.x % 2 + area.y % 2 + area.size.width % 2 + area.size.height % 2, 0) << width;
    EXPECT_LE(area.x + area.size.width, 128);
    EXPECT_LE(area.y + area.size.height, 72);
  }
}

TEST(PictureFit, PassesSameSizeThrough) {
  const auto memory = make_heap_memory();
  PictureFit fit({64, 48});
  const Picture picture = test::noise_picture(*memory, PictureFormat::Yuv420p, {64, 48}, 1);
  const Result<Picture> same = fit.fit(picture);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->planes, picture.planes);
}

TEST(PictureFit, ScalesAndPadsWithBlack) {
  const auto memory = make_heap_memory();
  PictureFit fit({64, 32});
  Picture white = test::noise_picture(*memory, PictureFormat::Yuv420p, {20, 20}, 1);
  for (int y = 0; y < 20; ++y) std::memset(white.planes[0] + y * white.strides[0], 235, 20);
  for (const std::size_t plane : {1U, 2U}) {
    for (int y = 0; y < 10; ++y) std::memset(white.planes[plane] + y * white.strides[plane], 128, 10);
  }
  const Result<Picture> fitted = fit.fit(white);
  ASSERT_TRUE(fitted);
  ASSERT_EQ(fitted->size, (Extent{64, 32}));
  for (int y = 0; y < 32; ++y) {
    for (int x = 0; x < 64; ++x) {
      const auto luma = static_cast<int>(fitted->planes[0][y * fitted->strides[0] + x]);
      EXPECT_NEAR(luma, x >= 16 && x < 48 ? 235 : 16, 1) << x << ' ' << y;
      const auto chroma = static_cast<int>(fitted->planes[2][y / 2 * fitted->strides[2] + x / 2]);
      EXPECT_NEAR(chroma, 128, 1);
    }
  }
}

TEST(PictureFit, ScalesRgb) {
  const auto memory = make_heap_memory();
  PictureFit fit({40, 20});
  Picture white = test::noise_picture(*memory, PictureFormat::Bgra8, {33, 33}, 1);
  for (int y = 0; y < 33; ++y) std::memset(white.planes[0] + y * white.strides[0], 255, 4 * 33);
  const Result<Picture> fitted = fit.fit(white);
  ASSERT_TRUE(fitted);
  const auto pixel = [&](int x, int y) {
    std::uint32_t value = 0;
    std::memcpy(&value, fitted->planes[0] + y * fitted->strides[0] + 4 * x, 4);
    return value;
  };
  EXPECT_EQ(pixel(0, 0), 0xFF000000U);
  EXPECT_EQ(pixel(39, 19), 0xFF000000U);
  EXPECT_EQ(pixel(20, 10), 0xFFFFFFFFU);
}

}  // namespace
}  // namespace glyphreel::media::picture_fit_test
