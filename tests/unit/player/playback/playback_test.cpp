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

#include "playback_stage.h"

namespace glyphreel::player {
namespace {

TEST(Playback, ShowsEachFrameOnTimeThenEnds) {
  Stage stage(FakeSource::regular(25));
  stage.begin();
  stage.pass(milliseconds(2000));
  ASSERT_EQ(stage.shown_pts(), frames(0, 1000));
  const double first = stage.shown.front().at;
  for (const Stage::Shown& each : stage.shown) EXPECT_NEAR(each.at - first, each.pts, 1) << each.pts;
  stage.finish();
  EXPECT_NEAR(stage.elapsed() - first, 1000, 2) << "the last frame is shown for its duration";
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  EXPECT_EQ(stage.statistics.frames.repeated, 0);
  EXPECT_EQ(stage.statistics.frames.late, 0);
  EXPECT_EQ(stage.statistics.frames.decoded, 25);
}

TEST(Playback, ClockStartsWithFirstFrame) {
  Stage stage(FakeSource::regular(50));
  stage.begin();
  stage.show_cost = milliseconds(700);  // as if the driver compiled shaders
  stage.pass(milliseconds(1));
  ASSERT_EQ(stage.shown.size(), 1u);
  stage.show_cost = milliseconds(0);
  stage.pass(milliseconds(390));
  EXPECT_EQ(stage.shown_pts(), frames(0, 400));
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
}

TEST(Playback, PauseStopsClock) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(210));
  stage.playback->set_paused(true, stage.now);
  const std::size_t before = stage.shown.size();
  stage.pass(milliseconds(3000));
  EXPECT_EQ(stage.shown.size(), before);
  EXPECT_NEAR(stage.position(), 0.21, 0.003);
  stage.playback->set_paused(false, stage.now);
  stage.pass(milliseconds(200));
  EXPECT_EQ(stage.shown_pts(), frames(0, 410));
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  EXPECT_EQ(stage.statistics.frames.late, 0);
}

TEST(Playback, SeekShowsTargetFrameWhilePaused) {
  Stage stage(FakeSource::regular(500), {.paused = true});
  stage.begin();
  stage.finish_seek();
  ASSERT_EQ(stage.shown_pts(), frames(0, 40)) << "the first frame is visible";
  stage.playback->seek(10.01, SeekMode::Exact);
  EXPECT_TRUE(stage.playback->is_seeking());
  EXPECT_DOUBLE_EQ(stage.position(), 10.01) << "the progress bar must show the target of the seek";
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, 10'040);
  stage.pass(milliseconds(500));
  EXPECT_EQ(stage.shown.back().pts, 10'040);
  stage.playback->seek(10.01, SeekMode::KeyframeBefore);
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, 10'000);
  stage.playback->set_paused(false, stage.now);
  stage.pass(milliseconds(100));
  EXPECT_EQ(stage.shown.back().pts, 10'080);
}

/// Returns the times of frames that are shown for 5, 8 or 12 frames per second, or irregularly.
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
        Stage stage(script);
        stage.begin();
        stage.pass(milliseconds(wait));
        const auto shown = static_cast<std::int64_t>(stage.shown.back().pts);
        EXPECT_EQ(std::llround(stage.playback->frame_position(stage.now) * 1000), shown);
        stage.playback->seek_by(step / 1000.0, Playback::SeekUnit::Frame, stage.now);
        stage.finish_seek();
        const auto wanted = std::lower_bound(script.pts.begin(), script.pts.end(), shown + step);
        EXPECT_EQ(std::llround(stage.shown.back().pts), *wanted)
            << step << " ms from " << shown << ", frames of " << script.frame_duration << " ms";
      }
    }
  }
}

TEST(Playback, ExactRelativeSeekOfHiddenOutputStartsFromClock) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(400));
  stage.visibility = Visibility::Hidden;
  stage.pass(milliseconds(1000));
  EXPECT_NEAR(stage.playback->frame_position(stage.now), 1.4, 0.01);
  stage.playback->seek_by(1, Playback::SeekUnit::Frame, stage.now);
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, 2400);
}

TEST(Playback, SeekStressEndsAtLastTargetWithoutStaleFrames) {
  Stage stage(FakeSource::regular(2000));
  stage.begin();
  stage.pass(milliseconds(300));
  const std::size_t before = stage.shown.size();
  stage.source->set_gate(false);
  for (int i = 0; i < 100; ++i) {
    stage.playback->seek_by(0.5, Playback::SeekUnit::Frame, stage.now);
    EXPECT_EQ(stage.playback->step(stage.now, Visibility::Visible)->show, nullptr);
  }
  stage.source->set_gate(true);
  stage.finish_seek();
  ASSERT_EQ(stage.shown.size(), before + 1);
  EXPECT_NEAR(stage.shown.back().pts, 50'300, 41) << "relative seeks add up";
  EXPECT_LE(stage.source->seeks(), 2u);
  stage.pass(milliseconds(200));
  const double landed = stage.shown[before].pts;
  for (std::size_t i = before; i < stage.shown.size(); ++i) {
    EXPECT_EQ(stage.shown[i].pts, landed + static_cast<double>(i - before) * 40);
  }
}

TEST(Playback, SeeksAreClampedToInput) {
  Stage stage(FakeSource::regular(50));
  stage.begin();
  stage.pass(milliseconds(100));
  stage.playback->seek(-7, SeekMode::Exact);
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, 0);
  stage.playback->seek(1e9, SeekMode::Exact);
  EXPECT_DOUBLE_EQ(stage.position(), 2);
  stage.pass(milliseconds(100));
  EXPECT_TRUE(stage.ended) << "there is no frame after the last";
}

TEST(Playback, StepsSingleFramesBothWays) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(410));
  ASSERT_EQ(stage.shown.back().pts, 400);
  for (int i = 1; i <= 3; ++i) {
    stage.playback->step_forward(stage.now);
    EXPECT_TRUE(stage.playback->controls().paused);
    stage.pass(milliseconds(5));
    EXPECT_EQ(stage.shown.back().pts, 400 + i * 40);
    EXPECT_DOUBLE_EQ(stage.position(), 0.4 + i * 0.04);
  }
  for (int i = 1; i <= 15; ++i) {
    stage.playback->step_back(stage.now);
    stage.finish_seek();
    stage.pass(milliseconds(5));
    EXPECT_EQ(stage.shown.back().pts, std::max(0, 520 - i * 40));
  }
  stage.playback->set_paused(false, stage.now);
  const double resumed = stage.elapsed();
  stage.pass(milliseconds(210));
  EXPECT_EQ(stage.shown.back().pts, 200) << "playback must resume at the visible frame";
  EXPECT_NEAR(stage.shown.back().at - resumed, 200, 2);
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
}

TEST(Playback, RepeatedBackStepsAddUp) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(1010));
  stage.playback->set_paused(true, stage.now);
  const double before = stage.shown.back().pts;
  for (int i = 0; i < 5; ++i) stage.playback->step_back(stage.now);
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, before - 5 * 40);
  for (int i = 0; i < 3; ++i) stage.playback->step_back(stage.now);
  stage.playback->seek(2, SeekMode::Exact);  // cancels the pending steps
  stage.finish_seek();
  stage.pass(milliseconds(100));
  EXPECT_EQ(stage.shown.back().pts, 2000);
}

TEST(Playback, StepDuringSeekFollowsIt) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(410));
  stage.playback->seek(2, SeekMode::Exact);
  stage.playback->step_forward(stage.now);
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, 2000);
  stage.pass(milliseconds(100));
  EXPECT_EQ(stage.shown.back().pts, 2040) << "a step shows one frame and stays paused";
}

TEST(Playback, PauseDuringSeekShowsTargetFrame) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(410));
  stage.playback->seek(2, SeekMode::Exact);
  stage.playback->set_paused(true, stage.now);
  stage.pass(milliseconds(500));
  EXPECT_EQ(stage.shown.back().pts, 2000);
  EXPECT_DOUBLE_EQ(stage.position(), 2);
  stage.playback->set_paused(false, stage.now);
  stage.pass(milliseconds(100));
  EXPECT_EQ(stage.shown.back().pts, 2080);
}

TEST(Playback, SpeedChangesImmediately) {
  Stage stage(FakeSource::regular(400, 20));
  stage.begin();
  stage.pass(milliseconds(400));
  stage.playback->set_speed(2, stage.now);
  stage.pass(milliseconds(400));
  EXPECT_NEAR(stage.position(), 1.2, 0.01);
  stage.playback->set_speed(0.5, stage.now);
  stage.pass(milliseconds(400));
  EXPECT_NEAR(stage.position(), 1.4, 0.01);
  EXPECT_EQ(stage.shown_pts(), frames(0, std::llround(stage.shown.back().pts) + 20, 20))
      << "no frame may be lost";
  stage.playback->set_speed(100, stage.now);
  EXPECT_EQ(stage.playback->controls().speed, PlaybackControls::MaxSpeed);
}

TEST(Playback, FileLoopsFromStart) {
  cli::Settings settings;
  settings.repeats = cli::Settings::RepeatForever;
  Stage stage(FakeSource::regular(10), {}, settings);
  stage.begin();
  stage.pass(milliseconds(1300));
  EXPECT_FALSE(stage.ended);
  std::vector<std::int64_t> expected = frames(0, 400);
  for (int i = 0; i < 2; ++i) {
    const std::vector<std::int64_t> again = frames(0, 400);
    expected.insert(expected.end(), again.begin(), again.end());
  }
  ASSERT_GE(stage.shown.size(), expected.size());
  std::vector<std::int64_t> got = stage.shown_pts();
  got.resize(expected.size());
  EXPECT_EQ(got, expected);
}

TEST(Playback, FileRepeatsAsOftenAsAsked) {
  cli::Settings settings;
  settings.repeats = 2;
  Stage stage(FakeSource::regular(5), {}, settings);
  stage.begin();
  stage.pass(milliseconds(2000));
  EXPECT_TRUE(stage.ended);
  EXPECT_EQ(stage.shown.size(), 3U * 5U);
}

TEST(Playback, RepeatsCanBeEnded) {
  cli::Settings settings;
  settings.repeats = 2;
  Stage stage(FakeSource::regular(5), {}, settings);
  stage.begin();
  EXPECT_TRUE(stage.playback->will_repeat());
  stage.playback->end_repeats();
  EXPECT_FALSE(stage.playback->will_repeat());
  stage.pass(milliseconds(2000));
  EXPECT_TRUE(stage.ended);
  EXPECT_EQ(stage.shown.size(), 5U);
}

TEST(Playback, LoopsFromBToA) {
  Stage stage(FakeSource::regular(500));
  stage.begin();
  stage.pass(milliseconds(100));
  stage.playback->set_loop(0.2, 0.52);
  stage.pass(milliseconds(1000));
  for (const Stage::Shown& each : stage.shown) EXPECT_LT(each.pts, 520);
  EXPECT_GE(std::count_if(stage.shown.begin(), stage.shown.end(), [](auto each) { return each.pts == 200; }),
            3);
  stage.playback->set_loop(std::nullopt, std::nullopt);
  stage.pass(milliseconds(600));
  EXPECT_GT(stage.shown.back().pts, 520);
}

TEST(Playback, EmptyLoopEnds) {
  Stage stage(FakeSource::regular(10));
  stage.begin();
  stage.playback->set_loop(0.4, std::nullopt);  // A is at the end of the video
  stage.pass(milliseconds(2000));
  EXPECT_TRUE(stage.ended) << "otherwise the loop would seek forever";
}

TEST(Playback, HiddenWindowKeepsTimeRunning) {
  Stage stage(FakeSource::regular(200));
  stage.begin();
  stage.pass(milliseconds(210));
  const std::size_t before = stage.shown.size();
  stage.visibility = Visibility::Hidden;
  stage.pass(milliseconds(2000));
  EXPECT_EQ(stage.shown.size(), before);
  EXPECT_NEAR(stage.position(), 2.21, 0.05);
  stage.visibility = Visibility::Visible;
  stage.pass(milliseconds(100));
  EXPECT_NEAR(stage.shown[before].pts, 2240, 41);
  EXPECT_EQ(stage.statistics.frames.repeated, 0);
}

TEST(Playback, BusyScreenGetsNewestFrameWhenFree) {
  Stage stage(FakeSource::regular(200));
  stage.begin();
  stage.pass(milliseconds(210));
  const std::size_t before = stage.shown.size();
  stage.visibility = Visibility::Pending;
  stage.pass(milliseconds(400));
  EXPECT_EQ(stage.shown.size(), before);
  stage.visibility = Visibility::Visible;
  stage.pass(milliseconds(1));
  ASSERT_EQ(stage.shown.size(), before + 1);
  EXPECT_NEAR(stage.shown.back().pts, 600, 41);
  EXPECT_GT(stage.statistics.frames.dropped, 5);
}

TEST(Playback, StepWaitsForBusyScreen) {
  Stage stage(FakeSource::regular(100));
  stage.begin();
  stage.pass(milliseconds(410));
  stage.playback->step_forward(stage.now);
  stage.visibility = Visibility::Pending;
  stage.pass(milliseconds(100));
  EXPECT_EQ(stage.shown.back().pts, 400);
  stage.visibility = Visibility::Visible;
  stage.pass(milliseconds(1));
  EXPECT_EQ(stage.shown.back().pts, 440);
}

TEST(Playback, DecodeErrorFollowsEarlierFrames) {
  FakeSource::Script script = FakeSource::regular(100);
  script.fails_at = 12;
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(2000));
  ASSERT_TRUE(stage.error);
  EXPECT_EQ(stage.error->message, "The disk is gone.");
  EXPECT_EQ(stage.shown_pts(), frames(0, 480));
}

TEST(Playback, PipeSeeksForwardOnly) {
  FakeSource::Script script = FakeSource::regular(400);
  script.is_pipe = true;
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(1010));
  const std::uint64_t seeks = stage.source->seeks();
  stage.playback->seek_by(-5, Playback::SeekUnit::Keyframe, stage.now);
  stage.playback->seek(0.2, SeekMode::Exact);
  stage.playback->step_back(stage.now);
  EXPECT_EQ(stage.playback->take_notice(), "This input cannot seek backward.");
  EXPECT_FALSE(stage.playback->is_seeking());
  EXPECT_EQ(stage.source->seeks(), seeks);
  stage.playback->set_paused(false, stage.now);
  stage.pass(milliseconds(500));
  EXPECT_EQ(stage.shown_pts(), frames(0, 1520)) << "no frame may be lost";
  stage.playback->seek_by(5, Playback::SeekUnit::Keyframe, stage.now);
  stage.finish_seek();
  EXPECT_EQ(stage.shown.back().pts, 6480) << "a pipe seeks exactly, not to a keyframe";
  stage.playback->set_loop(6, 7);
  stage.pass(milliseconds(1000));
  EXPECT_FALSE(stage.playback->take_notice().empty()) << "seeking back to A is impossible";
  stage.pass(milliseconds(1000));
  EXPECT_TRUE(stage.playback->take_notice().empty()) << "reported only once";
  EXPECT_NEAR(static_cast<double>(stage.shown.back().pts), 8500, 100);
}

TEST(Playback, FailedSeekIsReportedAndPlaybackContinues) {
  FakeSource::Script script = FakeSource::regular(200);
  script.seeks_fail = true;
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(210));
  stage.playback->seek(5, SeekMode::Exact);
  stage.finish_seek();
  EXPECT_EQ(stage.playback->take_notice(), "This input does not support seeking.");
  EXPECT_TRUE(stage.playback->take_notice().empty());
  const double landed = stage.shown.back().pts;
  EXPECT_LT(landed, 2000);
  stage.pass(milliseconds(200));
  EXPECT_NEAR(stage.shown.back().pts - landed, 200, 41);
  stage.pass(milliseconds(10'000));
  stage.finish();
}

TEST(Playback, TimestampDiscontinuityDoesNotStall) {
  FakeSource::Script script = FakeSource::regular(10);
  for (std::int64_t i = 0; i < 10; ++i) script.pts.push_back(7'200'000 + i * 40);
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(1000));
  EXPECT_EQ(stage.shown.size(), 20u);
  EXPECT_NEAR(stage.shown.back().at - stage.shown.front().at, 760, 3) << "no pause in playback";
}

TEST(Playback, SlowAndIrregularVideoKeepsTiming) {
  FakeSource::Script script{.pts = {0, 40, 2500, 2503, 2504, 9000, 30'000}, .frame_duration = 40};
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(31'000));
  ASSERT_EQ(stage.shown_pts(), script.pts);
  const double first = stage.shown.front().at;
  for (const Stage::Shown& each : stage.shown) EXPECT_NEAR(each.at - first, each.pts, 1);
}

TEST(Playback, SlowScreenDropsAndCountsFrames) {
  Stage stage(FakeSource::regular(200));
  stage.begin();
  stage.pass(milliseconds(1));
  stage.show_cost = milliseconds(100);
  stage.pass(milliseconds(20'000));
  stage.finish();
  EXPECT_EQ(stage.statistics.frames.decoded, 200);
  EXPECT_EQ(static_cast<std::int64_t>(stage.shown.size()) + stage.statistics.frames.dropped, 200);
  EXPECT_NEAR(static_cast<double>(stage.shown.size()), 80, 4);
  EXPECT_EQ(stage.statistics.frames.skipped, 0);
  EXPECT_GT(stage.statistics.frames.late, 0);
}

TEST(Playback, InputStallCountsAsRepeats) {
  Stage stage(FakeSource::regular(200));
  stage.begin();
  stage.pass(milliseconds(205));
  ASSERT_EQ(stage.statistics.frames.repeated, 0);
  stage.show_cost = milliseconds(165);  // showing one frame takes the time of four frames
  stage.pass(milliseconds(36));
  stage.show_cost = milliseconds(0);
  stage.pass(milliseconds(400));
  EXPECT_EQ(stage.statistics.frames.repeated, 4);
}

TEST(Playback, DoubleScreenRateSkipsEverySecondFrame) {
  FakeSource::Script script{.frame_duration = 8};
  for (int i = 0; i < 240; ++i) script.pts.push_back(std::llround(i * 1000.0 / 120));
  Stage stage(script);
  stage.begin();
  stage.playback->set_screen_timing({.interval = 1.0 / 60});
  stage.pass(milliseconds(3000));
  stage.finish();
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  EXPECT_NEAR(static_cast<double>(stage.shown.size()), 120, 1);
  EXPECT_EQ(stage.statistics.frames.skipped + static_cast<std::int64_t>(stage.shown.size()), 240);
  EXPECT_EQ(stage.statistics.frames.late, 0);
}

TEST(Playback, AudioIsMasterClock) {
  FakeSource::Script script = FakeSource::regular(200);
  script.audio_seconds = 8;
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(3000));
  ASSERT_TRUE(stage.playback->av_offset_ms());
  EXPECT_LT(std::abs(*stage.playback->av_offset_ms()), 3);
  EXPECT_LT(stage.statistics.av_offsets_ms.largest(), 5);
  EXPECT_EQ(stage.statistics.frames.dropped, 0);
  // The second frame waits until audio is output, which starts after the output latency.
  EXPECT_NEAR(stage.shown.back().at - stage.shown.front().at,
              stage.shown.back().pts + static_cast<double>(Latency.count()), 20);

  stage.playback->set_paused(true, stage.now);
  stage.pass(milliseconds(1000));
  stage.playback->set_paused(false, stage.now);
  stage.pass(milliseconds(500));
  EXPECT_LT(std::abs(*stage.playback->av_offset_ms()), 5);
  stage.playback->seek(6, SeekMode::Exact);
  stage.pass(milliseconds(500));
  EXPECT_GT(stage.shown.back().pts, 6300);
  EXPECT_LT(std::abs(*stage.playback->av_offset_ms()), 5);
  stage.playback->set_audio_delay(0.1);
  stage.pass(milliseconds(500));
  EXPECT_LT(std::abs(*stage.playback->av_offset_ms()), 5) << "a requested delay is not an error";
}

TEST(Playback, AudioEndingEarlyKeepsVideoPace) {
  FakeSource::Script script = FakeSource::regular(100);
  script.audio_seconds = 1;
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(6000));
  stage.finish();
  EXPECT_EQ(stage.shown_pts(), frames(0, 4000));
  EXPECT_NEAR(stage.shown.back().at - stage.shown.front().at, 3960 + static_cast<double>(Latency.count()),
              20);
}

TEST(Playback, AudioOutlastingVideoPlaysToEnd) {
  FakeSource::Script script = FakeSource::regular(25);
  script.audio_seconds = 3;
  Stage stage(script);
  stage.begin();
  stage.pass(milliseconds(6000));
  stage.finish();
  EXPECT_EQ(stage.shown.back().pts, 960);
  EXPECT_NEAR(stage.elapsed(), 3000 + static_cast<double>(Latency.count()), 60);
}

TEST(Playback, MissingAudioDeviceIsReportedOnce) {
  FakeSource::Script script = FakeSource::regular(50);
  script.audio_seconds = 2;
  Stage stage(script);
  stage.has_device = false;
  stage.begin();
  EXPECT_EQ(stage.playback->take_audio_failure(), "There is no sound device.");
  stage.pass(milliseconds(3000));
  EXPECT_TRUE(stage.playback->take_audio_failure().empty());
  stage.finish();
  EXPECT_EQ(stage.shown_pts(), frames(0, 2000));
  EXPECT_FALSE(stage.playback->av_offset_ms());
}

TEST(Playback, DeadAudioDeviceDelaysVideoBriefly) {
  FakeSource::Script script = FakeSource::regular(50);
  script.audio_seconds = 2;
  Stage stage(script);
  stage.device->is_present = false;
  stage.begin();
  stage.pass(milliseconds(4000));
  EXPECT_EQ(stage.shown_pts(), frames(0, 2000));
  EXPECT_NEAR(stage.shown.back().at - stage.shown.front().at, 1960 + 500, 20);
}

}  // namespace
}  // namespace glyphreel::player
