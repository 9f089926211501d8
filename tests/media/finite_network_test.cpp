// Tests files on a web server that does not support range requests. Reading must end at the file's last byte.
// If a response body is cut short, the input must request the file again.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "media/source.h"
#include "support/clips.h"
#include "support/http_server.h"

namespace glyphreel::media::finite_network_test {
namespace {

using namespace glyphreel::test;

class FiniteNetwork : public testing::Test {
 protected:
  static constexpr std::size_t Frames = 50;
  enum class Length { Reported, Unknown };

  void make(const std::string& name, const std::string& arguments = "") {
    ffmpeg("-f lavfi -i testsrc2=size=320x180:rate=25 -frames:v 50 -c:v libx264 -g 10 -pix_fmt yuv420p " +
           arguments + " " + (dir_ / name));
  }
  [[nodiscard]] HttpAnswer answer(const std::string& name, Length length) const {
    const auto bytes = read_bytes(dir_ / name);
    HttpAnswer answer{.body = {bytes.begin(), bytes.end()}, .can_seek = false};
    if (length == Length::Reported) answer.headers = fmt::format("Content-Length: {}\r\n", bytes.size());
    return answer;
  }
  TempDir dir_;
};

/// A frame's timestamp and a hash of its luma.
using SeenFrame = std::pair<std::int64_t, std::size_t>;

std::size_t luma_hash(const Frame& frame, Extent size) {
  std::string luma;
  for (int row = 0; row < size.height; ++row) {
    luma.append(reinterpret_cast<const char*>(frame.view.planes[0] + row * frame.view.strides[0]),
                static_cast<std::size_t>(size.width));
  }
  return std::hash<std::string>()(luma);
}

/// Returns the frames of an input, but at most `most` + 1, so that endless repetition fails a test.
std::vector<SeenFrame> seen_frames(const std::string& url, std::size_t most) {
  auto source = Source::open({.url = url});
  EXPECT_TRUE(source) << source.error().message << source.error().cause;
  std::vector<SeenFrame> seen;
  while (source && seen.size() <= most) {
    auto item = (*source)->read();
    EXPECT_TRUE(item) << item.error().message << item.error().cause;
    if (!item || std::holds_alternative<EndOfStream>(*item)) break;
    if (const auto* frame = std::get_if<Frame>(&*item))
      seen.emplace_back(frame->pts, luma_hash(*frame, (*source)->facts().size));
  }
  return seen;
}

TEST_F(FiniteNetwork, FilePlaysOnce) {
  make("clip.ts");
  make("clip.mkv");
  make("clip.mp4", "-movflags +faststart");
  for (const char* name : {"clip.ts", "clip.mkv", "clip.mp4"}) {
    for (const Length length : {Length::Reported, Length::Unknown}) {
      const HttpServer server([&](const std::string&, int) { return answer(name, length); });
      EXPECT_EQ(seen_frames(server.url("/clip"), Frames).size(), Frames)
          << name << " " << static_cast<int>(length);
      EXPECT_EQ(server.requests(), 1) << name << " " << static_cast<int>(length);
    }
  }
}

TEST_F(FiniteNetwork, ImageIsOneFrame) {
  ffmpeg("-f lavfi -i testsrc2=size=64x64 -frames:v 1 " + (dir_ / "a.png"));
  const HttpServer server([&](const std::string&, int) { return answer("a.png", Length::Unknown); });
  EXPECT_EQ(seen_frames(server.url("/a.png"), 2).size(), 1U);
  EXPECT_EQ(server.requests(), 1);
}

TEST_F(FiniteNetwork, TruncatedBodyResumesAtBreak) {
  make("clip.ts");
  make("clip.mkv");
  make("clip.mp4", "-movflags +faststart");
  for (const char* name : {"clip.ts", "clip.mkv", "clip.mp4"}) {
    const std::vector<SeenFrame> whole = seen_frames(dir_ / name, Frames);
    const HttpServer server([&](const std::string&, int request) {
      HttpAnswer sent = answer(name, Length::Reported);
      if (request == 0) sent.break_after = sent.body.size() / 2;
      return sent;
    });
    EXPECT_EQ(seen_frames(server.url("/clip"), Frames), whole) << name;
    EXPECT_EQ(server.requests(), 2) << name;
  }
}

TEST_F(FiniteNetwork, IndexAtEndIsRejected) {
  make("clip.mp4");
  for (const Length length : {Length::Reported, Length::Unknown}) {
    const HttpServer server([&](const std::string&, int) { return answer("clip.mp4", length); });
    const auto source = Source::open({.url = server.url("/clip.mp4")});
    ASSERT_FALSE(source);
    EXPECT_NE(source.error().message.find("its server cannot seek; download"), std::string::npos)
        << source.error().message;
    EXPECT_EQ(server.requests(), 1);
  }
}

TEST_F(FiniteNetwork, IndexAtEndIsRejectedBeforeFileArrives) {
  make("clip.mp4", "-b:v 4M");
  const HttpServer server([&](const std::string&, int) {
    HttpAnswer sent = answer("clip.mp4", Length::Reported);
    EXPECT_GT(sent.body.size(), 100'000U);
    sent.break_after = 50'000;
    sent.silence_seconds = 100;
    return sent;
  });
  const auto source = Source::open({.url = server.url("/clip.mp4")});
  ASSERT_FALSE(source);
  EXPECT_NE(source.error().message.find("its server cannot seek; download"), std::string::npos)
      << source.error().message;
  EXPECT_EQ(server.requests(), 1);
}

}  // namespace
}  // namespace glyphreel::media::finite_network_test
