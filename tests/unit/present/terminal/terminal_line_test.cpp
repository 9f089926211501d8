#include "present/terminal/terminal_line.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <deque>

#include "present/terminal/terminal.h"

namespace glyphreel::present::terminal_line_test {
namespace {

TEST(TerminalLine, IsClearWhenTerminalKeepsUp) {
  TerminalLine line;
  EXPECT_TRUE(line.is_clear(0));
  line.query_sent(0);
  EXPECT_TRUE(line.is_clear(0.01)) << "without a measurement, the line counts as clear";
  line.query_answered(0.02);
  line.query_sent(1);
  EXPECT_FALSE(line.is_clear(1.01)) << "without a measured frame, the line is busy until the reply";
  line.query_answered(1.03);
  line.query_sent(2);
  EXPECT_TRUE(line.is_clear(2.05));
  EXPECT_FALSE(line.is_clear(2.2)) << "the reply is later than the round trip plus the slack";
  line.query_answered(2.3);
  EXPECT_TRUE(line.is_clear(2.3));
}

TEST(TerminalLine, WorksWithoutReplies) {
  TerminalLine line;
  line.query_sent(0);
  line.query_sent(0.1);
  EXPECT_FALSE(line.is_clear(0.5));
  EXPECT_TRUE(line.is_clear(1.2));
  EXPECT_FALSE(line.answers());
}

TEST(TerminalLine, LostRepliesDoNotStallPlayback) {
  TerminalLine line;
  line.query_sent(0);
  line.query_answered(0.01);
  line.query_sent(1);
  EXPECT_FALSE(line.is_clear(10.9));
  EXPECT_TRUE(line.is_clear(11.1));
  line.query_answered(11.2);  // ignored: no query is open
  EXPECT_EQ(line.open_queries(), 0u);
}

/// Simulates an unbounded buffer in front of a line with a limited byte rate. A frame must arrive within two
/// transfer times (its own and that of one queued frame), plus 0.15 s of slack, plus the latency of the line.
TEST(TerminalLine, BoundsBufferedOutput) {
  for (const double frame_seconds : {0.01, 0.05, 0.2, 0.5}) {
    for (const double way : {0.001, 0.15}) {
      TerminalLine line;
      std::deque<double> arrivals;
      double line_free = 0;
      double most_lag = 0;
      int shown = 0;
      line.query_sent(0);
      arrivals.push_back(way);
      for (double now = 0; now < 20; now += 1.0 / 24) {
        while (!arrivals.empty() && arrivals.front() <= now) {
          line.query_answered(arrivals.front());
          arrivals.pop_front();
        }
        if (!line.is_clear(now)) continue;
        line_free = std::max(line_free, now) + frame_seconds;
        most_lag = std::max(most_lag, line_free - now);
        arrivals.push_back(line_free + way);
        line.query_sent(now);
        ++shown;
      }
      EXPECT_LT(most_lag, 2 * frame_seconds + 0.15 + way)
          << frame_seconds << " s per frame, latency " << way << " s";
      EXPECT_GT(shown, std::min(24.0, 1 / (frame_seconds + 0.05 + way)) * 20 * 0.7)
          << frame_seconds << " s per frame, latency " << way << " s";
    }
  }
}

TEST(ColorTolerance, GrowsOnBusyLineAndRecovers) {
  using Line = ColorTolerance::Line;
  ColorTolerance tolerance;
  EXPECT_EQ(tolerance.next(Line::Clear), 3);
  EXPECT_EQ(tolerance.next(Line::Busy), 4);
  EXPECT_EQ(tolerance.next(Line::Clear), 4);
  for (int i = 0; i < 20; ++i) EXPECT_LE(tolerance.next(Line::Busy), 12);
  EXPECT_EQ(tolerance.next(Line::Busy), 12);
  for (int i = 0; i < 200; ++i) EXPECT_GE(tolerance.next(Line::Clear), 3);
  EXPECT_EQ(tolerance.next(Line::Clear), 3);
}

TEST(Terminal, OpenFailsWithoutTerminal) {
  if (isatty(1) != 0) GTEST_SKIP() << "standard output is a terminal";
  const auto terminal = Terminal::open();
  ASSERT_FALSE(terminal);
  EXPECT_EQ(terminal.error().code, ErrorCode::NoDevice);
}

}  // namespace
}  // namespace glyphreel::present::terminal_line_test
