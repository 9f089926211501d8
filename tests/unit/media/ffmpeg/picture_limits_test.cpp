#include "media/ffmpeg/picture_limits.h"

#include <gtest/gtest.h>

namespace glyphreel::media::picture_limits_test {
namespace {

constexpr std::int64_t FullHd = 1920LL * 1080 * 3 / 2, Uhd = 4 * FullHd, EightK = 4 * Uhd;

TEST(PictureLimits, SupportsEightKAtAnyDepth) {
  EXPECT_FALSE(is_too_large({7680, 4320}, 7680LL * 4320 * 8));
  EXPECT_FALSE(is_too_large({8192, 8192}, 8192LL * 8192 * 4));
  EXPECT_FALSE(is_too_large({65535, 1000}, 0));
}

TEST(PictureLimits, ErrorsNameExceededLimit) {
  ASSERT_TRUE(is_too_large({8193, 8192}, 0));
  EXPECT_EQ(too_large("a.png", {8193, 8192}, 0).message,
            "a.png has pictures of 8193x8192: at most 67 million pixels are supported.");
  constexpr std::int64_t Deep = 8192LL * 8192 * 8;
  ASSERT_TRUE(is_too_large({8192, 8192}, Deep));
  EXPECT_EQ(
      too_large("a.png", {8192, 8192}, Deep).message,
      "a.png has pictures of 8192x8192 with 64 bits per pixel: at most 256 MiB per picture are supported.");
  EXPECT_TRUE(is_too_large({65535, 65535}, 0));
}

TEST(PictureLimits, CommonVideosUseFullQueues) {
  for (const std::int64_t bytes : {FullHd, 2 * FullHd, Uhd}) {
    EXPECT_EQ(max_queued(bytes, 16), 16u);
    EXPECT_EQ(max_decoder_threads(bytes, 16), 16);
  }
  EXPECT_EQ(max_queued(Uhd, 4), 4u);
}

TEST(PictureLimits, LargeFramesShrinkQueues) {
  EXPECT_EQ(max_queued(EightK, 16), 5u);
  EXPECT_EQ(max_decoder_threads(EightK, 16), 9);
  EXPECT_EQ(max_queued(PictureLimits::Bytes, 16), 1u);
  EXPECT_EQ(max_decoder_threads(PictureLimits::Bytes, 16), 1);
  EXPECT_EQ(max_queued(8 * PictureLimits::Bytes, 16), 1u);
  EXPECT_EQ(max_decoder_threads(8 * PictureLimits::Bytes, 16), 1);
  EXPECT_EQ(max_queued(0, 16), 16u);
}

TEST(PictureLimits, CountBytesOfSubsampledPlanes) {
  FrameView view;
  view.size = {1920, 1080};
  view.layout.model = ColorModel::Yuv;
  for (const std::size_t chroma : {1U, 2U}) {
    view.layout.components[chroma].log2_subsampling_x = view.layout.components[chroma].log2_subsampling_y = 1;
  }
  EXPECT_EQ(bytes_of(view), FullHd);
  view.layout.bytes_per_sample = 2;
  EXPECT_EQ(bytes_of(view), 2 * FullHd);
}

}  // namespace
}  // namespace glyphreel::media::picture_limits_test
