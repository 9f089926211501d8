#include "player/recording/recording_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace glyphreel::player::recording_timeline_test {
namespace {

constexpr int Rate = RecordingTimeline::Rate;
constexpr double Fps = 25;
constexpr double Exact = 1e-9;

/// Returns a sample that encodes its media time. Silence is 0.
float sample_of(double media_seconds) {
  return static_cast<float>(media_seconds + 1);
}
/// Whether a sample has this media time, to within one and a half samples.
bool is_of(float sample, double media_seconds) {
  return std::abs(sample - sample_of(media_seconds)) < 1.5 / Rate;
}

/// A timeline, and all audio taken from it.
struct TimelineHarness {
  RecordingTimeline timeline;
  std::vector<float> left;

  /// Pushes the audio of media times [from, to) in 20 ms blocks, as AudioPlayer delivers it at this speed.
  void push_audio(PlaybackSegment segment, double from, double to, double speed = 1) {
    const std::int64_t frames = std::llround((to - from) / speed * Rate);
    for (std::int64_t at = 0; at < frames; at += Rate / 50) {
      auto block = std::make_shared<media::AudioBlock>();
      block->media_seconds = from + static_cast<double>(at) * speed / Rate;
      block->speed = speed;
      block->epoch = segment.epoch;
      for (std::int64_t i = 0; i < std::min<std::int64_t>(Rate / 50, frames - at); ++i) {
        const float sample = sample_of(block->media_seconds + static_cast<double>(i) * speed / Rate);
        block->samples.insert(block->samples.end(), 2, sample);
      }
      timeline.push_audio(segment, block);
    }
  }
  /// Pushes the frames of media times [from, to). Returns their positions in the recording, in seconds.
  std::vector<double> play(PlaybackSegment segment, double from, double to, double rate = 1) {
    std::vector<double> places;
    for (int i = 0; from + i / Fps < to - Exact; ++i) {
      places.push_back(timeline.push_frame(segment, from + i / Fps, rate));
      take(timeline.take_audio());
    }
    timeline.advance_to(segment, to);
    return places;
  }
  void end() { take(timeline.take_last_audio()); }
  [[nodiscard]] double audio_seconds() const { return static_cast<double>(left.size()) / Rate; }
  /// Returns the audio sample at this position in the recording.
  [[nodiscard]] float at(double seconds) const {
    return left.at(static_cast<std::size_t>(std::llround(seconds * Rate)));
  }

 private:
  void take(const std::vector<float>& samples) {
    for (std::size_t i = 0; i < samples.size(); i += 2) left.push_back(samples[i]);
  }
};

TEST(RecordingTimeline, StartsMidStream) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 4.5, 8);
  const std::vector<double> places = harness.play({1, 0}, 5.25, 7);
  harness.end();
  EXPECT_NEAR(places.front(), 0, Exact);
  EXPECT_NEAR(places.at(10), 0.4, Exact);
  EXPECT_NEAR(harness.timeline.seconds(), 1.75, Exact);
  ASSERT_EQ(harness.left.size(), 1.75 * Rate) << "audio decoded ahead must be dropped";
  for (const double at : {0.0, 0.4, 1.0, 1.7499}) EXPECT_TRUE(is_of(harness.at(at), 5.25 + at)) << at;
}

TEST(RecordingTimeline, PauseAddsNoTime) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 3);
  harness.play({1, 0}, 0, 1);
  // While paused, the player pushes the same frame repeatedly.
  for (int i = 0; i < 50; ++i) EXPECT_NEAR(harness.timeline.push_frame({1, 0}, 1, 1), 1, Exact);
  const std::vector<double> places = harness.play({1, 0}, 1, 2);
  harness.end();
  EXPECT_NEAR(places.back(), 1.96, Exact);
  EXPECT_EQ(harness.left.size(), 2 * Rate);
  EXPECT_TRUE(is_of(harness.at(1.5), 1.5));
}

TEST(RecordingTimeline, SeekIsCut) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 2);  // half a second more than is played
  harness.play({1, 0}, 0, 1.48);
  harness.timeline.advance_to({1, 0}, 1.5);
  // After a seek, the new audio arrives before the first frame, and the last audio from before the seek
  // arrives too late.
  harness.push_audio({1, 1}, 60, 62);
  harness.push_audio({1, 0}, 2, 2.2);
  const std::vector<double> places = harness.play({1, 1}, 60, 61);
  harness.end();
  EXPECT_NEAR(places.front(), 1.5, Exact);
  ASSERT_EQ(harness.left.size(), 2.5 * Rate);
  EXPECT_TRUE(is_of(harness.left.at(3 * Rate / 2 - 1), 1.5 - 1.0 / Rate));
  EXPECT_TRUE(is_of(harness.left.at(3 * Rate / 2), 60)) << "the cut must be exact to the sample";
  EXPECT_TRUE(is_of(harness.at(2.4), 60.9));
}

TEST(RecordingTimeline, SeeksWhilePausedLeaveNoTrace) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 2);
  harness.play({1, 0}, 0, 1);
  for (std::uint32_t epoch = 1; epoch < 20; ++epoch) {
    harness.push_audio({1, epoch}, epoch, epoch + 0.2);
    EXPECT_NEAR(harness.timeline.push_frame({1, epoch}, epoch, 1), 1, Exact);
  }
  harness.push_audio({1, 20}, 50, 52);
  harness.play({1, 20}, 50, 51);
  harness.end();
  EXPECT_EQ(harness.left.size(), 2 * Rate);
  EXPECT_TRUE(is_of(harness.at(1), 50));
}

TEST(RecordingTimeline, LoopIsCut) {
  TimelineHarness harness;
  for (std::uint32_t round = 0; round < 4; ++round) {
    harness.push_audio({1, round}, 1, 1.9);
    const std::vector<double> places = harness.play({1, round}, 1, 1.8);
    EXPECT_NEAR(places.front(), 0.8 * round, 1e-6);
  }
  harness.end();
  EXPECT_EQ(harness.left.size(), 3.2 * Rate);
  for (int round = 0; round < 4; ++round) EXPECT_TRUE(is_of(harness.at(0.8 * round + 0.4), 1.4)) << round;
}

TEST(RecordingTimeline, SpeedChangesWithAudio) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 1.01);
  harness.push_audio({1, 0}, 1.01, 3.01, 2);
  harness.push_audio({1, 0}, 3.01, 5, 0.5);
  // The player's clock runs 1.7 times as fast as normal, but the audio determines the recording's speed.
  const std::vector<double> places = harness.play({1, 0}, 0, 4, 1.7);
  harness.end();
  EXPECT_NEAR(places.at(25), 1, Exact);
  EXPECT_NEAR(places.at(50), 1.01 + 0.99 / 2, Exact);
  EXPECT_NEAR(places.at(99), 2.01 + 0.95 / 0.5, Exact);
  ASSERT_EQ(harness.left.size(), std::llround((2.01 + 0.99 / 0.5) * Rate));
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_LT(std::abs(harness.at(places[i]) - sample_of(static_cast<double>(i) / Fps)), 3.0 / Rate) << i;
  }
}

TEST(RecordingTimeline, SpeedFollowsClockWithoutAudio) {
  TimelineHarness harness;
  harness.play({1, 0}, 0, 1);
  harness.play({1, 0}, 1, 3, 2);
  const std::vector<double> places = harness.play({1, 0}, 3, 4, 0.5);
  harness.end();
  EXPECT_NEAR(places.front(), 2, Exact);
  EXPECT_NEAR(harness.timeline.seconds(), 4, Exact);
  EXPECT_EQ(harness.left, std::vector<float>(4 * Rate)) << "without audio, the recording must be silent";
}

TEST(RecordingTimeline, LateStartingAudioKeepsItsTime) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0.7, 3);
  harness.play({1, 0}, 0, 2);
  harness.end();
  EXPECT_EQ(harness.left.size(), 2 * Rate);
  const auto first =
      std::find_if(harness.left.begin(), harness.left.end(), [](float sample) { return sample != 0; });
  EXPECT_EQ(first - harness.left.begin(), std::llround(0.7 * Rate));
  EXPECT_TRUE(is_of(*first, 0.7));
}

TEST(RecordingTimeline, EarlyEndingAudioLeavesSilence) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 0.5);
  harness.play({1, 0}, 0, 4);
  EXPECT_NEAR(harness.audio_seconds(), 4 - 1 - 1 / Fps, 0.001) << "audio of the last second may still arrive";
  harness.end();
  EXPECT_EQ(harness.left.size(), 4 * Rate);
  EXPECT_TRUE(is_of(harness.at(0.499), 0.499));
  EXPECT_EQ(harness.at(0.501), 0);
}

TEST(RecordingTimeline, DelayedAudioIsInSync) {
  TimelineHarness harness;
  harness.play({1, 0}, 0, 0.8);
  harness.push_audio({1, 0}, 0, 2);
  harness.play({1, 0}, 0.8, 1.6);
  harness.end();
  EXPECT_EQ(harness.left.size(), std::llround(1.6 * Rate));
  for (const double at : {0.0, 0.5, 1.5}) EXPECT_TRUE(is_of(harness.at(at), at)) << at;
}

TEST(RecordingTimeline, OverdueAudioKeepsItsTime) {
  TimelineHarness harness;
  harness.play({1, 0}, 0, 3);
  harness.push_audio({1, 0}, 0, 4);
  harness.play({1, 0}, 3, 3.5);
  harness.end();
  EXPECT_EQ(harness.left.size(), std::llround(3.5 * Rate));
  EXPECT_EQ(harness.at(1), 0);
  EXPECT_TRUE(is_of(harness.at(3), 3));
}

TEST(RecordingTimeline, AudioTimeoutIncludesDelay) {
  TimelineHarness harness;
  harness.timeline.set_audio_timeout(3);
  harness.play({1, 0}, 0, 2.5);
  EXPECT_TRUE(harness.left.empty());
  harness.push_audio({1, 0}, 0, 4);
  harness.play({1, 0}, 2.5, 3);
  harness.end();
  EXPECT_TRUE(is_of(harness.at(0.1), 0.1));
}

TEST(RecordingTimeline, AudioGapBecomesSilence) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 1);
  harness.push_audio({1, 0}, 1.5, 3);
  harness.play({1, 0}, 0, 2);
  harness.end();
  EXPECT_EQ(harness.left.size(), 2 * Rate);
  EXPECT_EQ(harness.at(1.25), 0);
  EXPECT_TRUE(is_of(harness.left.at(3 * Rate / 2), 1.5));
}

TEST(RecordingTimeline, TimestampJitterLeavesNoGap) {
  TimelineHarness harness;
  for (int i = 0; i < 200; ++i) {
    auto block = std::make_shared<media::AudioBlock>();
    block->media_seconds = 0.02 * i + ((i + 1) % 3 - 1) * 0.0005;
    block->samples.assign(2 * Rate / 50, static_cast<float>(i + 1));
    harness.timeline.push_audio({1, 0}, block);
  }
  harness.play({1, 0}, 0, 3);
  harness.end();
  for (std::size_t i = 0; i < harness.left.size(); ++i) {
    ASSERT_EQ(harness.left[i], static_cast<float>(i / (Rate / 50) + 1)) << i;
  }
}

TEST(RecordingTimeline, InputsMayDifferInAudio) {
  TimelineHarness harness;
  harness.push_audio({1, 3}, 8, 10);
  harness.play({1, 3}, 8, 9.6);
  harness.play({2, 0}, 0, 1);
  harness.push_audio({3, 0}, 100, 103);
  const std::vector<double> places = harness.play({3, 0}, 100, 102);
  harness.end();
  EXPECT_NEAR(places.front(), 2.6, Exact);
  EXPECT_EQ(harness.left.size(), std::llround(4.6 * Rate));
  EXPECT_TRUE(is_of(harness.at(1.59), 9.59));
  EXPECT_EQ(harness.at(1.61), 0);
  EXPECT_EQ(harness.at(2.59), 0);
  EXPECT_TRUE(is_of(harness.at(2.6), 100));
}

TEST(RecordingTimeline, RepeatedPictureUsesLaterTime) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 4);
  harness.play({1, 0}, 0, 1);
  // A paused frame is pushed again with the time 1.03 s, because its overlay changed. The next frame's time,
  // 1.0 s, is slightly earlier.
  EXPECT_NEAR(harness.timeline.push_frame({1, 0}, 1.03, 1), 1.03, Exact);
  EXPECT_NEAR(harness.timeline.push_frame({1, 0}, 1.0, 1), 1.0, Exact) << "there must be no cut";
  harness.play({1, 0}, 1.04, 2);
  harness.end();
  EXPECT_EQ(harness.left.size(), 2 * Rate);
}

TEST(RecordingTimeline, TimestampDiscontinuityIsCut) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 1);
  harness.push_audio({1, 0}, 5000, 5002);
  harness.play({1, 0}, 0, 1);
  const std::vector<double> places = harness.play({1, 0}, 5000, 5001);
  harness.play({1, 0}, 20, 21);
  harness.end();
  EXPECT_NEAR(places.front(), 1, Exact);
  EXPECT_NEAR(harness.timeline.seconds(), 3, 1e-6);
  EXPECT_EQ(harness.left.size(), 3 * Rate);
  EXPECT_EQ(harness.at(0.5), sample_of(0.5));
  EXPECT_EQ(harness.at(1.5), sample_of(5000.5));
}

TEST(RecordingTimeline, HandlesNothingPlayed) {
  TimelineHarness harness;
  harness.push_audio({1, 0}, 0, 40);
  harness.end();
  EXPECT_EQ(harness.timeline.seconds(), 0);
  EXPECT_TRUE(harness.left.empty());
}

TEST(RecordingTimeline, EpochsMayWrap) {
  TimelineHarness harness;
  harness.play({1, 0xFFFFFFFF}, 0, 1);
  harness.push_audio({1, 0}, 7, 8);
  harness.push_audio({1, 0xFFFFFFFE}, 0, 1);
  harness.play({1, 0}, 7, 7.5);
  harness.end();
  EXPECT_TRUE(is_of(harness.at(1.25), 7.25));
}

}  // namespace
}  // namespace glyphreel::player::recording_timeline_test
