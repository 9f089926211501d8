// Tests that endless and self-referencing playlists are rejected before they fill the memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "media/input/input.h"
#include "support/clips.h"
#include "support/http_server.h"

namespace glyphreel::media::opening_limits_test {
namespace {

using namespace glyphreel::test;

constexpr const char* Variant = "#EXT-X-STREAM-INF:BANDWIDTH=1\n";
constexpr std::size_t TooLong = static_cast<std::size_t>(OpeningLimits::MaxListBytes) + (1U << 20);

std::string repeated(const std::string& head, const std::string& line, std::size_t bytes) {
  std::string text = head;
  while (text.size() < bytes) text += line;
  return text;
}

void write_text(const std::string& path, const std::string& text) {
  write_bytes(path, {text.begin(), text.end()});
}

std::string refusal(const std::string& url) {
  const auto input = Input::open(url);
  return input ? "opened" : input.error().message;
}

bool says(const std::string& message, const char* words) {
  return message.find(words) != std::string::npos;
}

TEST(OpeningLimits, SelfReferencingPlaylistIsRejected) {
  const TempDir dir;
  const std::string text = std::string("#EXTM3U\n") + Variant + "self.m3u8\n";
  write_text(dir / "self.m3u8", text);
  const std::string local = refusal(dir / "self.m3u8");
  EXPECT_TRUE(says(local, "other files")) << local;

  const HttpServer server([&](const std::string&, int) -> HttpAnswer { return {.body = text}; });
  const std::string remote = refusal(server.url("/self.m3u8"));
  EXPECT_TRUE(says(remote, "other files")) << remote;
  EXPECT_LE(server.requests(), static_cast<int>(OpeningLimits::MaxParts));
}

TEST(OpeningLimits, SelfReferencingListIsRejected) {
  const TempDir dir;
  write_text(dir / "self.ffconcat", "ffconcat version 1.0\nfile self.ffconcat\n");
  const std::string message = refusal(dir / "self.ffconcat");
  EXPECT_TRUE(says(message, "endlessly")) << message;
}

TEST(OpeningLimits, NestedListsAreOpened) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.2 " + (dir / "a.mp4"));
  std::string inner = "a.mp4";
  for (int i = 0; i < 10; ++i) {
    const std::string name = "list" + std::to_string(i) + ".ffconcat";
    write_text(dir / name, "ffconcat version 1.0\nfile " + inner + "\n");
    inner = name;
  }
  EXPECT_EQ(refusal(dir / inner), "opened");
}

TEST(OpeningLimits, ExcessiveNestedPlaylistsAreRejected) {
  const TempDir dir;
  write_text(dir / "many.m3u8", repeated("#EXTM3U\n", std::string(Variant) + "a.m3u8\n", 100'000));
  const std::string message = refusal(dir / "many.m3u8");
  EXPECT_TRUE(says(message, "other files")) << message;
}

TEST(OpeningLimits, LongListsAreRejected) {
  const TempDir dir;
  const std::string long_list = repeated("#EXTM3U\n#EXT-X-TARGETDURATION:1\n", "#EXTINF:1,\na.ts\n", TooLong);
  write_text(dir / "long.m3u8", long_list);
  write_text(dir / "long.ffconcat", repeated("ffconcat version 1.0\n", "file a.ts\n", TooLong));
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    if (path == "/master.m3u8") return {.body = std::string("#EXTM3U\n") + Variant + "long.m3u8\n"};
    return {.body = long_list, .can_seek = false};
  });
  for (const std::string& url :
       {dir / "long.m3u8", dir / "long.ffconcat", server.url("/long.m3u8"), server.url("/master.m3u8")}) {
    const std::string message = refusal(url);
    EXPECT_TRUE(says(message, "A playlist in")) << message;
  }
}

TEST(OpeningLimits, EndlessPipeIsRejected) {
  const auto handler = std::signal(SIGPIPE, SIG_IGN);
  const TempDir dir;
  const std::string path = dir / "pipe.srt";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] {
    const int pipe = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const std::string text = repeated("", "1\n00:00:01,000 --> 00:00:02,000\na\n\n", 60'000);
    while (::write(pipe, text.data(), text.size()) > 0) {
    }
    ::close(pipe);
  });
  const std::string message = refusal(path);
  writer.join();
  std::signal(SIGPIPE, handler);
  EXPECT_TRUE(says(message, "A playlist in")) << message;
}

}  // namespace
}  // namespace glyphreel::media::opening_limits_test
