#include "media/stream/frame_rate.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace glyphreel::media::frame_rate_test {
namespace {

/// Converts frames with these times. Each frame's epoch is its input time. Returns the time and the epoch of
/// each output frame.
std::vector<std::pair<std::int64_t, std::uint32_t>> converted(FrameRateConverter converter,
                                                              Rational time_base,
                                                              const std::vector<std::int64_t>& times) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> all;
  const auto take = [&](const std::vector<Frame>& frames) {
    for (const Frame& frame : frames) {
      EXPECT_EQ(frame.time_base, converter.time_base());
      EXPECT_EQ(frame.duration, converter.time_base().denominator / 10) << "10 frames per second";
      all.emplace_back(frame.pts - converter.first_pts(), frame.epoch);
    }
  };
  for (std::size_t i = 0; i < times.size(); ++i) {
    const std::int64_t end = i + 1 < times.size() ? times[i + 1] : times[i] + 1;
    take(converter.add({.pts = times[i],
                        .duration = end - times[i],
                        .time_base = time_base,
                        .epoch = static_cast<std::uint32_t>(times[i])}));
  }
  take(converter.finish());
  return all;
}

TEST(FrameRateConverter, LeavesOutFrames) {
  const Rational time_base{1, 30};
  using Pairs = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  EXPECT_EQ(converted({{10, 1}, time_base, 3}, time_base, {3, 4, 5, 6, 7, 8}), (Pairs{{0, 4}, {3, 7}}));
}

TEST(FrameRateConverter, RepeatsFrames) {
  const Rational time_base{1, 5};
  using Pairs = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  EXPECT_EQ(converted({{10, 1}, time_base, 0}, time_base, {0, 1, 3}),
            (Pairs{{0, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 1}, {5, 1}, {6, 3}, {7, 3}}));
}

TEST(FrameRateConverter, TimesAreExact) {
  const FrameRateConverter ntsc({30000, 1001}, {1, 90000}, 90001);
  EXPECT_EQ(ntsc.time_base(), (Rational{1, 90000}));
  EXPECT_EQ(ntsc.first_pts(), 90001);
  const FrameRateConverter from_milliseconds({30, 1}, {1, 1000}, -7);
  EXPECT_EQ(from_milliseconds.time_base(), (Rational{1, 3000}));
  EXPECT_EQ(from_milliseconds.first_pts(), -21);
  EXPECT_EQ(FrameRateConverter({30000, 1001}, {1, 1'999'999'999}, 5).first_pts(), 5) << "no finer units fit";
}

TEST(FrameRateConverter, OneShortFrame) {
  const Rational time_base{1, 1000};
  using Pairs = std::vector<std::pair<std::int64_t, std::uint32_t>>;
  EXPECT_EQ(converted({{10, 1}, time_base, 0}, time_base, {7}), (Pairs{{0, 7}}));
}

TEST(FrameRateConverter, NoFrames) {
  FrameRateConverter converter({25, 1}, {1, 25}, 0);
  EXPECT_TRUE(converter.finish().empty());
}

}  // namespace
}  // namespace glyphreel::media::frame_rate_test
