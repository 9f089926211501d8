#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>

#include "media/demux/demuxer.h"
#include "media/input/input.h"
#include "support/clips.h"

namespace glyphreel::media::demuxer_skip_test {
namespace {

using namespace glyphreel::test;

/// Opens a clip of three seconds at 25 frames/s, with a keyframe every 12 frames and with audio.
class DemuxerSkip : public testing::Test {
 protected:
  void SetUp() override {
    const std::string path = dir_ / "clip.mp4";
    ffmpeg(
        "-f lavfi -i testsrc2=size=96x64:rate=25 -f lavfi -i sine=frequency=500:sample_rate=48000 -t 3 "
        "-c:v libx264 -bf 2 -g 12 -sc_threshold 0 -c:a aac -video_track_timescale 25000 " +
        path);
    auto input = Input::open(path);
    ASSERT_TRUE(input) << input.error().message;
    input_ = *std::move(input);
    auto video = input_->best_video();
    ASSERT_TRUE(video);
    video_ = (*video)->index;
    AVStream* audio_stream = input_->best_audio(**video);
    ASSERT_NE(audio_stream, nullptr);
    audio_ = audio_stream->index;
    audio_rate_ = audio_stream->time_base.den;
    demuxer_ = std::make_unique<Demuxer>(*input_, Demuxer::Options{.streams = {video_, audio_}});
    read_all();
  }

  /// Waits until the whole clip has been read ahead. For an empty list of streams, next() blocks until the
  /// input has ended, and then returns no packet.
  void read_all() { EXPECT_FALSE(demuxer_->next({}, Demuxer::Freeze::Ignored)); }

  [[nodiscard]] Demuxer::Skip skip_to(double seconds) {
    return demuxer_->skip_to({.stream = video_, .pts = std::llround(seconds * 25000)});
  }
  [[nodiscard]] std::optional<Demuxer::Packet> next(int stream) {
    return demuxer_->next({stream}, Demuxer::Freeze::Ignored);
  }

  TempDir dir_;
  std::unique_ptr<Input> input_;
  int video_ = 0, audio_ = 0, audio_rate_ = 0;
  std::unique_ptr<Demuxer> demuxer_;
};

TEST_F(DemuxerSkip, ContinuesWithinGop) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(next(video_));
  const std::size_t bytes = demuxer_->read_ahead(video_).bytes;
  EXPECT_EQ(skip_to(0.4), Demuxer::Skip::ContinuesDecoding);
  EXPECT_EQ(demuxer_->read_ahead(video_).bytes, bytes);
}

TEST_F(DemuxerSkip, DropsPacketsBeforeTargetKeyframe) {
  ASSERT_TRUE(next(video_));
  const std::size_t bytes = demuxer_->read_ahead(video_).bytes;
  EXPECT_EQ(skip_to(1.5), Demuxer::Skip::AtKeyFrame);
  EXPECT_LT(demuxer_->read_ahead(video_).bytes, bytes);
  const auto packet = next(video_);
  ASSERT_TRUE(packet);
  EXPECT_NE(packet->packet->flags & AV_PKT_FLAG_KEY, 0);
  EXPECT_EQ(packet->packet->pts, 36 * 1000) << "the keyframe before frame 37.5";
}

TEST_F(DemuxerSkip, KeepsPacketsWhenTargetIsUnread) {
  EXPECT_EQ(skip_to(2.97), Demuxer::Skip::NotBuffered);
  const auto packet = next(video_);
  ASSERT_TRUE(packet);
  EXPECT_EQ(packet->packet->pts, 0) << "no packet was dropped";
}

TEST_F(DemuxerSkip, RequiresAudioAtTarget) {
  ASSERT_TRUE(next(video_));
  const auto skip = [&](double seconds) {
    return demuxer_->skip_to({.stream = video_,
                              .pts = std::llround(seconds * 25000),
                              .secondary_stream = audio_,
                              .secondary_pts = std::llround(seconds * audio_rate_)});
  };
  std::int64_t taken = 0;
  while (taken < audio_rate_) {
    const auto packet = next(audio_);
    ASSERT_TRUE(packet);
    taken = packet->packet->pts + packet->packet->duration;
  }
  EXPECT_EQ(skip(0.9), Demuxer::Skip::NotBuffered) << "the audio at 0.9 s has already been read";
  EXPECT_EQ(skip(1.1), Demuxer::Skip::AtKeyFrame);
  // After a seek, packets read before it are unavailable.
  ASSERT_GE(demuxer_->seek({video_, 0, 0, 0}, 1), 0);
  read_all();
  EXPECT_EQ(skip(0.9), Demuxer::Skip::NotBuffered) << "the audio position is not known yet";
  ASSERT_TRUE(next(audio_));
  EXPECT_EQ(skip(0.9), Demuxer::Skip::AtKeyFrame);
}

}  // namespace
}  // namespace glyphreel::media::demuxer_skip_test
