// Tests encoders that accept pictures only in GPU memory. libva and FFmpeg's own code run on a driver whose
// packets contain the samples that it was given (tests/tools/pretend_va_encoder.cpp).
#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>

#include "media/encode/encoders.h"
#include "media/encode/video_encoder.h"

namespace glyphreel::media {
namespace {

constexpr Extent Size{64, 48};

WriterOptions options_for(const std::string& codec, const std::string& pixel_format = {}) {
  return {.path = "out.mkv",
          .codec = codec,
          .pixel_format = pixel_format,
          .size = Size,
          .time_base = {1, 25},
          .frame_rate = {25, 1}};
}

Result<ChosenEncoder> chosen(const WriterOptions& options) {
  return find_video_encoder(options, *export_format_of(options.path));
}

/// Returns a picture of noise.
Picture picture_of(PictureFormat format, std::uint32_t seed) {
  const bool is_yuv = format == PictureFormat::Yuv420p;
  const int luma = Size.width * Size.height;
  Picture picture{.format = format, .size = Size};
  picture.block = make_heap_memory()->acquire(static_cast<std::size_t>(luma) * 4);
  std::mt19937 random(seed);
  for (int i = 0; i < luma * 4; ++i) picture.block->bytes[i] = static_cast<std::byte>(random());
  std::byte* bytes = picture.block->bytes;
  picture.planes = {bytes, bytes + luma, bytes + luma + luma / 4};
  picture.strides =
      is_yuv ? std::array{Size.width, Size.width / 2, Size.width / 2} : std::array{Size.width * 4, 0, 0};
  return picture;
}

/// Returns the NV12 samples of a Yuv420p picture.
std::string nv12_of(const Picture& picture) {
  const auto luma = static_cast<std::size_t>(Size.width) * Size.height;
  std::string samples(reinterpret_cast<const char*>(picture.planes[0]), luma);
  for (std::size_t i = 0; i < luma / 4; ++i) {
    samples += static_cast<char>(picture.planes[1][i]);
    samples += static_cast<char>(picture.planes[2][i]);
  }
  return samples;
}

std::vector<std::string> encode(VideoEncoder& encoder, const std::vector<Picture>& pictures) {
  std::vector<std::string> packets;
  const auto receive = [&] {
    for (;;) {
      Result<PacketPtr> packet = encoder.receive();
      ASSERT_TRUE(packet) << packet.error().message;
      if (*packet == nullptr) return;
      EXPECT_EQ((*packet)->pts, static_cast<std::int64_t>(packets.size()));
      packets.emplace_back(reinterpret_cast<const char*>((*packet)->data),
                           static_cast<std::size_t>((*packet)->size));
    }
  };
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    const Result<void> sent = encoder.send(pictures[i], static_cast<std::int64_t>(i), 1);
    EXPECT_TRUE(sent) << sent.error().message << sent.error().cause;
    receive();
  }
  EXPECT_TRUE(encoder.end());
  receive();
  return packets;
}

TEST(HardwareEncoder, PicturesAreUploadedAsNv12) {
  const WriterOptions options = options_for("h264_vaapi");
  const auto encoder = chosen(options);
  ASSERT_TRUE(encoder) << encoder.error().message;
  EXPECT_EQ(encoder->format, AV_PIX_FMT_NV12);
  EXPECT_EQ(*Writer::picture_format(options), PictureFormat::Yuv420p)
      << "the renderer must draw YUV, so that no color conversion is needed";
  auto opened = VideoEncoder::open(options, *encoder, CodecHeaders::InContainer);
  ASSERT_TRUE(opened) << opened.error().message << opened.error().cause;
  std::vector<Picture> pictures;
  for (std::uint32_t i = 0; i < 5; ++i) pictures.push_back(picture_of(PictureFormat::Yuv420p, i));
  const std::vector<std::string> packets = encode(**opened, pictures);
  ASSERT_EQ(packets.size(), pictures.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    EXPECT_NE(packets[i].find(nv12_of(pictures[i])), std::string::npos)
        << "picture " << i << " has different samples";
  }
  EXPECT_EQ((*opened)->bytes_copied(), pictures.size() * Size.width * Size.height * 3 / 2);
}

TEST(HardwareEncoder, UnsupportedFormatsAreRefused) {
  const auto unknown = chosen(options_for("h264_vaapi", "yuv444p"));
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("nv12, p010le"), std::string::npos) << unknown.error().message;
  // The driver has no profile with 10 bits.
  const WriterOptions options = options_for("h264_vaapi", "p010le");
  const auto encoder = chosen(options);
  ASSERT_TRUE(encoder);
  EXPECT_EQ(picture_format_of(encoder->format), PictureFormat::Bgra8);
  const auto refused = VideoEncoder::open(options, *encoder, CodecHeaders::InContainer);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Usage);
  EXPECT_NE(refused.error().message.find("choose a different --codec"), std::string::npos)
      << refused.error().message;
}

TEST(HardwareEncoder, SoftwareEncodersCopyNothing) {
  const WriterOptions options = options_for("ffv1");
  auto opened = VideoEncoder::open(options, *chosen(options), CodecHeaders::InContainer);
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_EQ(encode(**opened, {picture_of(PictureFormat::Bgra8, 1)}).size(), 1u);
  EXPECT_EQ((*opened)->bytes_copied(), 0u);
}

TEST(HardwareEncoder, QuickSyncReceivesNv12) {
  const auto encoder = chosen(options_for("h264_qsv"));
  if (avcodec_find_encoder_by_name("h264_qsv") == nullptr) GTEST_SKIP() << "this FFmpeg has no h264_qsv";
  ASSERT_TRUE(encoder) << encoder.error().message;
  EXPECT_EQ(encoder->format, AV_PIX_FMT_NV12);
  EXPECT_EQ(encoder->device, AV_HWDEVICE_TYPE_NONE) << "h264_qsv uploads the pictures itself";
}

}  // namespace
}  // namespace glyphreel::media
