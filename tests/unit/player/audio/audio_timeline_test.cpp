#include "player/audio/audio_timeline.h"

#include <gtest/gtest.h>

#include <array>

#include "player/audio/audio_ring.h"

namespace glyphreel::player::audio_timeline_test {
namespace {

using TimePoint = DeviceClock::TimePoint;
using std::chrono::milliseconds;

constexpr int Rate = 48000;

TimePoint at_ms(double ms) {
  return TimePoint(
      std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double, std::milli>(ms)));
}
double origin_ms(const DeviceClock& clock) {
  return std::chrono::duration<double, std::milli>(clock.origin().time_since_epoch()).count();
}

TEST(DeviceClock, FirstReadingReplacesEstimate) {
  DeviceClock clock(Rate);
  clock.predict(480, at_ms(1060));
  EXPECT_NEAR(origin_ms(clock), 1050, 1e-6);
  EXPECT_FALSE(clock.is_measured());
  clock.add(480, at_ms(1043));
  EXPECT_NEAR(origin_ms(clock), 1033, 1e-6);
  EXPECT_TRUE(clock.is_measured());
}

TEST(DeviceClock, FiveMillisecondJitterMovesItLessThanOne) {
  DeviceClock clock(Rate);
  for (int i = 0; i < 400; ++i) {
    const double jitter = (i * 7919 % 101 - 50) / 10.0;
    clock.add(static_cast<std::uint64_t>(i) * 2400, at_ms(5000 + i * 50.0 + jitter));
    if (i > 40) {
      EXPECT_NEAR(origin_ms(clock), 5000, 1) << i;
    }
  }
}

TEST(DeviceClock, FollowsDeviceTwoHundredPpmSlow) {
  DeviceClock clock(Rate);
  for (int i = 0; i < 2000; ++i) {
    const double true_ms = 5000 + i * 50.0 * 1.0002;
    clock.add(static_cast<std::uint64_t>(i) * 2400, at_ms(true_ms));
    if (i > 40) {
      EXPECT_NEAR(origin_ms(clock) + i * 50.0, true_ms, 0.5) << i;
    }
  }
}

TEST(DeviceClock, IgnoresOneOutlierButNotThree) {
  DeviceClock clock(Rate);
  for (int i = 0; i < 10; ++i) clock.add(static_cast<std::uint64_t>(i) * 480, at_ms(100 + i * 10.0));
  clock.add(4800, at_ms(500));
  clock.add(5280, at_ms(210));
  EXPECT_NEAR(origin_ms(clock), 100, 1e-6);
  for (int i = 12; i < 15; ++i) clock.add(static_cast<std::uint64_t>(i) * 480, at_ms(180 + i * 10.0));
  EXPECT_NEAR(origin_ms(clock), 180, 1e-6);
}

TEST(PositionToPts, ExtrapolatesBothWays) {
  PositionToPts map;
  map.add(1000, 10, 1.0 / Rate);
  map.add(1000 + Rate, 11, 2.0 / Rate);
  EXPECT_NEAR(map.at(1000 - Rate).media_seconds, 9, 1e-9);
  EXPECT_NEAR(map.at(1000 + Rate / 2).media_seconds, 10.5, 1e-9);
  EXPECT_NEAR(map.at(1000 + 2 * Rate).media_seconds, 13, 1e-9);
  EXPECT_NEAR(map.at(1000 + 2 * Rate).seconds_per_frame * Rate, 2, 1e-9);
  map.forget_before(1000 + Rate + 1);
  EXPECT_NEAR(map.at(1000 + 2 * Rate).media_seconds, 13, 1e-9);
  map.add(1000 + Rate, 50, 1.0 / Rate);
  EXPECT_NEAR(map.at(1000 + Rate).media_seconds, 50, 1e-9);
}

TEST(AudioRing, WrapsAndReadsSilencePastEnd) {
  AudioRing ring(4);
  const std::array<float, 6> three = {1, -1, 2, -2, 3, -3};
  std::array<float, 8> out{};
  ring.write(three);
  EXPECT_EQ(ring.room(), 1U);
  EXPECT_EQ(ring.read(std::span(out).first(4)), 2U);
  ring.write(three);
  EXPECT_EQ(ring.room(), 0U);
  EXPECT_EQ(ring.read(out), 4U);
  EXPECT_EQ(out, (std::array<float, 8>{3, -3, 1, -1, 2, -2, 3, -3}));
  EXPECT_EQ(ring.read(out), 0U);
  EXPECT_EQ(out, (std::array<float, 8>{}));
  EXPECT_EQ(ring.reader(), 10U);
  ring.skip_to(10);
  ring.write(three);
  EXPECT_EQ(ring.read(out), 3U);
  EXPECT_EQ(out, (std::array<float, 8>{1, -1, 2, -2, 3, -3, 0, 0}));
}

}  // namespace
}  // namespace glyphreel::player::audio_timeline_test
