#include "media/decode/pts_generator.h"

#include <gtest/gtest.h>

#include "media/demux/timestamp_unwrapper.h"
#include "media/ffmpeg/pts_range.h"

namespace glyphreel::media::pts_generator_test {
namespace {

TEST(PtsGenerator, KeepsRisingTimestamps) {
  PtsGenerator clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(100, 33).pts, 100);
  EXPECT_EQ(clock.stamp(133, 34).pts, 133);
  EXPECT_EQ(clock.stamp(5000, 1).pts, 5000);
}

TEST(PtsGenerator, FillsMissingTimestampsFromDuration) {
  PtsGenerator clock(7, 40, 1000);
  EXPECT_EQ(clock.stamp({}, 0).pts, 7);
  EXPECT_EQ(clock.stamp({}, 25).pts, 47);  // the first frame has no duration, so the default, 40, is added
  EXPECT_EQ(clock.stamp({}, 25).pts, 72);
}

TEST(PtsGenerator, NeverStepsBack) {
  PtsGenerator clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(2000, 40).pts, 2000);
  EXPECT_EQ(clock.stamp(1990, 40).pts, 2000);
  EXPECT_EQ(clock.stamp(2040, 40).pts, 2040);
}

TEST(PtsGenerator, ContinuesAcrossSplice) {
  PtsGenerator clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(9000, 40).pts, 9000);
  EXPECT_EQ(clock.stamp(0, 40).pts, 9040);
  EXPECT_EQ(clock.stamp(55, 40).pts, 9095);
}

TEST(PtsGenerator, RestartAcceptsAnyTime) {
  PtsGenerator clock(0, 40, 1000);
  EXPECT_EQ(clock.stamp(9000, 40).pts, 9000);
  clock.restart(100);
  EXPECT_EQ(clock.stamp(120, 40).pts, 120);
  clock.restart(100);
  EXPECT_EQ(clock.stamp({}, 40).pts, 100);
}

PacketPtr packet_at(int stream, std::int64_t time, std::int64_t duration) {
  PacketPtr packet = new_packet();
  packet->stream_index = stream;
  packet->dts = packet->pts = time;
  packet->duration = duration;
  return packet;
}

TEST(TimestampUnwrapper, KeepsStreamsInSync) {
  constexpr AVRational Video{1, 1000}, Audio{1, 48000};
  TimestampUnwrapper times;
  const auto video = [&](std::int64_t time) {
    const PacketPtr packet = packet_at(0, time, 40);
    times.shift(*packet, Video);
    EXPECT_EQ(packet->dts, packet->pts);
    return packet->pts;
  };
  const auto audio = [&](std::int64_t time) {
    const PacketPtr packet = packet_at(1, time, 960);
    times.shift(*packet, Audio);
    return packet->pts;
  };
  EXPECT_EQ(video(9000), 9000);
  EXPECT_EQ(audio(9000 * 48), 9000 * 48);
  EXPECT_EQ(video(9040), 9040);
  EXPECT_EQ(video(9020), 9020);  // the packet is out of order
  EXPECT_EQ(video(9080), 9080);
  EXPECT_EQ(video(100), 9120);             // timestamps restart: times continue after the last frame
  EXPECT_EQ(audio(9100 * 48), 9100 * 48);  // this packet is from before the restart
  EXPECT_EQ(video(140), 9160);
  EXPECT_EQ(audio(80 * 48), 9100 * 48);  // audio keeps its offset from the video
  EXPECT_EQ(audio(100 * 48), 9120 * 48);
  EXPECT_EQ(video(9000), 18020);  // a forward jump is not corrected
  EXPECT_EQ(audio(0), 9100 * 48 - 80 * 48);
  times.restart();
  EXPECT_EQ(video(50), 50);
}

TEST(PtsRange, RoundTripsTicksThroughSeconds) {
  for (const std::int64_t denominator : {24, 1000, 15360, 90000, 30000}) {
    for (std::int64_t tick = 0; tick < 4000; ++tick) {
      const Rational time_base{denominator == 30000 ? 1001 : 1, denominator};
      const double seconds = static_cast<double>(tick) * time_base.value();
      ASSERT_EQ(tick_at_or_after(seconds, 17, time_base), 17 + tick);
    }
  }
}

TEST(PtsRange, RoundsUpBetweenTicks) {
  EXPECT_EQ(tick_at_or_after(0.51, 0, {1, 2}), 2);
  EXPECT_EQ(tick_at_or_after(0.49, 10, {1, 2}), 11);
  EXPECT_EQ(tick_at_or_after(0.01, 0, {86400, 1}), 1);  // one frame per day
  EXPECT_EQ(tick_at_or_after(1, 0, {2147483647, 1}), 1);
  EXPECT_EQ(tick_at_or_after(1e300, 0, {1, 2}), std::numeric_limits<std::int64_t>::max());
}

}  // namespace
}  // namespace glyphreel::media::pts_generator_test
