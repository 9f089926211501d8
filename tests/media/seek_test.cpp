#include <gtest/gtest.h>

#include <algorithm>

#include "media/source.h"
#include "media/stream/audio_stream.h"
#include "support/clips.h"
#include "support/pictures.h"

namespace glyphreel::media::seek_test {
namespace {

using namespace glyphreel::test;

class Seek : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    path_ = dir_ / (std::string("clip.") + ending());
    std::string codec = "-c:v libx264 -bf 3 -g 12 -x264-params open-gop=1 -c:a aac";
    if (std::string(ending()) == "ts") codec = "-c:v mpeg2video -bf 2 -g 12 -c:a mp2";
    if (std::string(ending()) == "webm")
      codec = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 12 -c:a libopus";
    ffmpeg("-f lavfi -i testsrc2=size=96x64:rate=25 -f lavfi -i sine=frequency=500:sample_rate=48000 -t 3 " +
           codec + " " + path_);
    SourceOptions options;
    options.url = path_;
    source_ = open_source(options);
    ASSERT_NE(source_, nullptr);
    all_ = read_frames(*source_);
    ASSERT_GE(all_.size(), 70U);
  }

  static const char* ending() { return GetParam(); }
  [[nodiscard]] double seconds_of(const Frame& frame) const {
    return static_cast<double>(frame.pts - source_->facts().start_pts) * frame.time_base.value();
  }

  TempDir dir_;
  std::string path_;
  std::unique_ptr<Source> source_;
  std::vector<Frame> all_;
};

TEST_P(Seek, FindsEveryFrameExactly) {
  std::uint32_t epoch = 0;
  // Seek forward and then backward, to keyframes and to frames between them.
  std::vector<std::size_t> targets;
  for (std::size_t i = 0; i < all_.size(); i += 5) targets.push_back(i);
  for (std::size_t i = all_.size(); i-- > 0;) {
    if (i % 7 == 0 || i + 4 > all_.size()) targets.push_back(i);
  }
  for (const std::size_t i : targets) {
    const auto sought = source_->seek(seconds_of(all_[i]));
    ASSERT_TRUE(sought) << sought.error().message;
    const auto item = source_->read();
    ASSERT_TRUE(item);
    const auto* frame = std::get_if<Frame>(&*item);
    ASSERT_NE(frame, nullptr) << "frame " << i;
    EXPECT_EQ(frame->pts, all_[i].pts) << "frame " << i;
    EXPECT_EQ(planar_samples(frame->view), planar_samples(all_[i].view)) << "frame " << i;
    EXPECT_EQ(frame->epoch, ++epoch);
  }
}

TEST_P(Seek, HonorsStartAndEnd) {
  SourceOptions options;
  options.url = path_;
  options.range.start = TimePosition{seconds_of(all_[31])};
  options.range.end = TimePosition{seconds_of(all_[60])};
  options.audio = AudioDelivery::WithFrames;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  std::vector<std::int64_t> pts;
  std::size_t audio_packets = 0;
  for (;;) {
    auto item = source->read();
    ASSERT_TRUE(item) << item.error().message;
    if (std::holds_alternative<EndOfStream>(*item)) break;
    if (const auto* frame = std::get_if<Frame>(&*item)) {
      pts.push_back(frame->pts);
    } else {
      ++audio_packets;
    }
  }
  ASSERT_EQ(pts.size(), 29U);
  EXPECT_EQ(pts.front(), all_[31].pts);
  EXPECT_EQ(pts.back(), all_[59].pts);
  // The 1.16 s of audio are in packets of 20 to 26 ms. One more packet is allowed at each end.
  EXPECT_GE(audio_packets, 44U);
  EXPECT_LE(audio_packets, 60U);
}

TEST_P(Seek, FindsPreviousFrame) {
  for (std::size_t i = 1; i < all_.size(); i += 6) {
    ASSERT_TRUE(source_->seek(seconds_of(all_[i]), SeekMode::FrameBefore));
    // Expect the frame before the target, the target, and the next frame.
    for (std::size_t next = i - 1; next < std::min(i + 2, all_.size()); ++next) {
      const auto item = source_->read();
      ASSERT_TRUE(item);
      const auto* frame = std::get_if<Frame>(&*item);
      ASSERT_NE(frame, nullptr) << "frame " << next << " before " << i << " of " << all_.size();
      EXPECT_EQ(frame->pts, all_[next].pts) << "before frame " << i;
      EXPECT_EQ(planar_samples(frame->view), planar_samples(all_[next].view)) << "frame " << next;
    }
  }
  ASSERT_TRUE(source_->seek(100, SeekMode::FrameBefore));
  const auto last = source_->read();
  ASSERT_TRUE(last);
  ASSERT_TRUE(std::holds_alternative<Frame>(*last));
  EXPECT_EQ(std::get<Frame>(*last).pts, all_.back().pts);
}

TEST_P(Seek, FindsKeyframesOnEitherSide) {
  const double middle = seconds_of(all_[30]);
  ASSERT_TRUE(source_->seek(middle, SeekMode::KeyframeBefore));
  const std::vector<Frame> from_before = read_frames(*source_);
  ASSERT_TRUE(source_->seek(middle, SeekMode::KeyframeAfter));
  const std::vector<Frame> from_after = read_frames(*source_);
  ASSERT_FALSE(from_before.empty());
  ASSERT_FALSE(from_after.empty());
  EXPECT_LE(from_before.front().pts, all_[30].pts);
  EXPECT_GE(from_after.front().pts, all_[30].pts);
  // A GOP has 12 frames. The first frames of an open GOP may be missing.
  EXPECT_GE(seconds_of(from_before.front()), middle - 13 / 25.0);
  EXPECT_LE(seconds_of(from_after.front()), middle + 16 / 25.0);
  EXPECT_EQ(from_before.back().pts, all_.back().pts);
  EXPECT_EQ(from_after.back().pts, all_.back().pts);
  // If no keyframe follows the target, the result is the last keyframe.
  ASSERT_TRUE(source_->seek(seconds_of(all_.back()), SeekMode::KeyframeAfter));
  EXPECT_FALSE(read_frames(*source_).empty());
}

TEST_P(Seek, SeparateAudioStartsAtTarget) {
  SourceOptions options;
  options.url = path_;
  options.audio = AudioDelivery::Apart;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  ASSERT_NE(source->audio(), nullptr);
  for (const std::size_t i : {0U, 50U, 20U}) {
    ASSERT_TRUE(source->seek(seconds_of(all_[i])));
    const auto picture = source->read();
    ASSERT_TRUE(picture);
    const auto& frame = std::get<Frame>(*picture);
    // It must be possible to read all audio without reading more video.
    double end = 0;
    for (bool first = true;; first = false) {
      const auto item = source->read_audio();
      ASSERT_TRUE(item);
      if (std::holds_alternative<EndOfStream>(*item)) break;
      const auto& audio = *std::get<std::shared_ptr<const AudioPacket>>(*item);
      EXPECT_EQ(audio.epoch, frame.epoch);
      const double start = static_cast<double>(audio.packet->pts) * av_q2d(audio.time_base);
      end = start + static_cast<double>(audio.packet->duration) * av_q2d(audio.time_base);
      if (first) {
        EXPECT_LE(start, std::max(frame.pts_seconds(), 0.02))
            << "frame " << i;  // in WebM, the first audio packet is late
      }
      EXPECT_GT(end, frame.pts_seconds() - 1e-3) << "frame " << i;
    }
    EXPECT_GT(end, all_.back().pts_seconds() - 0.1);
  }
}

TEST_P(Seek, AudioContinuesAfterShortForwardSeek) {
  SourceOptions options;
  options.url = path_;
  options.audio = AudioDelivery::Apart;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  // Seek within one GOP and across several, with the audio reader some packets ahead of the video.
  std::size_t audio_ahead = 5;
  for (const std::size_t i : {3U, 8U, 14U, 20U, 45U, 50U, 52U, 54U, 70U}) {
    ASSERT_TRUE(source->seek(seconds_of(all_[i])));
    for (std::size_t next = i; next < std::min(i + 2, all_.size()); ++next) {
      const auto picture = source->read();
      ASSERT_TRUE(picture);
      const auto& frame = std::get<Frame>(*picture);
      EXPECT_EQ(frame.pts, all_[next].pts);
      EXPECT_EQ(planar_samples(frame.view), planar_samples(all_[next].view)) << "frame " << next;
    }
    double end = 0;
    for (std::size_t packets = 0; packets < audio_ahead; ++packets) {
      const auto item = source->read_audio();
      ASSERT_TRUE(item);
      if (std::holds_alternative<EndOfStream>(*item)) break;
      const auto& audio = *std::get<std::shared_ptr<const AudioPacket>>(*item);
      const double start = static_cast<double>(audio.packet->pts) * av_q2d(audio.time_base);
      if (packets == 0) {
        EXPECT_LE(start, std::max(all_[i].pts_seconds(), 0.02) + 1e-3) << "frame " << i;
      } else {
        EXPECT_NEAR(start, end, 2e-3) << "frame " << i;
      }
      end = start + static_cast<double>(audio.packet->duration) * av_q2d(audio.time_base);
      EXPECT_GT(end, all_[i].pts_seconds() - 1e-3) << "frame " << i;
    }
    audio_ahead = 5 + i % 11;
  }
}

TEST_P(Seek, ReportsSkippedFrames) {
  SourceOptions options;
  options.url = path_;
  options.reports_skipped = true;
  const auto source = open_source(options);
  ASSERT_NE(source, nullptr);
  ASSERT_TRUE(source->seek(seconds_of(all_[40])));
  int skipped = 0;
  for (;;) {
    const auto item = source->read();
    ASSERT_TRUE(item);
    if (std::holds_alternative<Skipped>(*item)) {
      ++skipped;
      continue;
    }
    EXPECT_EQ(std::get<Frame>(*item).pts, all_[40].pts);
    break;
  }
  EXPECT_GT(skipped, 0);
  EXPECT_LT(skipped, 25);
}

TEST_P(Seek, PastEndYieldsNoFrames) {
  ASSERT_TRUE(source_->seek(100));
  const auto item = source_->read();
  ASSERT_TRUE(item);
  EXPECT_TRUE(std::holds_alternative<EndOfStream>(*item));
  ASSERT_TRUE(source_->seek(0));
  EXPECT_EQ(read_frames(*source_).size(), all_.size());
}

INSTANTIATE_TEST_SUITE_P(Containers, Seek, testing::Values("mp4", "mkv", "ts", "webm"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace glyphreel::media::seek_test
