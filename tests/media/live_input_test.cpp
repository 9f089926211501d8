// Inputs that come as they happen: a screen, a filter graph, senders on the loopback that die and come back.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "clips.h"
#include "http_server.h"
#include "media/input.h"

namespace glyphreel::media {
namespace {

using namespace glyphreel::test;
using Clock = std::chrono::steady_clock;

/// A program that runs beside the test; its standard output can be read.
class Program {
 public:
  explicit Program(const std::vector<std::string>& words) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      std::vector<char*> arguments;
      for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
      arguments.push_back(nullptr);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Program() {
    end();
    ::close(output_);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void end() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  [[nodiscard]] std::string read_line() const {
    std::string line;
    for (char c = 0; ::read(output_, &c, 1) == 1 && c != '\n';) line.push_back(c);
    return line;
  }

 private:
  pid_t process_ = 0;
  int output_ = -1;
};

/// Packets until `count` were read or reading failed.
int read_some(Input& input, int count) {
  const PacketPtr packet = new_packet();
  int packets = 0;
  while (packets < count) {
    if (const int code = av_read_frame(&input.format(), packet.get()); code < 0) {
      ADD_FAILURE() << av_text(code) << " after " << packets << " packets";
      break;
    }
    ++packets;
    av_packet_unref(packet.get());
  }
  return packets;
}

/// The player asks the thread that opened an input to stop once it is open.
TEST(LiveInput, AStopAfterOpeningLeavesReopeningAlone) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=5 -t 1 -c:v libx264 " + (dir / "clip.mp4"));
  std::stop_source stop;
  const auto input = Input::open(dir / "clip.mp4", stop.get_token());
  ASSERT_TRUE(input) << input.error().message;
  stop.request_stop();
  const Result<void> reopened = (*input)->reopen();
  EXPECT_TRUE(reopened) << reopened.error().message;
}

/// What av_read_frame() says at last.
int read_to_end(Input& input) {
  const PacketPtr packet = new_packet();
  for (;;) {
    if (const int code = av_read_frame(&input.format(), packet.get()); code < 0) return code;
    av_packet_unref(packet.get());
  }
}

TEST(LiveInput, Screen) {
  TempDir quiet;
  // Without -noreset it starts over whenever its last client goes, and throws out one that comes just then.
  auto server = std::make_unique<Program>(std::vector<std::string>{
      "Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp", "-noreset"});
  const std::string number = server->read_line();
  ASSERT_FALSE(number.empty()) << "Xvfb does not run";
  ::setenv("DISPLAY", (":" + number).c_str(), 1);
  {
    auto whole = Input::open("screen:");
    ASSERT_TRUE(whole) << whole.error().message << whole.error().cause;
    EXPECT_TRUE((*whole)->facts().is_live);
    EXPECT_FALSE((*whole)->facts().is_seekable);
    const auto video = (*whole)->best_video();
    ASSERT_TRUE(video);
    EXPECT_EQ((*video)->codecpar->width, 320);
    EXPECT_EQ((*video)->codecpar->height, 240);
    EXPECT_EQ(av_q2d((*video)->avg_frame_rate), 30);
    EXPECT_EQ(read_some(**whole, 10), 10);
  }
  auto part = Input::open("screen:64x48+10+20");
  ASSERT_TRUE(part) << part.error().message;
  EXPECT_EQ((*(*part)->best_video())->codecpar->width, 64);
  EXPECT_EQ((*(*part)->best_video())->codecpar->height, 48);
  const auto outside = Input::open("screen:64x48+300+20");
  ASSERT_FALSE(outside);
  EXPECT_NE(outside.error().message.find("must lie on its screen"), std::string::npos)
      << outside.error().message;
  EXPECT_FALSE(Input::open("screen:nonsense"));

  server->end();
  const int code = read_to_end(**part);
  EXPECT_NE((*part)->read_failure(code).message.find("X server has ended"), std::string::npos);
  const auto gone = Input::open("screen:");
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("X server must run"), std::string::npos) << gone.error().message;
  ::unsetenv("DISPLAY");
  EXPECT_FALSE(Input::open("screen:"));
}

TEST(LiveInput, ProceduralSource) {
  TempDir quiet;
  auto input = Input::open("lavfi:testsrc2=size=128x72:rate=60:duration=2[out0];sine=frequency=440:duration=2[out1]");
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_FALSE((*input)->facts().is_live);  // pictures are made when they are asked for
  EXPECT_FALSE((*input)->facts().duration_seconds);
  const auto video = (*input)->best_video();
  ASSERT_TRUE(video);
  EXPECT_EQ((*video)->codecpar->width, 128);
  EXPECT_EQ(av_q2d(av_guess_frame_rate(&(*input)->format(), *video, nullptr)), 60);
  EXPECT_NE((*input)->best_audio(**video), nullptr);
  EXPECT_EQ(read_some(**input, 100), 100);
  EXPECT_EQ(read_to_end(**input), AVERROR_EOF);  // FFmpeg loses the frame that a source cut short was working on
  const auto bad = Input::open("lavfi:no_such_source");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("no filter graph"), std::string::npos) << bad.error().message;
  EXPECT_TRUE(Input::open("av://lavfi:color=red"));
}

/// A sender that waits for a receiver at `address`.
std::unique_ptr<Program> sender(const std::vector<std::string>& output) {
  std::vector<std::string> words = {"ffmpeg",    "-v",      "quiet",
                                    "-nostdin",  "-re",     "-f",
                                    "lavfi",     "-i",      "testsrc2=size=160x90:rate=25",
                                    "-c:v",      "libx264", "-preset",
                                    "ultrafast", "-tune",   "zerolatency",
                                    "-g",        "12",      "-pix_fmt",
                                    "yuv420p"};
  words.insert(words.end(), output.begin(), output.end());
  return std::make_unique<Program>(words);
}

int free_port() {
  return 20000 + static_cast<int>(::getpid() % 20000);
}

/// Until the sender listens.
Result<void> reopened(Input& input) {
  Result<void> result;
  for (int failures = 0; const auto delay = reopen_delay(failures); ++failures) {
    std::this_thread::sleep_for(*delay);
    result = input.reopen();
    if (result) return result;
  }
  return result;
}

void comes_back(const std::string& url, const std::vector<std::string>& output) {
  TempDir quiet;
  auto first = sender(output);
  Result<std::unique_ptr<Input>> input = Input::open(url);
  for (int tries = 0; !input && tries < 50; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    input = Input::open(url);
  }
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_TRUE((*input)->facts().may_come_back());
  EXPECT_EQ(read_some(**input, 10), 10);
  first->end();
  const auto start = Clock::now();
  EXPECT_LT(read_to_end(**input), 0);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  EXPECT_FALSE((*input)->reopen());  // nobody there
  const auto second = sender(output);
  ASSERT_TRUE(reopened(**input));
  EXPECT_EQ(read_some(**input, 10), 10);
}

TEST(LiveInput, RtmpSenderDiesAndComesBack) {
  const std::string url = fmt::format("rtmp://127.0.0.1:{}/live/film", free_port());
  comes_back(url, {"-f", "flv", "-listen", "1", url});
}

TEST(LiveInput, SrtSenderDiesAndComesBack) {
  const std::string url = fmt::format("srt://127.0.0.1:{}", free_port());
  comes_back(url, {"-f", "mpegts", url + "?mode=listener"});
}

TEST(LiveInput, UdpSenderDiesAndComesBack) {
  TempDir quiet;
  const std::string url = fmt::format("udp://127.0.0.1:{}", free_port());
  const auto first = sender({"-f", "mpegts", url});
  auto input = Input::open(url);
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_EQ(read_some(**input, 10), 10);
  first->end();
  const auto start = Clock::now();
  EXPECT_LT(read_to_end(**input), 0);  // silence ends it
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  const auto second = sender({"-f", "mpegts", url});
  ASSERT_TRUE(reopened(**input));
  EXPECT_EQ(read_some(**input, 10), 10);
}

TEST(LiveInput, HlsGoesOnWhenItsWriterComesBack) {
  const TempDir dir;
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    const auto bytes = read_bytes(dir / path.substr(1));
    return {.status = bytes.empty() ? 404 : 200, .body = {bytes.begin(), bytes.end()}};
  });
  const std::vector<std::string> output = {
      "-f", "hls", "-hls_time", "1", "-hls_flags", "append_list+omit_endlist+temp_file", dir / "live.m3u8"};
  auto first = sender(output);
  const auto list = [&] {
    const auto bytes = read_bytes(dir / "live.m3u8");
    return std::string(bytes.begin(), bytes.end());
  };
  for (int tries = 0; tries < 200 && list().find("live1.ts") == std::string::npos; ++tries)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  auto input = Input::open(server.url("/live.m3u8"));
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_TRUE((*input)->facts().is_live);
  EXPECT_EQ(read_some(**input, 20), 20);
  first->end();
  std::unique_ptr<Program> second;
  const std::jthread back([&] {
    std::this_thread::sleep_for(std::chrono::seconds(3));
    second = sender(output);
  });
  const auto start = Clock::now();
  EXPECT_EQ(read_some(**input, 200), 200);  // eight seconds of it: no reopen() is needed
  EXPECT_GT(Clock::now() - start, std::chrono::seconds(3));
}

}  // namespace
}  // namespace glyphreel::media
