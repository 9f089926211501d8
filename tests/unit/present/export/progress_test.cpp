#include "present/export/progress.h"

#include <gtest/gtest.h>

#include <string>

namespace glyphreel::present::progress_test {
namespace {

TEST(ClockText, OmitsZeroHours) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(59.4), "0:59");
  EXPECT_EQ(clock_text(59.5), "1:00");
  EXPECT_EQ(clock_text(123), "2:03");
  EXPECT_EQ(clock_text(3599.6), "1:00:00");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(clock_text(360000), "100:00:00");
  EXPECT_EQ(clock_text(-5), "0:00");
}

ProgressState half_done() {
  return {.frames = 150,
          .total_frames = 300,
          .media_seconds = 5,
          .decode_queue = 3,
          .decode_capacity = 16,
          .encode_queue = 1,
          .encode_capacity = 4};
}

TEST(ProgressText, ShowsAllFields) {
  const std::string text = progress_text(half_done(), 2.5, 120);
  EXPECT_EQ(text,
            "[####################....................]  50 % 150/300 fps 60.0 2.00x q 3/16 1/4 ETA 0:03");
}

TEST(ProgressText, FitsTerminal) {
  for (int width = 70; width < 200; ++width) {
    EXPECT_LT(static_cast<int>(progress_text(half_done(), 2.5, width).size()), width) << width;
  }
  EXPECT_NE(progress_text(half_done(), 2.5, 10).find("[##..]"), std::string::npos)
      << "a bar must be shown at any width";
}

TEST(ProgressText, BarFollowsFraction) {
  ProgressState state = half_done();
  const auto bar = [&](std::int64_t frames) {
    state.frames = frames;
    const std::string text = progress_text(state, 1, 120);
    return std::count(text.begin(), text.end(), '#');
  };
  EXPECT_EQ(bar(0), 0);
  EXPECT_EQ(bar(75), 10);
  EXPECT_EQ(bar(300), 40);
  EXPECT_EQ(bar(999), 40) << "more frames than the header declares must not lengthen the bar";
}

TEST(ProgressText, UnknownLengthHasNoBar) {
  ProgressState state = half_done();
  state.total_frames = 0;
  EXPECT_EQ(progress_text(state, 2.5, 80), "frame 150 fps 60.0 2.00x q 3/16 1/4");
}

TEST(ProcessedSpan, CountsFromFirstFrameToEndOfLast) {
  ProcessedSpan span;
  EXPECT_EQ(span.seconds(), 0);
  Frame frame;
  frame.time_base = {1, 24};
  frame.duration = 1;
  for (frame.pts = 480; frame.pts < 504; ++frame.pts) span.add(frame);
  EXPECT_DOUBLE_EQ(span.seconds(), 1);
}

TEST(ProgressText, IsValidBeforeFirstFrame) {
  ProgressState state = half_done();
  state.frames = 0;
  state.media_seconds = 0;
  for (const double elapsed : {0.0, 0.5}) {
    const std::string text = progress_text(state, elapsed, 120);
    EXPECT_NE(text.find("  0 % 0/300 fps 0.0 0.00x"), std::string::npos) << text;
    EXPECT_EQ(text.find("nan"), std::string::npos);
    EXPECT_EQ(text.find("inf"), std::string::npos);
  }
}

}  // namespace
}  // namespace glyphreel::present::progress_test
