// Tests the parts of Input: addresses, protocols, animations, image names, cameras, yt-dlp output.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <thread>

#include "media/input/child_process.h"
#include "media/input/devices.h"
#include "media/input/protocols.h"
#include "media/input/ytdl.h"
#include "media/still/image_sequence.h"
#include "media/still/picture_file.h"
#include "support/clips.h"

namespace glyphreel::media::input_parts_test {
namespace {

using namespace glyphreel::test;

TEST(Protocols, Schemes) {
  EXPECT_EQ(scheme_of("HTTP://h/a"), "http");
  EXPECT_EQ(scheme_of("subfile,,start,0,end,9,,:a.ts"), "subfile");
  for (const char* name : {"clip.mp4", "./a:b", "/a:b", "", ":a", "a,b.mp4", "a b:c"})
    EXPECT_EQ(scheme_of(name), "") << name;
  EXPECT_TRUE(is_network_url("rtsp://h/x"));
  EXPECT_FALSE(is_network_url("http:x"));
  EXPECT_FALSE(is_network_url("file:///x"));
  EXPECT_FALSE(is_web_url("rtmp://h/x"));
}

TEST(Protocols, OnlyListenersWaitForSenders) {
  for (const char* url :
       {"tcp://0.0.0.0:90?listen", "http://host:90/?listen=1", "srt://:90?a=1&mode=listener"})
    EXPECT_TRUE(waits_for_sender(url)) << url;
  for (const char* url : {"http://host/a", "http://host/a?title=listening", "tcp://host:90?listen=0"})
    EXPECT_FALSE(waits_for_sender(url)) << url;
}

TEST(Protocols, Addresses) {
  const auto kind = [](const char* url) { return read_address(url).kind; };
  EXPECT_EQ(kind("-"), InputKind::StandardInput);
  EXPECT_EQ(kind("srt://h:1?mode=listener"), InputKind::Network);
  EXPECT_EQ(kind("camera:"), InputKind::Camera);
  EXPECT_EQ(kind("/dev/video1"), InputKind::Camera);
  EXPECT_EQ(kind("screen:1x1"), InputKind::Screen);
  EXPECT_EQ(kind("./screen:"), InputKind::File);
  EXPECT_EQ(kind("concat:a|b"), InputKind::File);
  EXPECT_EQ(read_address("av://lavfi:testsrc").rest, "testsrc");
  EXPECT_EQ(read_address("av://lavfi:testsrc").kind, InputKind::Procedural);
  EXPECT_EQ(read_address("mf://a/*.png").rest, "a/*.png");
  EXPECT_EQ(read_address("camera:2").rest, "2");
}

/// Returns the list of allowed protocols with a comma at each end, so that whole words can be searched for.
std::string allowed(std::string_view url) {
  return ',' + allowed_protocols(url) + ',';
}

TEST(Protocols, NetworkInputsCannotReachFiles) {
  for (const char* url :
       {"http://h/a", "https://h/a", "rtsp://h/a", "rtmp://h/a", "rtmps://h/a", "srt://h:1", "udp://h:1",
        "rtp://h:1", "mms://h/a", "ftp://h/a", "tcp://h:1", "tls://h:1", "HTTPS://h/a", "-",
        "async:http://h/a", "cache:https://h/a", "crypto+http://h/a", "hls+https://h/a"}) {
    for (const char* local : {",file,", ",pipe,", ",fd,", ",concat,", ",subfile,", ",unix,", ",concatf,"}) {
      EXPECT_EQ(allowed(url).find(local), std::string::npos) << url << allowed(url);
    }
  }
  EXPECT_NE(allowed("async:http://h/a").find(",async,"), std::string::npos);
  EXPECT_NE(allowed("async:http://h/a").find(",http,"), std::string::npos);
}

TEST(Protocols, FilesReachOnlyFiles) {
  EXPECT_EQ(allowed_protocols("a.mp4"), "file,crypto,data");
  EXPECT_EQ(allowed_protocols("file:a.mp4"), "file,crypto,data");
  EXPECT_EQ(allowed_protocols("concat:a.ts|b.ts"), "concat,file,crypto,data");
  EXPECT_EQ(allowed("session.SDP").find(",http,"), std::string::npos);
  EXPECT_NE(allowed("session.SDP").find(",rtp,"), std::string::npos);
  EXPECT_NE(allowed("subfile,,start,0,end,9,,:a.ts").find(",file,"), std::string::npos);
  EXPECT_NE(allowed("concat:a.ts|http://h/b.ts").find(",http,"),
            std::string::npos);  // the user named this protocol
}

TEST(Protocols, EveryNetworkProtocolHasTimeout) {
  for (const char* url :
       {"http://h", "https://h", "rtsp://h", "rtmp://h", "srt://h:1", "udp://h:1", "rtp://h:1", "mms://h",
        "ftp://h", "tcp://h:1", "sftp://h", "gopher://h", "rist://h:1", "tls://h:1"}) {
    bool has_timeout = false;
    for (const auto& [key, value] : protocol_options(url))
      has_timeout |= key == "rw_timeout" || key == "timeout";
    EXPECT_TRUE(has_timeout) << url;
  }
  for (const auto& [key, value] : protocol_options("rtmp://h"))
    EXPECT_NE(key, "timeout");  // this option would make FFmpeg wait for incoming connections
  EXPECT_TRUE(protocol_options("a.mp4").empty());
}

TEST(Protocols, PasswordsAreHidden) {
  EXPECT_EQ(shown_url("rtsp://me:secret@cam/live?x=a@b"), "rtsp://me@cam/live?x=a@b");
  EXPECT_EQ(shown_url("rtsp://me:s@cret@cam"), "rtsp://me@cam");
  EXPECT_EQ(shown_url("http://h:80/a@b"), "http://h:80/a@b");
  EXPECT_EQ(shown_url("http://h"), "http://h");
  EXPECT_EQ(shown_url("a:b@c.mp4"), "a:b@c.mp4");
}

TEST(Animation, DamagedFilesNeverCrash) {
  const TempDir dir;
  ffmpeg("-f lavfi -i testsrc2=size=16x16:rate=10 -frames:v 2 " + (dir / "a.gif"));
  ffmpeg("-f lavfi -i testsrc2=size=16x16:rate=10 -frames:v 2 -f apng " + (dir / "a.png"));
  for (const char* name : {"a.gif", "a.png"}) {
    const auto whole = read_bytes(dir / name);
    const auto animation = read_animation(whole);
    ASSERT_TRUE(animation) << name;
    EXPECT_TRUE(animation->has_several_pictures) << name;
    for (std::size_t size = 0; size < whole.size(); size += size < 300 ? 1 : 41) {
      const std::vector<std::uint8_t> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      static_cast<void>(read_animation(cut));  // AddressSanitizer checks for reads beyond the end
    }
    for (std::size_t at = 8; at < std::min<std::size_t>(whole.size(), 200); ++at) {
      auto broken = whole;
      broken[at] = 0xFF;
      static_cast<void>(read_animation(broken));
    }
  }
  EXPECT_EQ(read_animation_of(dir / "none.gif"), std::nullopt);
}

TEST(ImageSequence, ParsesNumberPlaceholders) {
  const auto place = find_number_field("a/shot-%04d.png");
  ASSERT_TRUE(place);
  EXPECT_EQ(place->at, 7U);
  EXPECT_EQ(place->length, 4U);
  EXPECT_EQ(place->digits, 4);
  EXPECT_TRUE(find_number_field("%d"));
  for (const char* name : {"a.png", "100%.png", "%s", "%d%d", "%", "%4"})
    EXPECT_FALSE(find_number_field(name)) << name;
}

TEST(ImageSequence, FindsFirstNumber) {
  const TempDir dir;
  for (const char* name : {"s0100.png", "s0101.png", "s99.png", "s10000.png", "sx.png"})
    write_bytes(dir / name, {1});
  const auto found = find_image_sequence(dir / "s%04d.png");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first_number, 100);
  EXPECT_EQ(find_image_sequence(dir / "s%d.png")->first_number, 99);
  EXPECT_FALSE(find_image_sequence(dir / "t%d.png"));
}

TEST(Camera, ModePrefersSmoothnessThenSize) {
  const CameraMode small{"yuyv422", {640, 480}, 30};
  const CameraMode slow{"yuyv422", {1280, 720}, 10};
  const CameraMode packed{"mjpeg", {1280, 720}, 30};
  const CameraMode large{"mjpeg", {1920, 1080}, 30};
  EXPECT_EQ(best_camera_mode({}), std::nullopt);
  EXPECT_EQ(best_camera_mode({small, slow}), small);
  EXPECT_EQ(best_camera_mode({small, slow, packed, large}), packed);
  EXPECT_EQ(best_camera_mode({packed, {"nv12", {1280, 720}, 30}}), (CameraMode{"nv12", {1280, 720}, 30}));
  EXPECT_EQ(best_camera_mode({large, {"mjpeg", {2592, 1944}, 30}}), large);
  // If no mode has at least 24 frames/s, the largest mode is chosen.
  EXPECT_EQ(best_camera_mode({slow, {"yuyv422", {320, 240}, 15}}), slow);
}

TEST(Camera, ErrorsAreSentences) {
  const auto missing = camera_input("87");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("no camera at /dev/video87"), std::string::npos)
      << missing.error().message;
  const auto file = camera_input("/dev/null");
  ASSERT_FALSE(file);
  EXPECT_NE(file.error().message.find("is not a camera"), std::string::npos) << file.error().message;
}

TEST(Screen, ParsesRegions) {
  EXPECT_EQ(read_screen_region(""), ScreenRegion{});
  EXPECT_EQ(read_screen_region("640x480"), (ScreenRegion{{640, 480}, 0, 0}));
  EXPECT_EQ(read_screen_region("640x480+10+20"), (ScreenRegion{{640, 480}, 10, 20}));
  for (const char* text :
       {"640", "640x", "640x480+1", "640x480+1+2x", "0x10", "-5x5", "5x5+-1+0", "x", "640x480 "}) {
    EXPECT_FALSE(read_screen_region(text)) << text;
  }
}

TEST(WebPage, RecognizesSites) {
  for (const char* url :
       {"https://www.youtube.com/watch?v=1", "https://youtu.be/1", "http://me@vimeo.com:443/1"})
    EXPECT_TRUE(is_video_site(url)) << url;
  for (const char* url :
       {"https://notyoutube.com/", "https://h/youtube.com", "youtube.com/watch", "ftp://youtube.com/a"})
    EXPECT_FALSE(is_video_site(url)) << url;
}

TEST(WebPage, ParsesYtDlpOutput) {
  const auto video = read_web_video(
      R"({"title":"T","url":"https://h/v.mp4","http_headers":{"User-Agent":"U","Evil":"a\r\nHost: b","N":1}})",
      "page");
  ASSERT_TRUE(video);
  EXPECT_EQ(video->url, "https://h/v.mp4");
  EXPECT_EQ(video->title, "T");
  EXPECT_EQ(video->headers, (std::vector<std::pair<std::string, std::string>>{{"User-Agent", "U"}}));
  EXPECT_EQ(
      read_web_video(R"({"_type":"playlist","entries":[{"url":"http://h/1"},{"url":"http://h/2"}]})", "page")
          ->url,
      "http://h/1");
  for (const char* bad : {"", "[]", "{}", "{\"url\":3}", "{\"entries\":[]}", "{\"url\":\"/etc/passwd\"}",
                          "{\"url\":\"file:///etc/passwd\"}", "{\"url\":\"concat:a|b\"}", "not json",
                          "{\"url\":\"http://h/\\n\"}"}) {
    EXPECT_FALSE(read_web_video(bad, "page")) << bad;
  }
}

TEST(ChildProcess, ReportsExitStatus) {
  using End = ProcessOutcome::End;
  const auto never = [] { return false; };
  const auto run = [&](const std::vector<std::string>& words, int milliseconds = 20000) {
    return *run_process(words, std::chrono::milliseconds(milliseconds), never);
  };
  const ProcessOutcome both = run({"sh", "-c", "cat; echo out; echo err >&2; exit 3"});
  EXPECT_EQ(both.end, End::Exited);
  EXPECT_EQ(both.exit_code, 3);
  EXPECT_EQ(both.output, "out\n");
  EXPECT_EQ(both.errors, "err\n");
  EXPECT_EQ(run({"printf", "%s|", "a b", "$(id)", "'"}).output, "a b|$(id)|'|");
  EXPECT_EQ(run({"no-such-program-here"}).end, End::NotFound);
  EXPECT_EQ(run({"sh", "-c", "sleep 30 & sleep 30"}, 200).end, End::TimedOut);
  EXPECT_EQ(run({"sh", "-c", "kill -9 $$"}).exit_code, 128 + 9);
  EXPECT_EQ(run({"head", "-c", "3000000", "/dev/zero"}).output.size(), 3000000U);
}

TEST(ChildProcess, ClosedPipesDoNotCancelTimeout) {
  using End = ProcessOutcome::End;
  const std::vector<std::string> deaf = {"sh", "-c", "exec >&- 2>&-; exec sleep 30"};
  EXPECT_EQ(run_process(deaf, std::chrono::milliseconds(200), [] { return false; })->end, End::TimedOut);
  int asked = 0;
  EXPECT_EQ(run_process(deaf, std::chrono::seconds(20), [&] { return ++asked > 5; })->end, End::Stopped);
}

TEST(ChildProcess, GrandchildHoldingPipeDoesNotDelayResult) {
  const auto run = [](const char* script) {
    return *run_process({"sh", "-c", script}, std::chrono::seconds(20), [] { return false; });
  };
  const ProcessOutcome silent = run("sleep 30 & echo answer; exit 3");
  EXPECT_EQ(silent.end, ProcessOutcome::End::Exited);
  EXPECT_EQ(silent.exit_code, 3);
  EXPECT_EQ(silent.output, "answer\n");
  const ProcessOutcome talking = run("yes & exit 0");
  EXPECT_EQ(talking.end, ProcessOutcome::End::Exited);
  EXPECT_EQ(talking.exit_code, 0);
}

// Both programs append their letters to the same file, many times. run_in_slices() must pause each program
// while the other program runs. The file then has long runs of equal letters.
TEST(ChildProcess, SlicesAlternate) {
  const TempDir folder;
  const std::string file = folder / "letters";
  const auto writer = [&](const std::string& letter, int code) {
    return std::vector<std::string>{
        "sh", "-c",
        fmt::format(
            "i=0; while [ $i -lt 30000 ]; do printf {0} >> {1}; i=$((i + 1)); done; echo {0}; exit {2}",
            letter, file, code)};
  };
  const auto outcomes = *run_in_slices({writer("a", 0), writer("b", 3)}, std::chrono::milliseconds(10),
                                       std::chrono::seconds(20), [] { return false; });
  EXPECT_EQ(outcomes[0].output, "a\n");
  EXPECT_EQ(outcomes[1].output, "b\n");
  EXPECT_EQ(outcomes[0].exit_code, 0);
  EXPECT_EQ(outcomes[1].exit_code, 3);
  std::ifstream written(file);
  const std::string letters{std::istreambuf_iterator<char>(written), {}};
  EXPECT_EQ(letters.size(), 60000U);
  int changes = 0;
  for (std::size_t i = 1; i < letters.size(); ++i) changes += letters[i] != letters[i - 1] ? 1 : 0;
  EXPECT_GE(changes, 2);
  EXPECT_LE(changes, 600);
}

TEST(ChildProcess, SlicesEndWithMissingProgramAndAtTimeout) {
  using End = ProcessOutcome::End;
  const auto run = [](const std::vector<std::string>& first, int milliseconds) {
    return *run_in_slices({first, {"sh", "-c", "sleep 30"}}, std::chrono::milliseconds(10),
                          std::chrono::milliseconds(milliseconds), [] { return false; });
  };
  EXPECT_EQ(run({"no-such-program-here"}, 100)[0].end, End::NotFound);
  const auto outcomes = run({"true"}, 500);
  EXPECT_EQ(outcomes[0].end, End::Exited);
  EXPECT_EQ(outcomes[1].end, End::TimedOut);
}

}  // namespace
}  // namespace glyphreel::media::input_parts_test
