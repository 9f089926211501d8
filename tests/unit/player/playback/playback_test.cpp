#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "playback_simulation.h"

namespace glyphreel::player::playback_test {
namespace {

TEST(Playback, ShowsEachFrameOnTimeThenEnds) {
  PlaybackSimulation simulation(FakeSource::regular(25));
  simulation.begin();
  simulation.pass(milliseconds(2000));
  ASSERT_EQ(simulation.shown_pts(), frames(0, 1000));
  const double first = simulation.shown.front().at;
  for (const PlaybackSimulation::Shown& each : simulation.shown)
    EXPECT_NEAR(each.at - first, each.pts, 1) << each.pts;
  simulation.finish();
  EXPECT_NEAR(simulation.elapsed() - first, 1000, 2) << "the last frame is shown for its duration";
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  EXPECT_EQ(simulation.statistics.frames.repeated, 0);
  EXPECT_EQ(simulation.statistics.frames.late, 0);
  EXPECT_EQ(simulation.statistics.frames.decoded, 25);
}

TEST(Playback, ClockStartsWithFirstFrame) {
  PlaybackSimulation simulation(FakeSource::regular(50));
  simulation.begin();
  simulation.show_cost = milliseconds(700);  // as if the driver compiled shaders
  simulation.pass(milliseconds(1));
  ASSERT_EQ(simulation.shown.size(), 1u);
  simulation.show_cost = milliseconds(0);
  simulation.pass(milliseconds(390));
  EXPECT_EQ(simulation.shown_pts(), frames(0, 400));
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
}

TEST(Playback, PauseStopsClock) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(210));
  simulation.playback->set_paused(true, simulation.now);
  const std::size_t before = simulation.shown.size();
  simulation.pass(milliseconds(3000));
  EXPECT_EQ(simulation.shown.size(), before);
  EXPECT_NEAR(simulation.position(), 0.21, 0.003);
  simulation.playback->set_paused(false, simulation.now);
  simulation.pass(milliseconds(200));
  EXPECT_EQ(simulation.shown_pts(), frames(0, 410));
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  EXPECT_EQ(simulation.statistics.frames.late, 0);
}

TEST(Playback, SeekShowsTargetFrameWhilePaused) {
  PlaybackSimulation simulation(FakeSource::regular(500), {.paused = true});
  simulation.begin();
  simulation.finish_seek();
  ASSERT_EQ(simulation.shown_pts(), frames(0, 40)) << "the first frame is visible";
  simulation.playback->seek(10.01, SeekMode::Exact);
  EXPECT_TRUE(simulation.playback->is_seeking());
  EXPECT_DOUBLE_EQ(simulation.position(), 10.01) << "the progress bar must show the target of the seek";
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, 10'040);
  simulation.pass(milliseconds(500));
  EXPECT_EQ(simulation.shown.back().pts, 10'040);
  simulation.playback->seek(10.01, SeekMode::KeyframeBefore);
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, 10'000);
  simulation.playback->set_paused(false, simulation.now);
  simulation.pass(milliseconds(100));
  EXPECT_EQ(simulation.shown.back().pts, 10'080);
}

/// Returns scripts of 10 s with 5, 8 and 12 frames per second, and one with irregular frame times.
std::vector<FakeSource::Script> slow_scripts() {
  std::vector<FakeSource::Script> scripts;
  for (const int fps : {5, 8, 12}) {
    FakeSource::Script script{.frame_duration = 1000 / fps};
    for (int i = 0; i < 10 * fps; ++i) script.pts.push_back(std::llround(i * 1000.0 / fps));
    scripts.push_back(std::move(script));
  }
  FakeSource::Script irregular{.frame_duration = 150};
  constexpr std::array<std::int64_t, 5> Durations = {40, 350, 120, 80, 210};
  for (std::int64_t time = 0, i = 0; time < 10'000; time += Durations[static_cast<std::size_t>(i++ % 5)])
    irregular.pts.push_back(time);
  scripts.push_back(std::move(irregular));
  return scripts;
}

TEST(Playback, ExactRelativeSeeksStartFromShownFrame) {
  for (const FakeSource::Script& script : slow_scripts()) {
    for (const int wait : {2010, 2070, 2115, 2180, 2395}) {
      for (const int step : {1000, -1000}) {
        PlaybackSimulation simulation(script);
        simulation.begin();
        simulation.pass(milliseconds(wait));
        const auto shown = static_cast<std::int64_t>(simulation.shown.back().pts);
        EXPECT_EQ(std::llround(simulation.playback->frame_position(simulation.now) * 1000), shown);
        simulation.playback->seek_by(step / 1000.0, Playback::SeekUnit::Frame, simulation.now);
        simulation.finish_seek();
        const auto wanted = std::lower_bound(script.pts.begin(), script.pts.end(), shown + step);
        EXPECT_EQ(std::llround(simulation.shown.back().pts), *wanted)
            << step << " ms from " << shown << ", frames of " << script.frame_duration << " ms";
      }
    }
  }
}

TEST(Playback, ExactRelativeSeekOfHiddenOutputStartsFromClock) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(400));
  simulation.visibility = Visibility::Hidden;
  simulation.pass(milliseconds(1000));
  EXPECT_NEAR(simulation.playback->frame_position(simulation.now), 1.4, 0.01);
  simulation.playback->seek_by(1, Playback::SeekUnit::Frame, simulation.now);
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, 2400);
}

TEST(Playback, SeekStressEndsAtLastTargetWithoutStaleFrames) {
  PlaybackSimulation simulation(FakeSource::regular(2000));
  simulation.begin();
  simulation.pass(milliseconds(300));
  const std::size_t before = simulation.shown.size();
  simulation.source->set_gate(false);
  for (int i = 0; i < 100; ++i) {
    simulation.playback->seek_by(0.5, Playback::SeekUnit::Frame, simulation.now);
    EXPECT_EQ(simulation.playback->step(simulation.now, Visibility::Visible)->show, nullptr);
  }
  simulation.source->set_gate(true);
  simulation.finish_seek();
  ASSERT_EQ(simulation.shown.size(), before + 1);
  EXPECT_NEAR(simulation.shown.back().pts, 50'300, 41) << "relative seeks add up";
  EXPECT_LE(simulation.source->seeks(), 2u);
  simulation.pass(milliseconds(200));
  const double landed = simulation.shown[before].pts;
  for (std::size_t i = before; i < simulation.shown.size(); ++i) {
    EXPECT_EQ(simulation.shown[i].pts, landed + static_cast<double>(i - before) * 40);
  }
}

TEST(Playback, SeeksAreClampedToInput) {
  PlaybackSimulation simulation(FakeSource::regular(50));
  simulation.begin();
  simulation.pass(milliseconds(100));
  simulation.playback->seek(-7, SeekMode::Exact);
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, 0);
  simulation.playback->seek(1e9, SeekMode::Exact);
  EXPECT_DOUBLE_EQ(simulation.position(), 2);
  simulation.pass(milliseconds(100));
  EXPECT_TRUE(simulation.ended) << "there is no frame after the last";
}

TEST(Playback, StepsSingleFramesBothWays) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(410));
  ASSERT_EQ(simulation.shown.back().pts, 400);
  for (int i = 1; i <= 3; ++i) {
    simulation.playback->step_forward(simulation.now);
    EXPECT_TRUE(simulation.playback->controls().paused);
    simulation.pass(milliseconds(5));
    EXPECT_EQ(simulation.shown.back().pts, 400 + i * 40);
    EXPECT_DOUBLE_EQ(simulation.position(), 0.4 + i * 0.04);
  }
  for (int i = 1; i <= 15; ++i) {
    simulation.playback->step_back(simulation.now);
    simulation.finish_seek();
    simulation.pass(milliseconds(5));
    EXPECT_EQ(simulation.shown.back().pts, std::max(0, 520 - i * 40));
  }
  simulation.playback->set_paused(false, simulation.now);
  const double resumed = simulation.elapsed();
  simulation.pass(milliseconds(210));
  EXPECT_EQ(simulation.shown.back().pts, 200) << "playback must resume at the visible frame";
  EXPECT_NEAR(simulation.shown.back().at - resumed, 200, 2);
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
}

TEST(Playback, RepeatedBackStepsAddUp) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(1010));
  simulation.playback->set_paused(true, simulation.now);
  const double before = simulation.shown.back().pts;
  for (int i = 0; i < 5; ++i) simulation.playback->step_back(simulation.now);
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, before - 5 * 40);
  for (int i = 0; i < 3; ++i) simulation.playback->step_back(simulation.now);
  simulation.playback->seek(2, SeekMode::Exact);  // cancels the pending steps
  simulation.finish_seek();
  simulation.pass(milliseconds(100));
  EXPECT_EQ(simulation.shown.back().pts, 2000);
}

TEST(Playback, StepDuringSeekFollowsIt) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(410));
  simulation.playback->seek(2, SeekMode::Exact);
  simulation.playback->step_forward(simulation.now);
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, 2000);
  simulation.pass(milliseconds(100));
  EXPECT_EQ(simulation.shown.back().pts, 2040) << "a step shows one frame and stays paused";
}

TEST(Playback, PauseDuringSeekShowsTargetFrame) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(410));
  simulation.playback->seek(2, SeekMode::Exact);
  simulation.playback->set_paused(true, simulation.now);
  simulation.pass(milliseconds(500));
  EXPECT_EQ(simulation.shown.back().pts, 2000);
  EXPECT_DOUBLE_EQ(simulation.position(), 2);
  simulation.playback->set_paused(false, simulation.now);
  simulation.pass(milliseconds(100));
  EXPECT_EQ(simulation.shown.back().pts, 2080);
}

TEST(Playback, SpeedChangesImmediately) {
  PlaybackSimulation simulation(FakeSource::regular(400, 20));
  simulation.begin();
  simulation.pass(milliseconds(400));
  simulation.playback->set_speed(2, simulation.now);
  simulation.pass(milliseconds(400));
  EXPECT_NEAR(simulation.position(), 1.2, 0.01);
  simulation.playback->set_speed(0.5, simulation.now);
  simulation.pass(milliseconds(400));
  EXPECT_NEAR(simulation.position(), 1.4, 0.01);
  EXPECT_EQ(simulation.shown_pts(), frames(0, std::llround(simulation.shown.back().pts) + 20, 20))
      << "no frame may be lost";
  simulation.playback->set_speed(100, simulation.now);
  EXPECT_EQ(simulation.playback->controls().speed, PlaybackControls::MaxSpeed);
}

TEST(Playback, FileLoopsFromStart) {
  cli::Settings settings;
  settings.playback.repeats = cli::PlaybackSettings::RepeatForever;
  PlaybackSimulation simulation(FakeSource::regular(10), {}, settings);
  simulation.begin();
  simulation.pass(milliseconds(1300));
  EXPECT_FALSE(simulation.ended);
  std::vector<std::int64_t> expected = frames(0, 400);
  for (int i = 0; i < 2; ++i) {
    const std::vector<std::int64_t> again = frames(0, 400);
    expected.insert(expected.end(), again.begin(), again.end());
  }
  ASSERT_GE(simulation.shown.size(), expected.size());
  std::vector<std::int64_t> got = simulation.shown_pts();
  got.resize(expected.size());
  EXPECT_EQ(got, expected);
}

TEST(Playback, FileRepeatsAsOftenAsAsked) {
  cli::Settings settings;
  settings.playback.repeats = 2;
  PlaybackSimulation simulation(FakeSource::regular(5), {}, settings);
  simulation.begin();
  simulation.pass(milliseconds(2000));
  EXPECT_TRUE(simulation.ended);
  EXPECT_EQ(simulation.shown.size(), 3U * 5U);
}

TEST(Playback, RepeatsCanBeEnded) {
  cli::Settings settings;
  settings.playback.repeats = 2;
  PlaybackSimulation simulation(FakeSource::regular(5), {}, settings);
  simulation.begin();
  EXPECT_TRUE(simulation.playback->will_repeat());
  simulation.playback->end_repeats();
  EXPECT_FALSE(simulation.playback->will_repeat());
  simulation.pass(milliseconds(2000));
  EXPECT_TRUE(simulation.ended);
  EXPECT_EQ(simulation.shown.size(), 5U);
}

TEST(Playback, LoopsFromBToA) {
  PlaybackSimulation simulation(FakeSource::regular(500));
  simulation.begin();
  simulation.pass(milliseconds(100));
  simulation.playback->set_loop(0.2, 0.52);
  simulation.pass(milliseconds(1000));
  for (const PlaybackSimulation::Shown& each : simulation.shown) EXPECT_LT(each.pts, 520);
  EXPECT_GE(std::count_if(simulation.shown.begin(), simulation.shown.end(),
                          [](auto each) { return each.pts == 200; }),
            3);
  simulation.playback->set_loop(std::nullopt, std::nullopt);
  simulation.pass(milliseconds(600));
  EXPECT_GT(simulation.shown.back().pts, 520);
}

TEST(Playback, EmptyLoopEnds) {
  PlaybackSimulation simulation(FakeSource::regular(10));
  simulation.begin();
  simulation.playback->set_loop(0.4, std::nullopt);  // loop point A is at the end of the video
  simulation.pass(milliseconds(2000));
  EXPECT_TRUE(simulation.ended) << "otherwise the loop would seek forever";
}

TEST(Playback, HiddenWindowKeepsTimeRunning) {
  PlaybackSimulation simulation(FakeSource::regular(200));
  simulation.begin();
  simulation.pass(milliseconds(210));
  const std::size_t before = simulation.shown.size();
  simulation.visibility = Visibility::Hidden;
  simulation.pass(milliseconds(2000));
  EXPECT_EQ(simulation.shown.size(), before);
  EXPECT_NEAR(simulation.position(), 2.21, 0.05);
  simulation.visibility = Visibility::Visible;
  simulation.pass(milliseconds(100));
  EXPECT_NEAR(simulation.shown[before].pts, 2240, 41);
  EXPECT_EQ(simulation.statistics.frames.repeated, 0);
}

TEST(Playback, BusyScreenGetsNewestFrameWhenFree) {
  PlaybackSimulation simulation(FakeSource::regular(200));
  simulation.begin();
  simulation.pass(milliseconds(210));
  const std::size_t before = simulation.shown.size();
  simulation.visibility = Visibility::Pending;
  simulation.pass(milliseconds(400));
  EXPECT_EQ(simulation.shown.size(), before);
  simulation.visibility = Visibility::Visible;
  simulation.pass(milliseconds(1));
  ASSERT_EQ(simulation.shown.size(), before + 1);
  EXPECT_NEAR(simulation.shown.back().pts, 600, 41);
  EXPECT_GT(simulation.statistics.frames.dropped, 5);
}

TEST(Playback, StepWaitsForBusyScreen) {
  PlaybackSimulation simulation(FakeSource::regular(100));
  simulation.begin();
  simulation.pass(milliseconds(410));
  simulation.playback->step_forward(simulation.now);
  simulation.visibility = Visibility::Pending;
  simulation.pass(milliseconds(100));
  EXPECT_EQ(simulation.shown.back().pts, 400);
  simulation.visibility = Visibility::Visible;
  simulation.pass(milliseconds(1));
  EXPECT_EQ(simulation.shown.back().pts, 440);
}

TEST(Playback, DecodeErrorFollowsEarlierFrames) {
  FakeSource::Script script = FakeSource::regular(100);
  script.fails_at = 12;
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(2000));
  ASSERT_TRUE(simulation.error);
  EXPECT_EQ(simulation.error->message, "The disk is gone.");
  EXPECT_EQ(simulation.shown_pts(), frames(0, 480));
}

TEST(Playback, PipeSeeksForwardOnly) {
  FakeSource::Script script = FakeSource::regular(400);
  script.is_pipe = true;
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(1010));
  const std::uint64_t seeks = simulation.source->seeks();
  simulation.playback->seek_by(-5, Playback::SeekUnit::Keyframe, simulation.now);
  simulation.playback->seek(0.2, SeekMode::Exact);
  simulation.playback->step_back(simulation.now);
  EXPECT_EQ(simulation.playback->take_notice(), "This input cannot seek backward.");
  EXPECT_FALSE(simulation.playback->is_seeking());
  EXPECT_EQ(simulation.source->seeks(), seeks);
  simulation.playback->set_paused(false, simulation.now);
  simulation.pass(milliseconds(500));
  EXPECT_EQ(simulation.shown_pts(), frames(0, 1520)) << "no frame may be lost";
  simulation.playback->seek_by(5, Playback::SeekUnit::Keyframe, simulation.now);
  simulation.finish_seek();
  EXPECT_EQ(simulation.shown.back().pts, 6480) << "a pipe seeks exactly, not to a keyframe";
  simulation.playback->set_loop(6, 7);
  simulation.pass(milliseconds(1000));
  EXPECT_FALSE(simulation.playback->take_notice().empty()) << "seeking back to A is impossible";
  simulation.pass(milliseconds(1000));
  EXPECT_TRUE(simulation.playback->take_notice().empty()) << "reported only once";
  EXPECT_NEAR(static_cast<double>(simulation.shown.back().pts), 8500, 100);
}

TEST(Playback, FailedSeekIsReportedAndPlaybackContinues) {
  FakeSource::Script script = FakeSource::regular(200);
  script.seeks_fail = true;
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(210));
  simulation.playback->seek(5, SeekMode::Exact);
  simulation.finish_seek();
  EXPECT_EQ(simulation.playback->take_notice(), "This input does not support seeking.");
  EXPECT_TRUE(simulation.playback->take_notice().empty());
  const double landed = simulation.shown.back().pts;
  EXPECT_LT(landed, 2000);
  simulation.pass(milliseconds(200));
  EXPECT_NEAR(simulation.shown.back().pts - landed, 200, 41);
  simulation.pass(milliseconds(10'000));
  simulation.finish();
}

TEST(Playback, TimestampDiscontinuityDoesNotStall) {
  FakeSource::Script script = FakeSource::regular(10);
  for (std::int64_t i = 0; i < 10; ++i) script.pts.push_back(7'200'000 + i * 40);
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(1000));
  EXPECT_EQ(simulation.shown.size(), 20u);
  EXPECT_NEAR(simulation.shown.back().at - simulation.shown.front().at, 760, 3) << "no pause in playback";
}

TEST(Playback, SlowAndIrregularVideoKeepsTiming) {
  FakeSource::Script script{.pts = {0, 40, 2500, 2503, 2504, 9000, 30'000}, .frame_duration = 40};
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(31'000));
  ASSERT_EQ(simulation.shown_pts(), script.pts);
  const double first = simulation.shown.front().at;
  for (const PlaybackSimulation::Shown& each : simulation.shown) EXPECT_NEAR(each.at - first, each.pts, 1);
}

TEST(Playback, SlowScreenDropsAndCountsFrames) {
  PlaybackSimulation simulation(FakeSource::regular(200));
  simulation.begin();
  simulation.pass(milliseconds(1));
  simulation.show_cost = milliseconds(100);
  simulation.pass(milliseconds(20'000));
  simulation.finish();
  EXPECT_EQ(simulation.statistics.frames.decoded, 200);
  EXPECT_EQ(static_cast<std::int64_t>(simulation.shown.size()) + simulation.statistics.frames.dropped, 200);
  EXPECT_NEAR(static_cast<double>(simulation.shown.size()), 80, 4);
  EXPECT_EQ(simulation.statistics.frames.skipped, 0);
  EXPECT_GT(simulation.statistics.frames.late, 0);
}

TEST(Playback, InputStallCountsAsRepeats) {
  PlaybackSimulation simulation(FakeSource::regular(200));
  simulation.begin();
  simulation.pass(milliseconds(205));
  ASSERT_EQ(simulation.statistics.frames.repeated, 0);
  simulation.show_cost = milliseconds(165);  // showing one frame takes the time of four frames
  simulation.pass(milliseconds(36));
  simulation.show_cost = milliseconds(0);
  simulation.pass(milliseconds(400));
  EXPECT_EQ(simulation.statistics.frames.repeated, 4);
}

TEST(Playback, DoubleScreenRateSkipsEverySecondFrame) {
  FakeSource::Script script{.frame_duration = 8};
  for (int i = 0; i < 240; ++i) script.pts.push_back(std::llround(i * 1000.0 / 120));
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.playback->set_screen_timing({.interval = 1.0 / 60});
  simulation.pass(milliseconds(3000));
  simulation.finish();
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  EXPECT_NEAR(static_cast<double>(simulation.shown.size()), 120, 1);
  EXPECT_EQ(simulation.statistics.frames.skipped + static_cast<std::int64_t>(simulation.shown.size()), 240);
  EXPECT_EQ(simulation.statistics.frames.late, 0);
}

TEST(Playback, AudioIsMasterClock) {
  FakeSource::Script script = FakeSource::regular(200);
  script.audio_seconds = 8;
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(3000));
  ASSERT_TRUE(simulation.playback->av_offset_ms());
  EXPECT_LT(std::abs(*simulation.playback->av_offset_ms()), 3);
  EXPECT_LT(simulation.statistics.av_offsets_ms.largest(), 5);
  EXPECT_EQ(simulation.statistics.frames.dropped, 0);
  // The second frame waits until audio is output, which starts after the output latency.
  EXPECT_NEAR(simulation.shown.back().at - simulation.shown.front().at,
              simulation.shown.back().pts + static_cast<double>(Latency.count()), 20);

  simulation.playback->set_paused(true, simulation.now);
  simulation.pass(milliseconds(1000));
  simulation.playback->set_paused(false, simulation.now);
  simulation.pass(milliseconds(500));
  EXPECT_LT(std::abs(*simulation.playback->av_offset_ms()), 5);
  simulation.playback->seek(6, SeekMode::Exact);
  simulation.pass(milliseconds(500));
  EXPECT_GT(simulation.shown.back().pts, 6300);
  EXPECT_LT(std::abs(*simulation.playback->av_offset_ms()), 5);
  simulation.playback->set_audio_delay(0.1);
  simulation.pass(milliseconds(500));
  EXPECT_LT(std::abs(*simulation.playback->av_offset_ms()), 5) << "a requested delay is not an error";
}

TEST(Playback, AudioEndingEarlyKeepsVideoPace) {
  FakeSource::Script script = FakeSource::regular(100);
  script.audio_seconds = 1;
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(6000));
  simulation.finish();
  EXPECT_EQ(simulation.shown_pts(), frames(0, 4000));
  EXPECT_NEAR(simulation.shown.back().at - simulation.shown.front().at,
              3960 + static_cast<double>(Latency.count()), 20);
}

TEST(Playback, AudioOutlastingVideoPlaysToEnd) {
  FakeSource::Script script = FakeSource::regular(25);
  script.audio_seconds = 3;
  PlaybackSimulation simulation(script);
  simulation.begin();
  simulation.pass(milliseconds(6000));
  simulation.finish();
  EXPECT_EQ(simulation.shown.back().pts, 960);
  EXPECT_NEAR(simulation.elapsed(), 3000 + static_cast<double>(Latency.count()), 60);
}

TEST(Playback, MissingAudioDeviceIsReportedOnce) {
  FakeSource::Script script = FakeSource::regular(50);
  script.audio_seconds = 2;
  PlaybackSimulation simulation(script);
  simulation.has_device = false;
  simulation.begin();
  EXPECT_EQ(simulation.playback->take_audio_failure(), "There is no sound device.");
  simulation.pass(milliseconds(3000));
  EXPECT_TRUE(simulation.playback->take_audio_failure().empty());
  simulation.finish();
  EXPECT_EQ(simulation.shown_pts(), frames(0, 2000));
  EXPECT_FALSE(simulation.playback->av_offset_ms());
}

TEST(Playback, DeadAudioDeviceDelaysVideoBriefly) {
  FakeSource::Script script = FakeSource::regular(50);
  script.audio_seconds = 2;
  PlaybackSimulation simulation(script);
  simulation.device->is_present = false;
  simulation.begin();
  simulation.pass(milliseconds(4000));
  EXPECT_EQ(simulation.shown_pts(), frames(0, 2000));
  EXPECT_NEAR(simulation.shown.back().at - simulation.shown.front().at, 1960 + 500, 20);
}

}  // namespace
}  // namespace glyphreel::player::playback_test
