// Tests network inputs that fall behind, stall, disconnect and reconnect.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "playback_simulation.h"

namespace glyphreel::player::playback_network_test {
namespace {

/// Simulates a live input. Frame `i` arrives (40 * i + delay(i)) ms after the start, in simulated time.
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
  void play(PlaybackSimulation& simulation, int milliseconds_of_it) {
    for (int i = 0; i < milliseconds_of_it; ++i) {
      while (come_ < script_.pts.size() && comes_at(come_) <= simulation.elapsed()) ++come_;
      simulation.source->release_frames(come_);
      if (!has_begun_) simulation.begin();
      has_begun_ = true;
      simulation.pass(milliseconds(1));
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
  PlaybackSimulation simulation(live.script());
  live.play(simulation, 7500);
  ASSERT_FALSE(simulation.error) << simulation.error->message;
  ASSERT_FALSE(simulation.ended) << simulation.elapsed();
  std::vector<std::int64_t> wanted = frames(0, 2000);
  for (const std::int64_t pts : frames(0, 80 * 40)) wanted.push_back(pts);
  ASSERT_GE(simulation.shown.size(), wanted.size());
  std::vector<std::int64_t> seen = simulation.shown_pts();
  seen.resize(wanted.size());
  EXPECT_EQ(seen, wanted);
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  EXPECT_NEAR(simulation.shown[50].at, live.comes_at(50), 2) << "the first frame is shown immediately";
  EXPECT_LT(simulation.shown[51].at, live.comes_at(50) + 500)
      << "the clock must start soon after reconnecting";
  for (std::size_t i = 51; i < 125; ++i) {
    EXPECT_NEAR(simulation.shown[i].at - simulation.shown[51].at,
                simulation.shown[i].pts - simulation.shown[51].pts, 2)
        << i;
  }
}

TEST(Playback, SlowNetworkIsWaitedForOnce) {
  // From frame 40 on, each frame arrives 600 ms late, which is 200 ms more than the player has buffered. Such
  // a delay is too short to count as a stall, but every later frame is late as well.
  Live live(150, [](std::size_t frame) { return frame < 40 ? 0.0 : 600.0; });
  PlaybackSimulation simulation(live.script());
  live.play(simulation, 6500);
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  EXPECT_LE(simulation.statistics.frames.late, 4);
  ASSERT_GT(simulation.shown.size(), 120U);
  for (std::size_t i = 60; i < 120; ++i) {
    EXPECT_NEAR(simulation.shown[i].at - simulation.shown[60].at,
                simulation.shown[i].pts - simulation.shown[60].pts, 2)
        << i;
  }
}

TEST(Playback, StallDoesNotPenalizeLaterFrames) {
  FakeSource::Script script = FakeSource::regular(100);
  script.is_network = true;
  PlaybackSimulation simulation(script);
  simulation.source->release_frames(15);
  simulation.begin();
  simulation.pass(milliseconds(3000));
  EXPECT_TRUE(simulation.playback->is_buffering());
  EXPECT_EQ(simulation.shown.size(), 15U);
  EXPECT_NEAR(simulation.position(), 0.6, 0.05);
  simulation.source->release_frames(std::numeric_limits<std::size_t>::max());
  simulation.finish();
  EXPECT_EQ(simulation.shown_pts(), frames(0, 4000));
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  EXPECT_NEAR(simulation.shown[16].at - simulation.shown[15].at, 40, 2);
}

TEST(Playback, PauseEndsBuffering) {
  FakeSource::Script script = FakeSource::regular(100);
  script.is_network = true;
  PlaybackSimulation simulation(script);
  simulation.source->release_frames(15);
  simulation.begin();
  simulation.pass(milliseconds(2000));
  ASSERT_TRUE(simulation.playback->is_buffering());
  simulation.playback->set_paused(true, simulation.now);
  simulation.source->release_frames(std::numeric_limits<std::size_t>::max());
  simulation.pass(milliseconds(500));
  EXPECT_FALSE(simulation.playback->is_buffering());
  EXPECT_EQ(simulation.shown.size(), 15U);
  simulation.playback->set_paused(false, simulation.now);
  simulation.finish();
  EXPECT_EQ(simulation.shown_pts(), frames(0, 4000));
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
}

TEST(Playback, StallNearEndStillEnds) {
  FakeSource::Script script = FakeSource::regular(18);
  script.is_network = true;
  PlaybackSimulation simulation(script);
  simulation.source->release_frames(15);
  simulation.begin();
  simulation.pass(milliseconds(2500));
  EXPECT_TRUE(simulation.playback->is_buffering());
  simulation.source->release_frames(std::numeric_limits<std::size_t>::max());
  simulation.finish();
  EXPECT_EQ(simulation.shown_pts(), frames(0, 720));
}

TEST(Playback, NetworkSlideShowIsNotStall) {
  FakeSource::Script script = FakeSource::regular(6, 1000);
  script.is_network = script.is_live = true;
  PlaybackSimulation simulation(script);
  simulation.begin();
  for (std::size_t come = 1; come <= 6; ++come) {
    simulation.source->release_frames(come);
    simulation.pass(milliseconds(1000));
    if (come > 1) {
      EXPECT_FALSE(simulation.playback->is_buffering()) << come;
    }
  }
  EXPECT_GE(simulation.shown.size(), 5U);
}

TEST(Playback, EndsDuringInputStall) {
  FakeSource::Script script = FakeSource::regular(50);
  script.audio_seconds = 2;
  PlaybackSimulation simulation(script);
  simulation.source->set_gate(false);
  simulation.begin();
  simulation.playback->seek(1, SeekMode::Exact);
  EXPECT_EQ(simulation.playback->step(simulation.now, Visibility::Visible)->show, nullptr);
  // If the destructor hangs, so does the test.
}

}  // namespace
}  // namespace glyphreel::player::playback_network_test
