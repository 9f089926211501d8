#include "media/frame_clock.h"

#include <gtest/gtest.h>

#include "media/play_window.h"

namespace glyphreel::media {
namespace {

TEST(FrameClock, PassesRisingStampsUnchanged) {
  FrameClock clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(100, 33).pts, 100);
  EXPECT_EQ(clock.stamp(133, 34).pts, 133);
  EXPECT_EQ(clock.stamp(5000, 1).pts, 5000);
}

TEST(FrameClock, CountsOnFromTheLastDurationWhereStampsAreMissing) {
  FrameClock clock(7, 40, 1000);
  EXPECT_EQ(clock.stamp({}, 0).pts, 7);
  EXPECT_EQ(clock.stamp({}, 25).pts, 47);  // the first had no duration: the typical 40
  EXPECT_EQ(clock.stamp({}, 25).pts, 72);
}

TEST(FrameClock, NeverStepsBack) {
  FrameClock clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(2000, 40).pts, 2000);
  EXPECT_EQ(clock.stamp(1990, 40).pts, 2000);
  EXPECT_EQ(clock.stamp(2040, 40).pts, 2040);
}

TEST(FrameClock, GoesOnWhereASplicedStreamStartsOver) {
  FrameClock clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(9000, 40).pts, 9000);
  EXPECT_EQ(clock.stamp(0, 40).pts, 9040);
  EXPECT_EQ(clock.stamp(55, 40).pts, 9095);
}

TEST(FrameClock, RestartTakesAnyTime) {
  FrameClock clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(9000, 40).pts, 9000);
  clock.restart(100);
  EXPECT_EQ(clock.stamp(120, 40).pts, 120);
  clock.restart(100);
  EXPECT_EQ(clock.stamp({}, 40).pts, 100);
}

TEST(PlayWindow, FindsATickAgainByItsOwnSeconds) {
  for (const std::int64_t denominator : {24, 1000, 15360, 90000, 30000}) {
    for (std::int64_t tick = 0; tick < 4000; ++tick) {
      const Rational time_base{denominator == 30000 ? 1001 : 1, denominator};
      const double seconds = static_cast<double>(tick) * time_base.value();
      ASSERT_EQ(tick_at_or_after(seconds, 17, time_base), 17 + tick);
    }
  }
}

TEST(PlayWindow, RoundsUpBetweenTicks) {
  EXPECT_EQ(tick_at_or_after(0.51, 0, {1, 2}), 2);
  EXPECT_EQ(tick_at_or_after(0.49, 10, {1, 2}), 11);
  EXPECT_EQ(tick_at_or_after(1e300, 0, {1, 2}), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace glyphreel::media
