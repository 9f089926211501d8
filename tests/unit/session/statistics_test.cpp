#include "session/statistics.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace glyphreel::session::statistics_test {
namespace {

using std::chrono::milliseconds;

/// Reports shown frames to a ShownRate, in simulated time.
struct Screen {
  ShownRate rate;
  ShownRate::TimePoint now{std::chrono::hours(1)};

  void set_playing(bool is_playing) { rate.set_playing(is_playing, now); }
  void wait(milliseconds time) { now += time; }
  void show(int frames, milliseconds interval) {
    for (int i = 0; i < frames; ++i) {
      wait(interval);
      rate.note_frame(now);
    }
  }
};

TEST(ShownRate, CountsFromFirstFrame) {
  Screen screen;
  EXPECT_EQ(screen.rate.per_second(), 0);
  screen.show(1, milliseconds(5000));
  EXPECT_EQ(screen.rate.per_second(), 0);
  screen.wait(milliseconds(300));  // until the sound starts
  screen.set_playing(true);
  screen.show(25, milliseconds(40));
  EXPECT_DOUBLE_EQ(screen.rate.per_second(), 25);
}

TEST(ShownRate, ExcludesPausesWithinFrames) {
  Screen screen;
  screen.show(1, milliseconds(0));
  screen.set_playing(true);
  screen.show(10, milliseconds(40));
  screen.wait(milliseconds(30));
  screen.set_playing(false);
  screen.wait(milliseconds(4000));
  screen.set_playing(true);
  screen.show(1, milliseconds(10));
  screen.show(10, milliseconds(40));
  EXPECT_DOUBLE_EQ(screen.rate.per_second(), 25);
}

TEST(ShownRate, ExcludesSeeksAndSteps) {
  Screen screen;
  screen.show(1, milliseconds(0));
  for (int seek = 0; seek < 3; ++seek) {
    screen.set_playing(true);
    screen.show(10, milliseconds(40));
    screen.wait(milliseconds(25));
    screen.set_playing(false);
    screen.show(5, milliseconds(700));
  }
  EXPECT_DOUBLE_EQ(screen.rate.per_second(), 25);
}

TEST(Statistics, RateOfOfflineWorkCountsFromFirstFrame) {
  Statistics statistics;
  EXPECT_EQ(frames_per_second(statistics), 0);
  statistics.frames.mapped = 60;
  statistics.wall_seconds = 30;
  statistics.work_seconds = 2;
  EXPECT_EQ(frames_per_second(statistics), 30);
  statistics.frames.encoded = 50;
  EXPECT_EQ(frames_per_second(statistics), 25);
}

TEST(Statistics, ProcessStartupIsNotTimeToFirstFrame) {
  Statistics statistics;
  const nlohmann::json before = statistics_json(statistics, {}, StageTimes())["startup_ms"];
  // "process" is the age of this process, which the test's timeout keeps below an hour.
  EXPECT_GE(before["process"].get<double>(), 0);
  EXPECT_LT(before["process"].get<double>(), 3'600'000);
  EXPECT_EQ(before["first_frame"].get<double>(), 0);
  statistics.first_frame = statistics.start + milliseconds(1500);
  const nlohmann::json after = statistics_json(statistics, {}, StageTimes())["startup_ms"];
  EXPECT_EQ(after["first_frame"].get<double>(), 1500);
  EXPECT_EQ(after["process"], before["process"]);
}

}  // namespace
}  // namespace glyphreel::session::statistics_test
