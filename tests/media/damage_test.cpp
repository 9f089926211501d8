#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>
#include <random>
#include <variant>

#include "media/listing.h"
#include "support/clips.h"
#include "support/pictures.h"

namespace glyphreel::media::damage_test {
namespace {

using namespace glyphreel::test;

Error open_error(const std::string& url) {
  SourceOptions options;
  options.url = url;
  auto source = Source::open(options);
  if (source) {
    ADD_FAILURE() << url << " opened";
    return {};
  }
  return source.error();
}

void expect_bad_input(const std::string& path, const std::string& part_of_message) {
  const Error error = open_error(path);
  EXPECT_EQ(error.code, ErrorCode::BadInput);
  EXPECT_NE(error.message.find(path), std::string::npos) << error.message;
  EXPECT_NE(error.message.find(part_of_message), std::string::npos) << error.message;
}

TEST(BadInput, ErrorsNameCause) {
  const TempDir dir;
  expect_bad_input(dir / "missing.mp4", "no file");
  expect_bad_input(dir / "", "is a directory");
  write_bytes(dir / "empty.mp4", {});
  expect_bad_input(dir / "empty.mp4", "is empty");
  const std::string text = "This is a letter, not a video.\nIt has two lines.\n";
  write_bytes(dir / "letter.mp4", {text.begin(), text.end()});
  expect_bad_input(dir / "letter.mp4", "not a media file");
  ffmpeg("-f lavfi -i sine=duration=1 -c:a aac " + (dir / "sound.m4a"));
  expect_bad_input(dir / "sound.m4a", "contains no video");
  expect_bad_input("nonesuch://host/film", "protocol");
}

TEST(BadInput, ErrorsNameMissingPermission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const TempDir dir;
  write_bytes(dir / "secret.mp4", {1, 2, 3});
  ASSERT_EQ(::chmod((dir / "secret.mp4").c_str(), 0), 0);
  expect_bad_input(dir / "secret.mp4", "cannot be read");
}

TEST(BadInput, Mp4WithoutIndexIsReportedTruncated) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 50 -c:v libx264 " + (dir / "clip.mp4"));
  auto bytes = read_bytes(dir / "clip.mp4");
  bytes.resize(bytes.size() / 2);
  write_bytes(dir / "cut.mp4", bytes);
  expect_bad_input(dir / "cut.mp4", "cut short");
}

TEST(BadInput, FileNameMayContainColon) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 5 -c:v libx264 " + (dir / "clip.mp4"));
  write_bytes(dir / "12:30 film.mp4", read_bytes(dir / "clip.mp4"));
  SourceOptions options;
  options.url = dir / "12:30 film.mp4";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(read_frames(*source).size(), 5U);
}

TEST(Damage, TruncatedFilePlaysUpToCut) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 100 -c:v libx264 -g 10 -movflags faststart " +
         (dir / "clip.mp4"));
  auto bytes = read_bytes(dir / "clip.mp4");
  bytes.resize(bytes.size() * 6 / 10);
  write_bytes(dir / "cut.mp4", bytes);
  SourceOptions options;
  options.url = dir / "cut.mp4";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  const auto frames = read_frames(*source);
  EXPECT_GT(frames.size(), 30U);
  EXPECT_LT(frames.size(), 80U);
}

TEST(Damage, UndecodableInputFails) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 20 -c:v png " + (dir / "clip.mov"));
  auto bytes = read_bytes(dir / "clip.mov");
  const std::vector<std::uint8_t> signature = {0x89, 'P', 'N', 'G'};
  int broken = 0;
  for (auto at = bytes.begin();;) {
    at = std::search(at, bytes.end(), signature.begin(), signature.end());
    if (at == bytes.end()) break;
    *at++ = 0;
    ++broken;
  }
  ASSERT_EQ(broken, 20);
  write_bytes(dir / "broken.mov", bytes);
  SourceOptions options;
  options.url = dir / "broken.mov";
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  const auto item = source->read();
  ASSERT_FALSE(item);
  EXPECT_EQ(item.error().code, ErrorCode::BadInput);
  EXPECT_EQ(source->damaged_packets(), 20U);
}

TEST(Damage, BrokenPacketsAreCountedAndSkipped) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 20 -c:v png " + (dir / "clip.mov"));
  auto bytes = read_bytes(dir / "clip.mov");
  const std::vector<std::uint8_t> signature = {0x89, 'P', 'N', 'G'};
  auto at = bytes.begin();
  for (int i = 0; i < 3; ++i) {
    at = std::search(at, bytes.end(), signature.begin(), signature.end());
    ASSERT_NE(at, bytes.end());
    *at++ = 0;
  }
  write_bytes(dir / "broken.mov", bytes);
  SourceOptions options;
  options.url = dir / "broken.mov";
  options.threads = 1;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  EXPECT_EQ(read_frames(*source).size(), 17U);
  EXPECT_EQ(source->damaged_packets(), 3U);
}

TEST(Damage, RandomByteFlipsNeverCrash) {
  const TempDir dir;
  const std::vector<std::string> clips = {
      "-c:v libx264 -bf 2 -c:a aac " + (dir / "a.mp4"),
      "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -c:a libopus " + (dir / "b.webm"),
      "-c:v mpeg2video -c:a mp2 " + (dir / "c.ts"),
      "-c:v ffv1 -pix_fmt yuv422p10le -c:a flac " + (dir / "d.mkv")};
  std::mt19937 random(7);
  std::size_t frames_seen = 0;
  for (const std::string& clip : clips) {
    ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine -t 1 " + clip);
    const std::string path = clip.substr(clip.rfind(' ') + 1);
    const auto whole = read_bytes(path);
    for (int round = 0; round < 12; ++round) {
      auto bytes = whole;
      for (int flip = 0; flip < 1 << (round / 2); ++flip) {
        bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1U << random() % 8);
      }
      write_bytes(path, bytes);
      const auto memory = make_heap_memory();
      SourceOptions options;
      options.url = path;
      options.memory = memory.get();
      options.audio = AudioDelivery::WithFrames;
      auto source = Source::open(options);
      if (!source) {
        EXPECT_EQ(source.error().code, ErrorCode::BadInput);
        continue;
      }
      std::int64_t last_pts = std::numeric_limits<std::int64_t>::min();
      for (;;) {
        auto item = (*source)->read();
        if (!item) {
          EXPECT_FALSE(item.error().message.empty());
          break;
        }
        if (std::holds_alternative<EndOfStream>(*item)) break;
        const auto* frame = std::get_if<Frame>(&*item);
        if (frame == nullptr) continue;
        EXPECT_GE(frame->pts, last_pts);
        last_pts = frame->pts;
        ++frames_seen;
        EXPECT_FALSE(planar_samples(frame->view).empty());  // reads every sample
      }
    }
  }
  EXPECT_GT(frames_seen, 500U);
}

TEST(Listing, NamesEveryStream) {
  const TempDir dir;
  ffmpeg(
      "-f lavfi -i testsrc2=size=128x96:rate=25 -f lavfi -i sine -t 1 -c:v libx264 -c:a aac -metadata:s:a:0 "
      "language=deu " +
      (dir / "clip.mkv"));
  const auto listing = list_input(dir / "clip.mkv");
  ASSERT_TRUE(listing);
  ASSERT_EQ(listing->streams.size(), 2U);
  const StreamListing& video = listing->streams[0];
  EXPECT_EQ(video.kind, "video");
  ASSERT_TRUE(video.video);
  EXPECT_EQ(video.video->size, (Extent{128, 96}));
  EXPECT_EQ(video.video->fps, 25);
  EXPECT_EQ(listing->streams[1].kind, "audio");
  EXPECT_EQ(listing->streams[1].language, "deu");
  EXPECT_NEAR(listing->duration_seconds.value_or(0), 1, 0.1);
  EXPECT_FALSE(list_input(dir / "missing.mkv"));
}

TEST(Capabilities, ListAvailableComponents) {
  const MediaCapabilities found = capabilities();
  EXPECT_FALSE(found.ffmpeg_version.empty());
  EXPECT_NE(std::find(found.decoders.begin(), found.decoders.end(), "h264"), found.decoders.end());
  EXPECT_NE(std::find(found.encoders.begin(), found.encoders.end(), "ffv1"), found.encoders.end());
}

/// Memory whose allocations fail after a few frames.
class FailingMemory final : public HostMemory {
 public:
  std::shared_ptr<const HostBlock> acquire(std::size_t) override {
    if (++calls_ > 20) throw std::bad_alloc();
    return nullptr;
  }

 private:
  std::atomic<int> calls_ = 0;
};

TEST(OutOfMemory, IsErrorNotEndOfStream) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=128x96:rate=25 -frames:v 50 -c:v libx264 " + (dir / "clip.mp4"));
  FailingMemory memory;
  auto source = Source::open({.url = dir / "clip.mp4", .memory = &memory});
  ASSERT_TRUE(source) << source.error().message;
  Result<SourceItem> item = (*source)->read();
  while (item && std::holds_alternative<Frame>(*item)) item = (*source)->read();
  ASSERT_FALSE(item);
  EXPECT_EQ(item.error().code, ErrorCode::Failed);
  EXPECT_NE(item.error().message.find("Memory ran out"), std::string::npos) << item.error().message;
}

}  // namespace
}  // namespace glyphreel::media::damage_test
