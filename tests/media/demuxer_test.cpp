// Tests the read-ahead thread: streams whose packets are far apart, seeks, and stalled inputs.
#include "media/demux/demuxer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <limits>
#include <semaphore>
#include <thread>
#include <vector>

#include "../threads_at_rest.h"
#include "support/clips.h"
#include "support/http_server.h"

namespace glyphreel::media::demuxer_test {
namespace {

using namespace glyphreel::test;
using Clock = std::chrono::steady_clock;
using Freeze = Demuxer::Freeze;

constexpr std::size_t KiB = 1024;
constexpr std::size_t LargestPacket = 64 * KiB;  // no packet in a clip of make_clip() is larger
constexpr int Video = 0, Audio = 1;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Makes a clip with 3.4 KiB frames at 25 frames/s and a quiet tone; `how` contains the other output
/// options.
void make_clip(const std::string& path, const std::string& how, int seconds = 8) {
  const std::string length = std::to_string(seconds);
  ffmpeg("-f lavfi -i testsrc2=size=64x36:rate=25:duration=" + length +
         " -f lavfi -i sine=sample_rate=8000:duration=" + length +
         " -c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le " + how + " " + path);
}

class DemuxerTest : public ::testing::Test {
 protected:
  void open(const std::string& url, Demuxer::Options options) {
    auto opened = Input::open(url);
    ASSERT_TRUE(opened) << opened.error().message << opened.error().cause;
    input_ = *std::move(opened);
    demuxer_ = std::make_unique<Demuxer>(*input_, std::move(options));
  }
  /// Reads packets up to the end, but at most `most`. Returns their number; -1 if they are out of order.
  int take(int stream, Freeze hold, int most = std::numeric_limits<int>::max()) {
    int count = 0;
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    while (count < most) {
      const auto packet = demuxer_->next({stream}, hold);
      if (!packet) break;
      if (packet->packet->stream_index != stream || packet->packet->dts < last) return -1;
      last = packet->packet->dts;
      ++count;
    }
    return count;
  }
  /// Waits until reading ahead has stopped; returns the size of the queued packets.
  std::size_t bytes_read_ahead() const {
    wait_until_others_sleep();
    return demuxer_->read_ahead(Video).bytes;
  }

  const TempDir dir_;
  std::unique_ptr<Input> input_;
  std::unique_ptr<Demuxer> demuxer_;
};

TEST_F(DemuxerTest, ReadsAheadUpToLimit) {
  make_clip(dir_ / "clip.mkv", "");
  open(dir_ / "clip.mkv", {.streams = {Video, Audio}, .read_ahead_bytes = 100 * KiB});
  const std::size_t bytes = bytes_read_ahead();
  EXPECT_GE(bytes, 100 * KiB);
  EXPECT_LE(bytes, 100 * KiB + LargestPacket);
  EXPECT_GT(demuxer_->read_ahead(Video).seconds, 0.5);
  EXPECT_FALSE(demuxer_->read_ahead(Video).at_end);
  EXPECT_EQ(take(Video, Freeze::Ignored), 200);
  EXPECT_TRUE(demuxer_->read_ahead(Video).at_end);
}

TEST_F(DemuxerTest, HandlesBadInterleaving) {
  // In the file, audio packets are stored four seconds before or after the video packets of the same time.
  // The reader of one stream must not have to wait for the reader of the other stream.
  for (const std::string delays : {"0", "4"}) {
    make_clip(dir_ / "near.mkv", "");
    ffmpeg("-itsoffset " + delays + " -i " + (dir_ / "near.mkv") + " -itsoffset " +
           (delays == "0" ? "4" : "0") + " -i " + (dir_ / "near.mkv") +
           " -map 0:v -map 1:a -c copy -max_interleave_delta 1 -f nut " + (dir_ / "far.nut"));
    open(dir_ / "far.nut", {.streams = {Video, Audio}, .read_ahead_bytes = 20 * KiB});
    std::atomic<int> audio_packets = 0;
    std::jthread reader([&] { audio_packets = take(Audio, Freeze::Respected); });
    EXPECT_EQ(take(Video, Freeze::Ignored), 200);
    reader.join();
    EXPECT_GT(audio_packets, 50);
    demuxer_.reset();
  }
}

/// Makes a file with all video before all audio, or vice versa, as a poor muxer writes it.
std::string consecutive_streams(const TempDir& dir, const std::string& first, const std::string& second) {
  make_clip(dir / "near.mkv", "");
  ffmpeg("-itsoffset 400 -i " + (dir / "near.mkv") + " -i " + (dir / "near.mkv") + " -map 1:" + first +
         " -map 0:" + second + " -c copy -max_interleave_delta 0 -f nut " + (dir / "far.nut"));
  return dir / "far.nut";
}

TEST_F(DemuxerTest, AudioFarBehindVideoIsBounded) {
  open(consecutive_streams(dir_, "v", "a"),
       {.streams = {Video, Audio}, .read_ahead_bytes = 50 * KiB, .max_bytes = 200 * KiB});
  std::atomic<int> audio_packets = -2;
  std::jthread reader([&] { audio_packets = take(Audio, Freeze::Respected); });
  std::size_t most = bytes_read_ahead();
  EXPECT_GE(most, 200 * KiB);  // more than read_ahead_bytes, because a reader waits for audio packets
  EXPECT_EQ(audio_packets, -2);
  int pictures = 0;
  while (demuxer_->next({Video}, Freeze::Ignored)) {
    ++pictures;
    most = std::max(most, demuxer_->read_ahead(Video).bytes);
  }
  reader.join();
  EXPECT_EQ(pictures, 200);  // reading the audio did not drop video packets
  EXPECT_GT(audio_packets, 50);
  EXPECT_LE(most, 200 * KiB + LargestPacket);
}

TEST_F(DemuxerTest, VideoFarBehindUnreadAudioArrives) {
  open(consecutive_streams(dir_, "a", "v"),
       {.streams = {Video, Audio}, .read_ahead_bytes = 10 * KiB, .max_bytes = 40 * KiB});
  // Read no audio yet: the player reads none before it shows the first frame.
  const int video = input_->format().streams[0]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO ? 0 : 1;
  const auto picture = demuxer_->next({video}, Freeze::Ignored);
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->packet->stream_index, video);
  EXPECT_LE(demuxer_->read_ahead(video).bytes, 40 * KiB + LargestPacket);
  EXPECT_EQ(take(video, Freeze::Ignored), 199);
}

TEST_F(DemuxerTest, SeekAfterEndOfStreamResumes) {
  make_clip(dir_ / "clip.mkv", "", 2);
  open(dir_ / "clip.mkv", {.streams = {Video, Audio}});
  EXPECT_EQ(take(Video, Freeze::Ignored), 50);
  EXPECT_FALSE(demuxer_->next({Video}, Freeze::Ignored));
  ASSERT_GE(demuxer_->seek({Video, std::numeric_limits<std::int64_t>::min(), 0, 0}, 7), 0);
  const auto again = demuxer_->next({Video}, Freeze::Ignored);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->epoch, 7U);
  EXPECT_EQ(again->packet->pts, 0);
  EXPECT_EQ(take(Video, Freeze::Ignored), 49);
  demuxer_->relabel(8);  // simulates a seek that continues from the current position
  EXPECT_EQ(demuxer_->next({Audio}, Freeze::Respected)->epoch, 8U);
}

TEST_F(DemuxerTest, RestartingInputKeepsStreamsInSync) {
  ffmpeg(
      "-f lavfi -i testsrc2=size=64x64:rate=25:duration=3 -f lavfi -i sine=duration=3 -c:v mpeg2video -c:a "
      "mp2 " +
      (dir_ / "clip.ts"));
  auto bytes = read_bytes(dir_ / "clip.ts");
  const auto once = bytes;
  bytes.insert(bytes.end(), once.begin(), once.end());
  write_bytes(dir_ / "twice.ts", bytes);
  open(dir_ / "twice.ts", {.streams = {Video, Audio}});
  const auto times = [&](int stream, Freeze hold) {
    std::vector<double> seconds;
    const double base = av_q2d(input_->format().streams[stream]->time_base);
    while (const auto packet = demuxer_->next({stream}, hold))
      seconds.push_back(static_cast<double>(packet->packet->dts) * base);
    EXPECT_TRUE(std::is_sorted(seconds.begin(), seconds.end()));
    return seconds;
  };
  const std::vector<double> pictures = times(Video, Freeze::Ignored);
  const std::vector<double> audio_times = times(Audio, Freeze::Respected);
  EXPECT_NEAR(pictures.back() - pictures.front(), 6, 0.2);
  EXPECT_NEAR(audio_times.back() - pictures.back(), audio_times.front() - pictures.front(), 0.1);
  // The audio's offset from the video is the same in the second copy of the clip as in the first.
  const std::vector<double>& s = audio_times;
  EXPECT_NEAR(s[s.size() / 2] - pictures[pictures.size() / 2], s.front() - pictures.front(), 0.002);
}

TEST_F(DemuxerTest, FreezeBlocksOnlyRespectingReaders) {
  make_clip(dir_ / "clip.mkv", "", 2);
  open(dir_ / "clip.mkv", {.streams = {Video, Audio}});
  demuxer_->freeze(true);
  EXPECT_FALSE(demuxer_->try_next({Audio}));
  std::atomic<bool> is_served = false;
  std::jthread held([&] {
    EXPECT_TRUE(demuxer_->next({Audio}, Freeze::Respected));
    is_served = true;
  });
  EXPECT_EQ(take(Video, Freeze::Ignored, 10), 10);
  wait_until_others_sleep();
  EXPECT_FALSE(is_served);
  demuxer_->freeze(false);
  held.join();
  EXPECT_TRUE(is_served);
}

/// A test for ThreadSanitizer. Calls each of the demuxer's thread-safe functions on a separate thread. If one
/// thread called two of them, the locks in one function could hide missing locks in the other function.
TEST_F(DemuxerTest, AnswersOtherThreadsWhileReading) {
  make_clip(dir_ / "clip.mkv", "");
  open(dir_ / "clip.mkv", {.streams = {Video, Audio}, .read_ahead_bytes = 100 * KiB});
  int audio_packets = 0;
  const std::vector<std::function<void()>> calls = {
      [&] { audio_packets += demuxer_->try_next({Audio}) ? 1 : 0; },
      [&] { EXPECT_FALSE(demuxer_->has_broken()); },
      [&] { EXPECT_FALSE(demuxer_->has_failed()); },
      [&] { EXPECT_FALSE(demuxer_->take_error()); },
      [&] { EXPECT_EQ(demuxer_->damaged_reads(), 0u); },
      [&] { EXPECT_GE(demuxer_->read_ahead(Video).seconds, 0); },
      [&] { EXPECT_NE(demuxer_->taken_until(Audio), 0); },
  };
  {
    std::vector<std::jthread> threads;
    for (const std::function<void()>& call : calls) {
      threads.emplace_back([&call](const std::stop_token& stop) {
        while (!stop.stop_requested()) call();
      });
    }
    EXPECT_EQ(take(Video, Freeze::Ignored), 200);
  }
  while (demuxer_->try_next({Audio})) ++audio_packets;
  EXPECT_GT(audio_packets, 50);
}

TEST_F(DemuxerTest, SeekStressYieldsNoStalePackets) {
  make_clip(dir_ / "clip.mkv", "", 4);
  open(dir_ / "clip.mkv", {.streams = {Video, Audio}, .read_ahead_bytes = 30 * KiB});
  std::atomic<bool> is_over = false;
  std::atomic<std::uint32_t> epoch = 0;  // epoch of the seek in progress
  std::atomic<std::uint32_t> completed_epoch = 0;
  std::atomic<std::uint32_t> video_epoch = 0;
  const auto read = [&](int stream, Freeze hold) {
    std::uint32_t newest = 0;
    while (!is_over) {
      const std::uint32_t before = completed_epoch;
      const auto packet = demuxer_->next({stream}, hold);
      if (!packet) {
        completed_epoch.wait(before);  // next() returned no packet: the end of the input
        continue;
      }
      EXPECT_GE(packet->epoch, std::max(newest, before));  // no packet of an older epoch after the seek
      newest = packet->epoch;
      EXPECT_LE(newest, epoch.load());
      if (stream == Video && video_epoch.exchange(newest) != newest) video_epoch.notify_one();
    }
  };
  const auto seek = [&](std::int64_t milliseconds) {
    const std::uint32_t next = ++epoch;
    EXPECT_GE(
        demuxer_->seek({Video, std::numeric_limits<std::int64_t>::min(), milliseconds, milliseconds}, next),
        0);
    completed_epoch = next;
    completed_epoch.notify_all();
  };
  {
    std::jthread video_reader([&] { read(Video, Freeze::Ignored); });
    std::jthread audio_reader([&] { read(Audio, Freeze::Respected); });
    for (int i = 0; i < 300; ++i) {
      demuxer_->freeze(true);
      seek(i * 37 % 4000);
      demuxer_->freeze(false);
      if (i % 10 != 0) continue;
      for (std::uint32_t last = video_epoch; last != epoch; last = video_epoch) video_epoch.wait(last);
    }
    is_over = true;
    seek(0);
  }
  EXPECT_LE(demuxer_->read_ahead(Video).bytes, 30 * KiB + LargestPacket);
}

TEST_F(DemuxerTest, FailedSeekLosesNothing) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  ffmpeg("-f lavfi -i testsrc2=size=64x64:rate=25 -frames:v 100 -c:v mpeg2video " + (dir_ / "clip.ts"));
  const auto bytes = read_bytes(dir_ / "clip.ts");
  const std::jthread writer([&] {
    std::ofstream out(fifo, std::ios::binary);
    const std::size_t part = bytes.size() / 40;
    for (std::size_t at = 0; at < bytes.size(); at += part) {
      wait_until_others_sleep();  // the next part must arrive while a seek waits
      out.write(reinterpret_cast<const char*>(bytes.data() + at),
                static_cast<std::streamsize>(std::min(part, bytes.size() - at)));
      out.flush();
    }
  });
  open(fifo, {.streams = {Video}});
  std::atomic<bool> is_over = false;
  std::jthread seeker([&] {
    while (!is_over) EXPECT_LT(demuxer_->seek({Video, 9000000, 9000000, 9000000}, 1), 0);
  });
  EXPECT_EQ(take(Video, Freeze::Ignored), 100);
  is_over = true;
}

/// Fails unless an interrupt ends a reader and a seek within a second. Both of them wait for a stalled input.
void ends_when_interrupted(Input& input, Demuxer& demuxer) {
  std::jthread reader([&] {
    while (demuxer.next({Video}, Freeze::Ignored)) {
    }
  });
  std::binary_semaphore may_interrupt(0);  // released when the seeking thread has started
  std::jthread seeker([&] {
    wait_until_others_sleep();
    may_interrupt.release();
    static_cast<void>(demuxer.seek({Video, std::numeric_limits<std::int64_t>::min(), 0, 0}, 1));
  });
  may_interrupt.acquire();
  wait_until_others_sleep();
  EXPECT_TRUE(demuxer.read_ahead(Video).is_starved);
  const auto start = Clock::now();
  input.interrupt();
  reader.join();
  seeker.join();
  EXPECT_LT(seconds_since(start), 1);
}

TEST_F(DemuxerTest, InterruptEndsWaitOnSilentFifo) {
  const std::string fifo = dir_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  make_clip(dir_ / "clip.nut", "", 2);
  const auto bytes = read_bytes(dir_ / "clip.nut");
  std::atomic<bool> is_over = false;
  const std::jthread writer([&] {
    std::ofstream out(fifo, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size() / 2));
    out.flush();
    is_over.wait(false);
  });
  open(fifo, {.streams = {Video}});
  if (demuxer_) ends_when_interrupted(*input_, *demuxer_);
  const auto start = Clock::now();
  demuxer_.reset();
  EXPECT_LT(seconds_since(start), 1);
  is_over = true;
  is_over.notify_one();
}

TEST_F(DemuxerTest, InterruptEndsWaitOnSilentServer) {
  make_clip(dir_ / "clip.nut", "", 2);
  const auto bytes = read_bytes(dir_ / "clip.nut");
  const HttpServer server([&](const std::string&, int) -> HttpAnswer {
    return {.body = {bytes.begin(), bytes.end()},
            .break_after = bytes.size() / 2,
            .silence_seconds = 30,
            .can_seek = false};
  });
  open(server.url("/clip.nut"), {.streams = {Video}});
  if (demuxer_) ends_when_interrupted(*input_, *demuxer_);
  const auto start = Clock::now();
  demuxer_.reset();
  EXPECT_LT(seconds_since(start), 1);
}

}  // namespace
}  // namespace glyphreel::media::demuxer_test
