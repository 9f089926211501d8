// Tests network inputs that fall behind, stall, disconnect and reconnect.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "playback_stage.h"

namespace glyphreel::player {
namespace {

/// Simulates a live input in real time: frame `i` arrives (40 * i + delay(i)) ms after the start.
class Live {
 public:
  Live(std::size_t count, std::function<double(std::size_t)> delay) : delay_(std::move(delay)) {
    script_ = FakeSource::regular(count);
    script_.is_network = script_.is_live = true;
  }
  FakeSource::Script& script() { return script_; }
  [[nodiscard]] double comes_at(std::size_t frame) const {
    return static_cast<double>(frame) * 40 + delay_(frame);
  }
  void play(Stage& stage, int milliseconds_of_it) {
    for (int i = 0; i < milliseconds_of_it; ++i) {
      while (come_ < script_.pts.size() && comes_at(come_) <= stage.elapsed()) ++come_;
      stage.source->release_frames(come_);
      if (!has_begun_) stage.begin();
      has_begun_ = true;
      stage.pass(milliseconds(1));
    }
  }

 private:
  FakeSource::Script script_;
  std::function<double(std::size_t)> delay_;
  std::size_t come_ = 0;
  bool has_begun_ = false;
};

TEST(Playback, ReconnectedLiveInputLosesNoFrames) {
  // From frame 50 on, after a break of 2 s, timestamps restart. The server has buffered no frames, so each
  // frame arrives when it is due.
  Live live(150, [](std::size_t frame) { return frame < 50 ? 0.0 : 2000.0; });
  live.script().reconnects_at = 50;
  for (std::size_t i = 50; i < 150; ++i) live.script().pts[i] = static_cast<std::int64_t>(i - 50) * 40;
  Stage stage(live.script());
  live.play(stage, 7500);
  ASSERT_FALSE(stage.error) << stage.error->message;
  ASSERT_FALSE(stage.ended) << stage.elapsed();
  std::vector<std::int64_t> wanted = frames(0, 2000);
  for (const std::int64_t pts : frames(0, 80 * 40)) wanted.push_back(pts);
  ASSERT_GE(stage.shown.size(), wanted.size());
  std::vector<std::int64_t> seen = stage.shown_pts();
  seen.resize(wanted.size());
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  EXPECT_NEAR(stage.shown[50].at, live.comes_at(50), 2) << "the first frame is shown immediately";
  EXPECT_LT(stage.shown[51].at, live.comes_at(50) + 500) << "the clock must start soon after reconnecting";
  for (std::size_t i = 51; i < 125; ++i) {
    EXPECT_NEAR(stage.shown[i].at - stage.shown[51].at, stage.shown[i].pts - stage.shown[51].pts, 2) << i;
  }
}

TEST(Playback, SlowNetworkIsWaitedForOnce) {
  // From frame 40 on, each frame arrives 600 ms late, which is 200 ms more than the player has buffered. Such
  // a delay is too short to count as a stall, but every later frame is late as well.
  Live live(150, [](std::size_t frame) { return frame < 40 ? 0.0 : 600.0; });
  Stage stage(live.script());
  live.play(stage, 6500);
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  EXPECT_LE(stage.statistics.frames.late, 4);
  ASSERT_GT(stage.shown.size(), 120U);
  for (std::size_t i = 60; i < 120; ++i) {
    EXPECT_NEAR(stage.shown[i].at - stage.shown[60].at, stage.shown[i].pts - stage.shown[60].pts, 2) << i;
  }
}

TEST(Playback, StallDoesNotPenalizeLaterFrames) {
  FakeSource::Script script = FakeSource::regular(100);
  script.is_network = true;
  Stage stage(script);
  stage.source->release_frames(15);
  stage.begin();
  stage.pass(milliseconds(3000));
  EXPECT_TRUE(stage.playback->is_buffering());
  EXPECT_EQ(stage.shown.size(), 15U);
  EXPECT_NEAR(stage.position(), 0.6, 0.05);
  stage.source->release_frames(std::numeric_limits<std::size_t>::max());
  stage.finish();
  EXPECT_EQ(stage.shown_pts(), frames(0, 4000));
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  EXPECT_NEAR(stage.shown[16].at - stage.shown[15].at, 40, 2);
}

TEST(Playback, PauseEndsBuffering) {
  FakeSource::Script script = FakeSource::regular(100);
  script.is_network = true;
  Stage stage(script);
  stage.source->release_frames(15);
  stage.begin();
  stage.pass(milliseconds(2000));
  ASSERT_TRUE(stage.playback->is_buffering());
  stage.playback->set_paused(true, stage.now);
  stage.source->release_frames(std::numeric_limits<std::size_t>::max());
  stage.pass(milliseconds(500));
  EXPECT_FALSE(stage.playback->is_buffering());
  EXPECT_EQ(stage.shown.size(), 15U);
  stage.playback->set_paused(false, stage.now);
  stage.finish();
  EXPECT_EQ(stage.shown_pts(), frames(0, 4000));
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
}

TEST(Playback, StallNearEndStillEnds) {
  FakeSource::Script script = FakeSource::regular(18);
  script.is_network = true;
  Stage stage(script);
  stage.source->release_frames(15);
  stage.begin();
  stage.pass(milliseconds(2500));
  EXPECT_TRUE(stage.playback->is_buffering());
  stage.source->release_frames(std::numeric_limits<std::size_t>::max());
  stage.finish();
  EXPECT_EQ(stage.shown_pts(), frames(0, 720));
}

TEST(Playback, NetworkSlideShowIsNotStall) {
  FakeSource::Script script = FakeSource::regular(6, 1000);
  script.is_network = script.is_live = true;
  Stage stage(script);
  stage.begin();
  for (std::size_t come = 1; come <= 6; ++come) {
    stage.source->release_frames(come);
    stage.pass(milliseconds(1000));
    if (come > 1) {
      EXPECT_FALSE(stage.playback->is_buffering()) << come;
    }
  }
  EXPECT_GE(stage.shown.size(), 5U);
}

TEST(Playback, EndsDuringInputStall) {
  FakeSource::Script script = FakeSource::regular(50);
  script.audio_seconds = 2;
  Stage stage(script);
  stage.source->set_gate(false);
  stage.begin();
  stage.playback->seek(1, SeekMode::Exact);
  EXPECT_EQ(stage.playback->step(stage.now, Visibility::Visible)->show, nullptr);
  // If the destructor hangs, so does the test.
}

}  // namespace
}  // namespace glyphreel::player
