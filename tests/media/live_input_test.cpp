// Tests inputs that are not files: a screen, a filter graph, and senders on the loopback interface that exit
// and restart.
#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string_view>
#include <thread>

#include "../environment.h"
#include "../eventually.h"
#include "media/input/input.h"
#include "support/clips.h"
#include "support/http_server.h"

namespace glyphreel::media::live_input_test {
namespace {

using namespace glyphreel::test;
using Clock = std::chrono::steady_clock;

/// A child process whose standard output can be read. Until the child calls exec(), it has a copy of each of
/// this process's sockets; while such a copy exists, closing the socket does not free its port.
class Program {
 public:
  explicit Program(const std::vector<std::string>& words) {
    const std::lock_guard lock(starting());
    std::array<int, 2> ends{};
    std::array<int, 2> started{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0 || ::pipe2(started.data(), O_CLOEXEC) != 0) return;
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::execvp(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    ::close(started[1]);
    output_ = ends[0];
    char nothing = 0;
    EXPECT_EQ(::read(started[0], &nothing, 1), 0);
    ::close(started[0]);
  }
  /// Returns the mutex that is locked from fork() to exec(). Lock it while a port is freed and bound again.
  static std::mutex& starting() {
    static std::mutex mutex;
    return mutex;
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

/// Reads up to `count` packets. Fails the test if a read fails. Returns the number of packets read.
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

/// The player stops the thread that opened an input. This stop request must not affect a later reopen().
TEST(LiveInput, StopAfterOpenDoesNotAffectReopen) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=64x48:rate=5 -t 1 -c:v libx264 " + (dir / "clip.mp4"));
  std::stop_source stop;
  const auto input = Input::open(dir / "clip.mp4", stop.get_token());
  ASSERT_TRUE(input) << input.error().message;
  stop.request_stop();
  const Result<void> reopened = (*input)->reopen();
  EXPECT_TRUE(reopened) << reopened.error().message;
}

/// Reads packets until av_read_frame() fails. Returns its error code.
int read_to_end(Input& input) {
  const PacketPtr packet = new_packet();
  for (;;) {
    if (const int code = av_read_frame(&input.format(), packet.get()); code < 0) return code;
    av_packet_unref(packet.get());
  }
}

TEST(LiveInput, CapturesScreen) {
  TempDir quiet;
  // Without -noreset, Xvfb restarts when its last client disconnects, and drops a client that connects
  // during the restart.
  auto server = std::make_unique<Program>(std::vector<std::string>{
      "Xvfb", "-displayfd", "1", "-screen", "0", "320x240x24", "-nolisten", "tcp", "-noreset"});
  const std::string number = server->read_line();
  ASSERT_FALSE(number.empty()) << "Xvfb is not running";
  const Environment display("DISPLAY", ":" + number);
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
  EXPECT_NE(outside.error().message.find("must be on its screen"), std::string::npos)
      << outside.error().message;
  EXPECT_FALSE(Input::open("screen:nonsense"));

  server->end();
  const int code = read_to_end(**part);
  EXPECT_NE((*part)->read_failure(code).message.find("X server has exited"), std::string::npos);
  const auto gone = Input::open("screen:");
  ASSERT_FALSE(gone);
  EXPECT_NE(gone.error().message.find("X server must be running"), std::string::npos) << gone.error().message;
  ::unsetenv("DISPLAY");
  EXPECT_FALSE(Input::open("screen:"));
}

TEST(LiveInput, ReadsProceduralSource) {
  TempDir quiet;
  auto input =
      Input::open("lavfi:testsrc2=size=128x72:rate=60:duration=2[out0];sine=frequency=440:duration=2[out1]");
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_FALSE((*input)->facts().is_live);  // not live, because frames are produced on request
  EXPECT_FALSE((*input)->facts().duration_seconds);
  const auto video = (*input)->best_video();
  ASSERT_TRUE(video);
  EXPECT_EQ((*video)->codecpar->width, 128);
  EXPECT_EQ(av_q2d(av_guess_frame_rate(&(*input)->format(), *video, nullptr)), 60);
  EXPECT_NE((*input)->best_audio(**video), nullptr);
  EXPECT_EQ(read_some(**input, 100), 100);
  EXPECT_EQ(read_to_end(**input),
            AVERROR_EOF);  // do not count packets: FFmpeg may drop the last frame if `duration` is set
  const auto bad = Input::open("lavfi:no_such_source");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("not a filter graph"), std::string::npos) << bad.error().message;
  EXPECT_TRUE(Input::open("av://lavfi:color=red"));
}

/// Starts a program that sends a video at `speed` times its normal rate.
std::unique_ptr<Program> sender(const std::vector<std::string>& output, int speed = 1) {
  std::vector<std::string> words = {"ffmpeg",    "-v",
                                    "quiet",     "-nostdin",
                                    "-readrate", std::to_string(speed),
                                    "-f",        "lavfi",
                                    "-i",        "testsrc2=size=160x90:rate=25",
                                    "-c:v",      "libx264",
                                    "-preset",   "ultrafast",
                                    "-tune",     "zerolatency",
                                    "-g",        "12",
                                    "-pix_fmt",  "yuv420p"};
  words.insert(words.end(), output.begin(), output.end());
  return std::make_unique<Program>(words);
}

/// Returns a free port of the loopback interface.
int free_port(int type) {
  const int socket = ::socket(AF_INET, type | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_TRUE(::bind(socket, any, length) == 0 && ::getsockname(socket, any, &length) == 0);
  ::close(socket);
  return ntohs(address.sin_port);
}

/// Whether a socket listens at this TCP port or is bound to this UDP port. See /proc/net/tcp in proc(5).
bool is_awaited(int type, int port) {
  const bool is_tcp = type == SOCK_STREAM;
  std::ifstream sockets(is_tcp ? "/proc/net/tcp" : "/proc/net/udp");
  const std::string wanted = fmt::format(":{:04X}", port);
  for (std::string line; std::getline(sockets, line);) {
    std::string number, local, remote, state;
    std::istringstream(line) >> number >> local >> remote >> state;
    if (local.ends_with(wanted) && (!is_tcp || state == "0A")) return true;
  }
  return false;
}

/// Tests that an input can be reopened after its server restarts. The sender is the server: it listens at
/// `port`.
void survives_its_server(int type, int port, const std::string& url, const std::vector<std::string>& output) {
  auto first = sender(output);
  ASSERT_TRUE(eventually([&] { return is_awaited(type, port); }));
  const Result<std::unique_ptr<Input>> input = Input::open(url);
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_TRUE((*input)->facts().may_come_back());
  EXPECT_EQ(read_some(**input, 10), 10);
  first->end();
  const auto start = Clock::now();
  EXPECT_LT(read_to_end(**input), 0);
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  EXPECT_FALSE((*input)->reopen());  // the server has exited
  const auto second = sender(output);
  ASSERT_TRUE(eventually([&] { return is_awaited(type, port); }));
  const Result<void> reopened = (*input)->reopen();
  ASSERT_TRUE(reopened) << url << ": " << reopened.error().message << reopened.error().cause;
  EXPECT_EQ(read_some(**input, 10), 10);
}

/// Tests that an input can be reopened after its sender restarts. The input listens for the sender.
void survives_its_sender(const std::string& url) {
  const auto first = sender({"-f", "mpegts", url});
  const Result<std::unique_ptr<Input>> input = Input::open(url);
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_EQ(read_some(**input, 10), 10);
  first->end();
  const auto start = Clock::now();
  EXPECT_LT(read_to_end(**input), 0);  // the input ends because no packets arrive
  EXPECT_LT(Clock::now() - start, std::chrono::seconds(15));
  const auto second = sender({"-f", "mpegts", url});
  const std::lock_guard lock(Program::starting());
  const Result<void> reopened = (*input)->reopen();
  ASSERT_TRUE(reopened) << reopened.error().message << reopened.error().cause;
  EXPECT_EQ(read_some(**input, 10), 10);
}

/// Runs all cases in parallel, since a UDP input waits ReadTimeoutSeconds before it reports a lost sender.
TEST(LiveInput, SendersReconnect) {
  const TempDir quiet;
  const std::jthread rtmp([] {
    const int port = free_port(SOCK_STREAM);
    const std::string url = fmt::format("rtmp://127.0.0.1:{}/live/clip", port);
    survives_its_server(SOCK_STREAM, port, url, {"-f", "flv", "-listen", "1", url});
  });
  const std::jthread srt([] {
    const int port = free_port(SOCK_DGRAM);
    const std::string url = fmt::format("srt://127.0.0.1:{}", port);
    survives_its_server(SOCK_DGRAM, port, url, {"-f", "mpegts", url + "?mode=listener"});
  });
  survives_its_sender(fmt::format("udp://127.0.0.1:{}", free_port(SOCK_DGRAM)));
}

TEST(LiveInput, HlsResumesWhenWriterReturns) {
  const TempDir dir;
  std::atomic<int> lists = 0;  // how often the playlist was fetched
  const HttpServer server([&](const std::string& path, int) -> HttpAnswer {
    if (path == "/live.m3u8") ++lists;
    const auto bytes = read_bytes(dir / path.substr(1));
    return {.status = bytes.empty() ? 404 : 200, .body = {bytes.begin(), bytes.end()}};
  });
  const std::vector<std::string> output = {"-f",
                                           "hls",
                                           "-hls_time",
                                           "1",
                                           "-hls_list_size",
                                           "0",
                                           "-hls_flags",
                                           "append_list+omit_endlist+temp_file",
                                           dir / "live.m3u8"};
  constexpr int Speed = 4;
  auto first = sender(output, Speed);
  const auto list = [&] {
    const auto bytes = read_bytes(dir / "live.m3u8");
    return std::string(bytes.begin(), bytes.end());
  };
  ASSERT_TRUE(eventually([&] { return list().find("live1.ts") != std::string::npos; }));
  auto input = Input::open(server.url("/live.m3u8"));
  ASSERT_TRUE(input) << input.error().message << input.error().cause;
  EXPECT_TRUE((*input)->facts().is_live);
  EXPECT_EQ(read_some(**input, 20), 20);
  first->end();
  const std::string left = list();
  std::unique_ptr<Program> second;
  const std::jthread back([&] {
    const int before = lists;
    EXPECT_TRUE(eventually([&] { return lists >= before + 4; })) << "the input stopped polling the playlist";
    second = sender(output, Speed);
  });
  // Read two seconds more than the first writer has put in the playlist. The input is not reopened, so it
  // must find the second writer's segments by polling the playlist.
  constexpr std::string_view Length = "#EXTINF:";
  double seconds = 2;
  for (std::size_t at = 0; (at = left.find(Length, at)) != std::string::npos;) {
    at += Length.size();
    seconds += std::stod(left.substr(at));
  }
  const int packets = static_cast<int>(seconds * 25);
  EXPECT_EQ(read_some(**input, packets), packets);
}

}  // namespace
}  // namespace glyphreel::media::live_input_test
