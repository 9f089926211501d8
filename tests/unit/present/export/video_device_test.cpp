#include "present/export/device/video_device.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "present/export/device/device_sink.h"

namespace glyphreel::present::video_device_test {
namespace {

TEST(VideoDevice, YuyvHasTheSamplesOfYuv420p) {
  // 4x2 pixels with luma 10 to 17, Cb 1 and 2 (`blue`), and Cr 3 and 4 (`red`). Luma rows are padded to
  // 8 bytes.
  std::array<std::uint8_t, 16> luma{10, 11, 12, 13, 0, 0, 0, 0, 14, 15, 16, 17, 0, 0, 0, 0};
  std::array<std::uint8_t, 2> blue{1, 2};
  std::array<std::uint8_t, 2> red{3, 4};
  const auto bytes = [](auto& samples) { return reinterpret_cast<std::byte*>(samples.data()); };
  const Picture picture{.format = PictureFormat::Yuv420p,
                        .size = {4, 2},
                        .planes = {bytes(luma), bytes(blue), bytes(red)},
                        .strides = {8, 2, 2},
                        .block = nullptr};
  EXPECT_EQ(yuyv_of(picture),
            (std::vector<std::uint8_t>{10, 1, 11, 3, 12, 2, 13, 4, 14, 1, 15, 3, 16, 2, 17, 4}));
}

TEST(Pace, FramesKeepTheirDistances) {
  Pace pace;
  EXPECT_DOUBLE_EQ(pace.due(3.0, 100.0), 100.0) << "the first frame is due at once";
  EXPECT_DOUBLE_EQ(pace.due(3.25, 100.125), 100.25);
  EXPECT_DOUBLE_EQ(pace.due(3.5, 100.25), 100.5) << "a clock that is early";
  EXPECT_DOUBLE_EQ(pace.due(3.75, 102.0), 102.0) << "a frame that is late is due at once";
  EXPECT_DOUBLE_EQ(pace.due(4.0, 102.0), 102.25) << "later frames do not catch up";
}

TEST(VideoDevice, OtherFilesAreRefused) {
  const auto missing = VideoDevice::open("/dev/video-that-does-not-exist", {64, 48}, {25, 1});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("There is no device"), std::string::npos) << missing.error().message;
  const auto file = VideoDevice::open("/dev/null", {64, 48}, {25, 1});
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::Usage);
}

TEST(DeviceSink, OddSizesAreRefused) {
  const auto sink = open_sink(*export_format_of("/dev/video9"),
                              {.writer = {.path = "/dev/video9"}, .padding = Padding{{641, 480}}});
  ASSERT_FALSE(sink);
  EXPECT_NE(sink.error().message.find("--size 642x480"), std::string::npos) << sink.error().message;
}

}  // namespace
}  // namespace glyphreel::present::video_device_test
