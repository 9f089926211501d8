#include "media/input/input.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "../environment.h"
#include "../eventually.h"
#include "../threads_at_rest.h"
#include "media/input/fetch.h"
#include "support/clips.h"
#include "support/http_server.h"

namespace glyphreel::media::input_test {
namespace {

using namespace glyphreel::test;
using Clock = std::chrono::steady_clock;

std::string text_of(const std::string& path) {
  const auto bytes = read_bytes(path);
  return {bytes.begin(), bytes.end()};
}

/// The number of packets up to the end, and the final error code.
struct Reading {
  int packets = 0;
  int end = 0;
};
Reading read_all(Input& input) {
  Reading reading;
  const PacketPtr packet = new_packet();
  while ((reading.end = av_read_frame(&input.format(), packet.get())) >= 0) {
    ++reading.packets;
    av_packet_unref(packet.get());
  }
  return reading;
}

/// Returns the number of packets in the input. If it cannot be opened, fails the test and returns -1.
int packets_of(const std::string& url) {
  auto input = Input::open(url);
  if (!input) {
    ADD_FAILURE() << url << ": " << input.error().message << " (" << input.error().cause << ')';
    return -1;
  }
  return read_all(**input).packets;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string hls(const std::string& segment) {
  return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n" + segment + "\n#EXT-X-ENDLIST\n";
}

class NetworkInput : public ::testing::Test {
 protected:
  void SetUp() override {
    ffmpeg("-f lavfi -i testsrc2=size=320x240:rate=25 -frames:v 50 -c:v mpeg2video -b:v 2M " +
           (dir_ / "clip.ts"));
    clip_ = text_of(dir_ / "clip.ts");
  }
  static constexpr int Frames = 50;
  TempDir dir_;
  std::string clip_;
};

TEST_F(NetworkInput, ServerPlaylistCannotReferenceLocalFiles) {
  const std::string local = "file://" + (dir_ / "clip.ts");
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    if (path == "/good.m3u8") return {.body = hls("clip.ts")};
    if (path == "/clip.ts") return {.body = clip_};
    if (path == "/file.m3u8") return {.body = hls(local)};
    if (path == "/bare.m3u8") return {.body = hls("file:" + (dir_ / "clip.ts"))};
    if (path == "/concat.m3u8")
      return {.body = hls("concat:" + (dir_ / "clip.ts") + "|" + (dir_ / "clip.ts"))};
    if (path == "/subfile.m3u8") return {.body = hls("subfile,,start,0,end,0,,:" + (dir_ / "clip.ts"))};
    if (path == "/crypto.m3u8") return {.body = hls("crypto:" + local)};
    if (path == "/master.m3u8")
      return {.body = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nfile://" + (dir_ / "local.m3u8") + "\n"};
    if (path == "/script") return {.body = "ffconcat version 1.0\nfile '" + local + "'\n"};
    if (path == "/away.ts") return {.status = 302, .headers = "Location: " + local + "\r\n"};
    return {.status = 404};
  });
  write_bytes(dir_ / "local.m3u8", [&] {
    const std::string text = hls("clip.ts");
    return std::vector<std::uint8_t>(text.begin(), text.end());
  }());
  EXPECT_EQ(packets_of(server.url("/good.m3u8")), Frames);
  EXPECT_EQ(packets_of(dir_ / "local.m3u8"),
            Frames);  // the user may open this file, but a server's playlist may not refer to it
  const Environment no_helper("PATH", "/nonexistent");
  for (const char* trap : {"/file.m3u8", "/bare.m3u8", "/concat.m3u8", "/subfile.m3u8", "/crypto.m3u8",
                           "/master.m3u8", "/script", "/away.ts"}) {
    auto input = Input::open(server.url(trap));
    if (input) {
      EXPECT_EQ(read_all(**input).packets, 0) << trap;
    }
  }
  EXPECT_FALSE(fetch_text(server.url("/away.ts")));
  EXPECT_EQ(*fetch_text(server.url("/good.m3u8")), hls("clip.ts"));
}

TEST_F(NetworkInput, LocalFileCannotReferenceNetwork) {
  const HttpServer server([&](const std::string&, int) -> HttpAnswer { return {.body = clip_}; });
  const std::string text = hls(server.url("/clip.ts"));
  write_bytes(dir_ / "calls.m3u8", {text.begin(), text.end()});
  auto input = Input::open(dir_ / "calls.m3u8");
  if (input) {
    EXPECT_EQ(read_all(**input).packets, 0);
  }
  EXPECT_EQ(server.requests(), 0);
}

/// Runs all cases in parallel, since each one lasts at least two seconds.
TEST_F(NetworkInput, DroppedConnectionsLoseNoPackets) {
  const auto is_away = [&](bool can_seek) {
    HttpServer server([&](const std::string&, int request) -> HttpAnswer {
      if (request == 0) return {.body = clip_, .break_after = clip_.size() / 2, .can_seek = true};
      return {.body = clip_, .can_seek = can_seek || request > 0};
    });
    server.refuse_after_break(2);
    const auto start = Clock::now();
    EXPECT_EQ(packets_of(server.url("/clip.ts")), Frames);
    EXPECT_GT(seconds_since(start), 1.9);  // the server refused connections for 2 s
    EXPECT_GE(server.requests(), 2);
  };
  const auto is_away_from_a_segment = [&] {
    HttpServer server([&](const std::string& path, int request) -> HttpAnswer {
      if (path == "/list.m3u8") return {.body = hls("clip.ts")};
      if (request == 1) return {.body = clip_, .break_after = clip_.size() / 2};
      return {.body = clip_};
    });
    server.refuse_after_break(2);
    const auto start = Clock::now();
    EXPECT_EQ(packets_of(server.url("/list.m3u8")), Frames);
    EXPECT_GT(seconds_since(start), 1.9);
    EXPECT_GE(server.requests(), 3);
  };
  const auto falls_silent = [&] {
    const HttpServer server([&](const std::string&, int request) -> HttpAnswer {
      if (request == 0) return {.body = clip_, .break_after = clip_.size() / 2, .silence_seconds = 2};
      return {.body = clip_};
    });
    EXPECT_EQ(packets_of(server.url("/clip.ts")), Frames);
  };
  const std::jthread seekable(is_away, true);
  const std::jthread not_seekable(is_away, false);
  const std::jthread segment(is_away_from_a_segment);
  falls_silent();
}

TEST_F(NetworkInput, FactsDescribeFilesAndLiveStreams) {
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    return {.body = clip_, .can_seek = path == "/file.ts"};
  });
  auto file = Input::open(server.url("/file.ts"));
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->facts().is_network());
  EXPECT_TRUE((*file)->facts().is_seekable);
  EXPECT_FALSE((*file)->facts().is_live);
  ASSERT_TRUE((*file)->facts().duration_seconds);
  EXPECT_NEAR(*(*file)->facts().duration_seconds, 2, 0.1);
  auto live = Input::open(server.url("/live.ts"));
  ASSERT_TRUE(live);
  EXPECT_TRUE((*live)->facts().is_live);
  EXPECT_FALSE((*live)->facts().is_seekable);
  EXPECT_TRUE((*live)->facts().may_come_back());
}

TEST_F(NetworkInput, ReopensWithSameStreams) {
  ffmpeg("-f lavfi -i testsrc2=size=64x64:rate=25 -f lavfi -i sine -t 1 -c:v mpeg2video -c:a mp2 " +
         (dir_ / "av.ts"));
  ffmpeg("-f lavfi -i sine -t 1 -c:a mp2 " + (dir_ / "a.ts"));
  std::atomic<const char*> served = "av.ts";
  const HttpServer server(
      [&](const std::string&, int) -> HttpAnswer { return {.body = text_of(dir_ / served.load())}; });
  auto input = Input::open(server.url("/live"));
  ASSERT_TRUE(input);
  AVFormatContext& format = (*input)->format();
  ASSERT_EQ(format.nb_streams, 2U);
  format.streams[1]->discard = AVDISCARD_ALL;
  EXPECT_EQ(read_all(**input).packets, 25);
  ASSERT_TRUE((*input)->reopen());
  EXPECT_EQ((*input)->format().streams[1]->discard, AVDISCARD_ALL);
  EXPECT_EQ(read_all(**input).packets, 25);
  served = "a.ts";
  EXPECT_FALSE((*input)->reopen());  // a.ts lacks the video stream
  EXPECT_FALSE((*input)->reopen());
  served = "av.ts";
  ASSERT_TRUE((*input)->reopen());
  EXPECT_EQ(read_all(**input).packets, 25);
}

TEST_F(NetworkInput, StopRequestEndsWaits) {
  const HttpServer server([&](const std::string&, int) -> HttpAnswer { return {.silence_seconds = 60}; });
  std::stop_source stop;
  Clock::time_point stopped;
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return server.requests() == 1; }));
    wait_until_others_sleep();  // until open() waits for the response
    stopped = Clock::now();
    stop.request_stop();
  });
  const auto input = Input::open(server.url("/silent"), stop.get_token());
  stopper.join();
  ASSERT_FALSE(input);
  EXPECT_LT(seconds_since(stopped), 3);
  EXPECT_NE(input.error().message.find("interrupted"), std::string::npos) << input.error().message;
}

TEST_F(NetworkInput, ErrorsAreSentences) {
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    if (path == "/text") return {.body = std::string(5000, 'x')};
    return {.status = std::stoi(path.substr(1))};
  });
  const Environment no_helper("PATH", "/nonexistent");
  const std::pair<const char*, const char*> cases[] = {
      {"/404", "was not found"}, {"/403", "login"}, {"/500", "server failed"}, {"/text", "install yt-dlp"}};
  for (const auto& [path, words] : cases) {
    const auto input = Input::open(server.url(path));
    ASSERT_FALSE(input) << path;
    EXPECT_EQ(input.error().code, ErrorCode::BadInput);
    EXPECT_NE(input.error().message.find(words), std::string::npos) << input.error().message;
    EXPECT_NE(input.error().message.find(server.url(path)), std::string::npos) << input.error().message;
  }
  const auto start = Clock::now();
  const auto unreachable = Input::open("http://127.0.0.1:1/clip.mp4");
  ASSERT_FALSE(unreachable);
  EXPECT_NE(unreachable.error().message.find("no server responds"), std::string::npos)
      << unreachable.error().message;
  // A server that never responds is not retried: its name may be mistyped.
  EXPECT_LT(seconds_since(start), 5);
}

/// Creates a program called yt-dlp that writes its arguments to `log` and then runs the shell commands
/// `lines`.
void fake_yt_dlp(const std::string& folder, const std::string& log, const std::string& lines) {
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/yt-dlp") << "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" << log << "'\n"
                                    << lines << '\n';
  ::chmod((folder + "/yt-dlp").c_str(), 0755);
}

TEST_F(NetworkInput, YtDlpResolvesWebPages) {
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    if (path == "/media.ts") return {.body = clip_};
    return {.body = "<!DOCTYPE html><html><body>A video.</body></html>"};
  });
  fake_yt_dlp(dir_ / "bin", dir_ / "log",
              "cat <<'END'\n{\"title\": \"A clip; with \\\"signs\\\"\", \"url\": \"" +
                  server.url("/media.ts") + "\", \"http_headers\": {\"X-Key\": \"1\"}}\nEND");
  const Environment path("PATH", (dir_ / "bin") + ":" + ::getenv("PATH"));
  const std::string page = server.url("/watch?v=$(touch%20pwned);`id`&x='");
  auto input = Input::open(page);
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_EQ((*input)->facts().title, "A clip; with \"signs\"");
  EXPECT_EQ(read_all(**input).packets, Frames);
  const std::string words = text_of(dir_ / "log");
  EXPECT_TRUE(words.ends_with("\n--\n" + page + "\n")) << words;
}

TEST_F(NetworkInput, YtDlpIsSkippedForEndlessPages) {
  const HttpServer server([&](const std::string&, int) -> HttpAnswer {
    return {.body = "<html>" + std::string(17U << 20, 'a'), .can_seek = false};
  });
  fake_yt_dlp(dir_ / "bin", dir_ / "log", "exit 1");
  const Environment path("PATH", (dir_ / "bin") + ":" + ::getenv("PATH"));
  const auto input = Input::open(server.url("/page"));
  ASSERT_FALSE(input);
  EXPECT_NE(input.error().message.find("too long or loads too slowly"), std::string::npos)
      << input.error().message;
  EXPECT_FALSE(std::filesystem::exists(dir_ / "log"));
}

TEST_F(NetworkInput, YtDlpCannotRedirectToFiles) {
  const HttpServer server([&](const std::string&, int) -> HttpAnswer { return {.body = "<html></html>"}; });
  fake_yt_dlp(dir_ / "bin", dir_ / "log", "echo '{\"url\": \"file://" + (dir_ / "clip.ts") + "\"}'");
  const Environment path("PATH", (dir_ / "bin") + ":" + ::getenv("PATH"));
  const auto input = Input::open("ytdl://" + server.url("/page"));
  ASSERT_FALSE(input);
  EXPECT_NE(input.error().message.find("not a web address"), std::string::npos) << input.error().message;
}

TEST_F(NetworkInput, YtDlpFailuresAndHangsAreReported) {
  const HttpServer server([&](const std::string&, int) -> HttpAnswer { return {.body = "<html></html>"}; });
  const Environment path("PATH", (dir_ / "bin") + ":" + ::getenv("PATH"));
  fake_yt_dlp(dir_ / "bin", dir_ / "log",
              "echo 'WARNING: old' >&2; echo 'ERROR: Unsupported URL' >&2; exit 1");
  const auto failed = Input::open(server.url("/page"));
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("found no video"), std::string::npos) << failed.error().message;
  EXPECT_EQ(failed.error().cause, "ERROR: Unsupported URL");

  fake_yt_dlp(dir_ / "bin", dir_ / "log", "touch '" + (dir_ / "runs") + "'; sleep 50 & sleep 50");
  std::stop_source stop;
  Clock::time_point stopped;
  std::jthread stopper([&] {
    EXPECT_TRUE(eventually([&] { return std::filesystem::exists(dir_ / "runs"); }));
    wait_until_others_sleep();
    stopped = Clock::now();
    stop.request_stop();
  });
  EXPECT_FALSE(Input::open(server.url("/page"), stop.get_token()));
  stopper.join();
  EXPECT_LT(seconds_since(stopped), 5);
}

TEST(LocalInput, NumberedImagesFormOneVideo) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=32x32:rate=25 -frames:v 12 -start_number 95 " + (dir / "pad-%04d.png"));
  ffmpeg("-f lavfi -i testsrc2=size=32x32:rate=25 -frames:v 12 -start_number 95 " + (dir / "bare-%d.png"));
  for (const char* pattern : {"pad-%04d.png", "pad-*.png", "bare-%d.png", "bare-*.png"}) {
    auto input = Input::open("mf://" + (dir / pattern));
    ASSERT_TRUE(input) << input.error().message;
    EXPECT_EQ((*input)->facts().kind, InputKind::ImageSequence);
    EXPECT_FALSE((*input)->facts().is_still_image);
    std::string sizes;
    const PacketPtr packet = new_packet();
    int number = 95;
    for (; av_read_frame(&(*input)->format(), packet.get()) >= 0; ++number) {
      const std::string file = std::string(pattern).substr(0, std::string(pattern).find_first_of("%*")) +
                               (pattern[0] == 'p' ? (number < 100 ? "00" : "0") : "") +
                               std::to_string(number) + ".png";
      EXPECT_EQ(static_cast<std::uintmax_t>(packet->size), std::filesystem::file_size(dir / file))
          << pattern << ' ' << file;
      av_packet_unref(packet.get());
    }
    EXPECT_EQ(number, 107) << pattern;
  }
  EXPECT_FALSE(Input::open("mf://" + (dir / "none-%d.png")));
  EXPECT_FALSE(Input::open("mf://" + (dir / "none-*.png")));
}

TEST(LocalInput, FifoReadsCanBeInterrupted) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x64:rate=25 -frames:v 20 -c:v mpeg2video " + (dir / "clip.ts"));
  const std::string fifo = dir / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::stop_source stop;
  {
    const std::jthread stopper([&] {
      wait_until_others_sleep();
      stop.request_stop();
    });
    EXPECT_FALSE(Input::open(fifo, stop.get_token()));  // the FIFO has no writer
  }
  const std::jthread writer([&] {
    wait_until_others_sleep();  // until open() waits for a writer
    std::ofstream(fifo, std::ios::binary) << text_of(dir / "clip.ts");
  });
  auto input = Input::open(fifo);
  ASSERT_TRUE(input) << input.error().message;
  EXPECT_EQ(read_all(**input).packets, 20);
  EXPECT_FALSE((*input)->reopen());
}

TEST(ReopenDelay, GrowsUntilGivingUp) {
  using std::chrono::milliseconds;
  EXPECT_EQ(reopen_delay(0), milliseconds(0));
  EXPECT_EQ(reopen_delay(1), milliseconds(250));
  EXPECT_EQ(reopen_delay(6), milliseconds(8000));
  EXPECT_EQ(reopen_delay(11), milliseconds(8000));
  EXPECT_EQ(reopen_delay(12), std::nullopt);
}

}  // namespace
}  // namespace glyphreel::media::input_test
