#include "media/segment/segment_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/host_memory.h"
#include "media/segment/assembler.h"

namespace glyphreel::media::segment_file_test {
namespace {

namespace fs = std::filesystem;

class SegmentFileTest : public testing::Test {
 protected:
  SegmentFileTest() {
    std::string pattern = (fs::temp_directory_path() / "segments-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~SegmentFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  WriterOptions options(const std::string& name, const std::string& pixels = "") const {
    return {.path = path(name),
            .format = "mkv",
            .codec = "ffv1",
            .pixel_format = pixels,
            .threads = 1,
            .size = {32, 16},
            .time_base = {1, 25},
            .frame_rate = {25, 1}};
  }

  /// Writes the frames `first` to `last` as a segment.
  void write(const std::string& name, std::int64_t first, std::int64_t last, const std::string& pixels = "") {
    SegmentStart start{.pts_before = {}, .first_pts = first};
    if (first > 0) start.pts_before = first - 1;
    auto writer = open_segment_writer(options(name, pixels), start);
    ASSERT_TRUE(writer) << full_text(writer.error());
    for (std::int64_t pts = first; pts <= last; ++pts)
      ASSERT_TRUE((*writer)->write_video(picture(pts), pts, 1));
    ASSERT_TRUE((*writer)->finish());
  }

  Picture picture(std::int64_t pts) const {
    const auto memory = make_heap_memory();
    auto block = memory->acquire(32 * 16 * 4);
    std::memset(block->bytes, static_cast<int>(pts * 5 % 256), block->size);
    return {.format = PictureFormat::Bgra8,
            .size = {32, 16},
            .planes = {block->bytes},
            .strides = {32 * 4},
            .block = std::move(block)};
  }

  std::string bytes_of(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
  }
  AssemblyOptions assembly(const std::vector<std::string>& names) const {
    AssemblyOptions assembly{.writer = options("out.mkv"), .segments = {}};
    for (const std::string& name : names) assembly.segments.push_back(path(name));
    return assembly;
  }

  fs::path folder_;
};

TEST_F(SegmentFileTest, HasTheWrittenPictures) {
  write("a", 3, 9);
  auto segment = SegmentFile::open(path("a"));
  ASSERT_TRUE(segment);
  const SegmentStart expected{.pts_before = 2, .first_pts = 3};
  EXPECT_EQ((*segment)->facts().start, expected);
  EXPECT_EQ((*segment)->facts().frames, 7);
  EXPECT_EQ((*segment)->facts().last_pts, 9);
  std::vector<std::int64_t> times;
  while (true) {
    auto picture = (*segment)->next();
    ASSERT_TRUE(picture);
    if (picture->packet == nullptr) break;
    EXPECT_TRUE((picture->packet->flags & AV_PKT_FLAG_KEY) != 0);
    times.push_back(picture->packet->pts);
  }
  EXPECT_EQ(times, (std::vector<std::int64_t>{3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(SegmentFileTest, TruncatedFileIsRefused) {
  write("a", 0, 9);
  const std::string whole = bytes_of("a");
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{5}, std::size_t{20}, whole.size() / 2, whole.size() - 1}) {
    put("cut", whole.substr(0, size));
    EXPECT_FALSE(SegmentFile::open(path("cut"))) << size;
  }
}

TEST_F(SegmentFileTest, DamagedPictureIsRefused) {
  write("a", 0, 9);
  std::string bytes = bytes_of("a");
  bytes[bytes.size() / 2] ^= 1;
  put("a", bytes);
  const auto joined = assemble(assembly({"a"}));
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("is damaged"), std::string::npos) << joined.error().message;
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "an incomplete output remains";
}

TEST_F(SegmentFileTest, AbandonedSegmentLeavesNoFile) {
  auto writer = open_segment_writer(options("a"), {});
  ASSERT_TRUE(writer);
  ASSERT_TRUE((*writer)->write_video(picture(0), 0, 1));
  EXPECT_EQ((*writer)->abandon(), "");
  writer = Error{};
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(SegmentFileTest, AssembledSegmentsHaveAllPictures) {
  write("a", 0, 4);
  write("b", 5, 5);
  write("c", 6, 11);
  const auto frames = assemble(assembly({"a", "b", "c"}));
  ASSERT_TRUE(frames) << full_text(frames.error());
  EXPECT_EQ(*frames, 12);
  EXPECT_TRUE(fs::exists(path("out.mkv")));
}

TEST_F(SegmentFileTest, SegmentsThatDoNotFollowEachOtherAreRefused) {
  write("a", 0, 4);
  write("c", 6, 11);
  const auto joined = assemble(assembly({"a", "c"}));
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("does not begin where"), std::string::npos) << joined.error().message;
  EXPECT_FALSE(assemble(assembly({"c"}))) << "the first segment is missing";
}

TEST_F(SegmentFileTest, SegmentsOfTwoEncodersAreRefused) {
  write("a", 0, 4);
  write("b", 5, 9, "yuv444p");
  const auto joined = assemble(assembly({"a", "b"}));
  ASSERT_FALSE(joined);
  EXPECT_NE(joined.error().message.find("different encoder or encoder version"), std::string::npos)
      << joined.error().message;
}

TEST_F(SegmentFileTest, EmptySegmentsContinueAnySegment) {
  const SegmentFacts first{.start = {}, .frames = 5, .last_pts = 4};
  const SegmentFacts empty{};
  const SegmentFacts last{.start = {.pts_before = 4, .first_pts = 5}, .frames = 1, .last_pts = 5};
  EXPECT_EQ(first_discontinuity({first, empty, last}), 3u);
  EXPECT_EQ(first_discontinuity({first, empty, first}), 2u);
  EXPECT_EQ(first_discontinuity({last}), 0u);
}

}  // namespace
}  // namespace glyphreel::media::segment_file_test
