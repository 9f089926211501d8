#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "present/export/frame_sink.h"
#include "present/export/image/animated_files.h"
#include "present/export/image/cell_picture.h"
#include "present/export/sequence_sink.h"

namespace glyphreel::present::image_sinks_test {
namespace {

namespace fs = std::filesystem;

constexpr Extent Size{8, 4};

Picture picture_of(std::vector<std::uint32_t>& pixels) {
  return {.format = PictureFormat::Bgra8,
          .size = Size,
          .planes = {reinterpret_cast<std::byte*>(pixels.data())},
          .strides = {Size.width * 4}};
}

TEST(CellPicture, ChangedAreaIsTheSmallest) {
  std::vector<std::uint32_t> a(32, 7), b(32, 7);
  const Picture before = picture_of(a);
  const Picture after = picture_of(b);
  EXPECT_TRUE(changed_area(before, after).is_empty());
  b[1 * 8 + 5] = 1;
  EXPECT_EQ(changed_area(before, after), (PixelArea{5, 1, {1, 1}}));
  b[2 * 8 + 3] = 1;
  EXPECT_EQ(changed_area(before, after), (PixelArea{3, 1, {3, 2}}));
  b[0] = b[31] = 1;
  EXPECT_EQ(changed_area(before, after), (PixelArea{0, 0, Size}));
}

TEST(CellPicture, TransparentBackgroundLeavesGlyphs) {
  const auto glyphs = text::GlyphSet::make({.cell = {4, 4}, .characters = " █"});
  ASSERT_TRUE(glyphs);
  const std::vector<render::Cell> cells{
      {0, 0xFFFFFFFF, 0xFF000000}, {1, 0xFF00FF00, 0xFF000000}, {0, 0xFFFFFFFF, 0xFF112233}};
  const Picture picture = draw_transparent({.grid = {3, 1}, .cells = cells}, **glyphs, 0x000000);
  const auto* pixels = reinterpret_cast<const std::uint32_t*>(picture.planes[0]);
  EXPECT_EQ(pixels[0], 0u) << "a blank cell on the background color";
  EXPECT_EQ(pixels[4], 0xFF00FF00u) << "a glyph on it";
  EXPECT_EQ(pixels[8], 0xFF112233u) << "another background is opaque";
}

TEST(AnimatedFiles, ApngCountsFramesAndNumbersChunks) {
  const std::unique_ptr<AnimatedFile> file = make_apng();
  // A PNG of 1x1 pixels, whose chunks after IHDR are one IDAT of two bytes and IEND.
  const std::string still(
      "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0crc1\0\0\0\2IDATxycrc2\0\0\0\0IENDcrc3", 59);
  const std::string first = file->add({still, {0, 0, {1, 1}}, 40, false});
  EXPECT_EQ(first.substr(0, 33), still.substr(0, 33)) << "the signature and IHDR";
  EXPECT_EQ(first.substr(37, 12), std::string("acTL\0\0\0\1\0\0\0\0", 12));
  EXPECT_NE(first.find("IDATxycrc2"), std::string::npos);
  const std::string second = file->add({still, {2, 3, {1, 1}}, 70000, false});
  EXPECT_EQ(second.substr(4, 4), "fcTL");
  EXPECT_EQ(second.substr(8, 20), std::string("\0\0\0\1\0\0\0\1\0\0\0\1\0\0\0\2\0\0\0\3", 20));
  EXPECT_EQ(second.substr(28, 4), std::string("\x1b\x58\0\x64", 4)) << "70 seconds are 7000/100";
  EXPECT_NE(second.find(std::string("fdAT\0\0\0\2xy", 10)), std::string::npos);
  const std::string third = file->add({still, {0, 0, {1, 1}}, 36'000'000, false});
  EXPECT_EQ(third.substr(28, 4), std::string("\x8c\xa0\0\1", 4)) << "ten hours are 36000 seconds";
  const FilePatch patch = file->patch();
  EXPECT_EQ(patch.at, 33u);
  EXPECT_EQ(patch.bytes.substr(4, 8), std::string("acTL\0\0\0\3", 8));
  EXPECT_EQ(file->end(), std::string("\0\0\0\0IEND\xae\x42\x60\x82", 12));
}

TEST(AnimatedFiles, WebpLengthFollowsFrames) {
  const std::unique_ptr<AnimatedFile> file = make_animated_webp({16, 8});
  const std::string still("RIFF\0\0\0\0WEBPVP8L\3\0\0\0xyz\0", 24);
  const std::string first = file->add({still, {0, 0, {16, 8}}, 40, false});
  EXPECT_EQ(first.substr(8, 8), "WEBPVP8X");
  EXPECT_EQ(first.substr(24, 6), std::string("\x0f\0\0\x07\0\0", 6)) << "width and height minus one";
  const std::string second = file->add({still, {2, 4, {3, 1}}, 300, true});
  EXPECT_EQ(second, std::string("ANMF\x1c\0\0\0\1\0\0\2\0\0\2\0\0\0\0\0\x2c\1\0\0VP8L\3\0\0\0xyz\0", 36));
  const FilePatch patch = file->patch();
  EXPECT_EQ(patch.at, 4u);
  EXPECT_EQ(static_cast<std::size_t>(static_cast<unsigned char>(patch.bytes[0])),
            first.size() + second.size() - 8);
}

/// Writes frames to an animation and returns the file.
std::string animation_of(const char* ending, int frames) {
  const fs::path path =
      fs::temp_directory_path() / fmt::format("glyphreel-animation-{}.{}", ::getpid(), ending);
  const auto glyphs = text::GlyphSet::make({.cell = {4, 4}, .characters = " █"});
  CHECK(static_cast<bool>(glyphs), glyphs.error().message);
  const SinkOptions options{.writer = {.path = path, .size = Size, .time_base = {1, 25}, .overwrite = true},
                            .glyphs = *glyphs};
  auto sink = open_sink(*export_format_of(path), options);
  CHECK(static_cast<bool>(sink), sink.error().message);
  std::vector<std::vector<std::uint32_t>> pictures;
  for (int i = 0; i < frames; ++i) pictures.emplace_back(32, 0xFF000000u + static_cast<std::uint32_t>(i));
  for (int i = 0; i < frames; ++i)
    EXPECT_TRUE((*sink)->write({.pts = i, .picture = picture_of(pictures[static_cast<std::size_t>(i)])}));
  EXPECT_TRUE((*sink)->finish());
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  fs::remove(path);
  return bytes;
}

TEST(AnimationSink, OneFrameIsAStillPicture) {
  EXPECT_EQ(animation_of("webp", 1).find("ANIM"), std::string::npos);
  EXPECT_NE(animation_of("webp", 2).find("ANIM"), std::string::npos);
  EXPECT_EQ(animation_of("apng", 1).find("acTL"), std::string::npos);
  EXPECT_NE(animation_of("apng", 2).find("acTL"), std::string::npos);
}

TEST(AnimatedFiles, WebpHasALargestSize) {
  EXPECT_EQ(make_animated_webp({16, 8})->max_bytes(), 0xFFFFFFFFu);
}

TEST(SequenceSink, NumbersCountFromOne) {
  EXPECT_EQ(numbered_name("a-%05d.png", 1), "a-00001.png");
  EXPECT_EQ(numbered_name("%d.png", 123), "123.png");
  std::string pattern = (fs::temp_directory_path() / "glyphreel-sequence-XXXXXX").string();
  const fs::path folder = mkdtemp(pattern.data());
  const auto glyphs = text::GlyphSet::make({.cell = {4, 4}, .characters = " █"});
  ASSERT_TRUE(glyphs);
  const std::vector<render::Cell> cells{{1, 0, 0}};
  for (const bool replaced : {false, true}) {
    SinkOptions options{.writer = {.path = folder / "a%02d.txt", .overwrite = replaced}, .glyphs = *glyphs};
    auto sink = open_sink(*export_format_of(options.writer.path), options);
    ASSERT_TRUE(sink) << sink.error().message;
    for (int i = 0; i < 2; ++i) ASSERT_TRUE((*sink)->write({.grid = {1, 1}, .cells = cells}));
    EXPECT_TRUE(fs::exists(folder / "a02.txt")) << "complete before the recording ends";
    ASSERT_TRUE((*sink)->finish());
    options.writer.overwrite = false;
    EXPECT_FALSE(open_sink(*export_format_of(options.writer.path), options)) << "the first file exists";
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 2);
  fs::remove_all(folder);
}

TEST(FrameSink, TransparencyNeedsAFormatWithAlpha) {
  const auto sink = open_sink(*export_format_of("a.jpg"), {.writer = {.path = "a.jpg"}, .transparent = 0});
  ASSERT_FALSE(sink);
  EXPECT_EQ(sink.error().code, ErrorCode::Usage);
}

}  // namespace
}  // namespace glyphreel::present::image_sinks_test
