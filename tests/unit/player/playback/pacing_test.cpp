#include "player/playback/pacing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "player/playback/presentation_clock.h"

namespace glyphreel::player::pacing_test {
namespace {

struct PacingCase {
  const char* what;
  double now;
  std::vector<double> queued;
  int drop;
  bool show;
  double wait;
};

TEST(ScreenDelay, CountsWholeRefreshesOfTheLatency) {
  constexpr double Interval = 1.0 / 60;
  EXPECT_DOUBLE_EQ(screen_delay({}), 0);
  EXPECT_DOUBLE_EQ(screen_delay({.interval = Interval}), Interval / 2);
  EXPECT_DOUBLE_EQ(screen_delay({.interval = Interval, .latency = 0.016}), Interval / 2);
  EXPECT_DOUBLE_EQ(screen_delay({.interval = Interval, .latency = 0.020}), 1.5 * Interval);
  EXPECT_DOUBLE_EQ(screen_delay({.interval = Interval, .latency = 0.090}), 3.5 * Interval);
  EXPECT_DOUBLE_EQ(screen_delay({.interval = 0, .latency = 0.010}), 0.010);
  EXPECT_DOUBLE_EQ(screen_delay({.interval = 0, .latency = 0.090}), LateToleranceSeconds);
}

TEST(Decide, Table) {
  const PacingCase cases[] = {
      {"early: wait", 1.00, {1.04}, 0, false, 0.04},
      {"early, with more frames queued", 1.00, {1.04, 1.08, 1.12}, 0, false, 0.04},
      {"due exactly now", 1.04, {1.04, 1.08}, 0, true, 0},
      {"a little late", 1.05, {1.04, 1.08}, 0, true, 0},
      {"a short delay: the older of two due frames is shown", 1.089, {1.04, 1.08, 1.12}, 0, true, 0},
      {"just within the tolerance", 1.0899, {1.04, 1.08}, 0, true, 0},
      {"beyond the tolerance, and a newer frame is due: dropped", 1.0901, {1.04, 1.08, 1.12}, 1, true, 0},
      {"late, but nothing newer is due: shown", 1.20, {1.00, 1.24}, 0, true, 0},
      {"late, and the last one: shown", 9.00, {1.00}, 0, true, 0},
      {"a long stall: frames beyond the tolerance are dropped",
       2.00,
       {1.0, 1.2, 1.4, 1.6, 1.8, 1.96, 1.99, 2.03},
       5,
       true,
       0},
      {"a long stall and only old frames: the newest is shown", 9.00, {1.0, 1.2, 1.4}, 2, true, 0},
      {"the same pts twice, late", 1.2, {1.0, 1.0, 1.3}, 1, true, 0},
      {"the same pts twice, in time", 1.0, {1.0, 1.0}, 0, true, 0},
      {"before zero", -0.5, {-0.25, 0.0}, 0, false, 0.25},
  };
  for (const PacingCase& c : cases) {
    SCOPED_TRACE(c.what);
    const PacingDecision decision = decide({.next = c.now}, c.queued);
    EXPECT_EQ(decision.drop, c.drop);
    EXPECT_EQ(decision.show, c.show);
    EXPECT_NEAR(decision.wait_seconds, c.wait, 1e-12);
  }
}

/// The result of play(), which plays 10 s at 60 fps as decide() requests, with `cost` seconds of work per
/// frame and a stall of `stall` seconds after frame 300.
struct Played {
  int shown = 0, dropped = 0;
  double worst_late = 0;
};

Played play(double cost, double stall) {
  Played played;
  std::vector<double> queue;
  for (int i = 0; i < 600; ++i) queue.push_back(i / 60.0);
  double now = 0;
  bool stalled = false;
  while (!queue.empty()) {
    const std::vector<double> ahead(
        queue.begin(), queue.begin() + static_cast<std::ptrdiff_t>(std::min<std::size_t>(16, queue.size())));
    const PacingDecision decision = decide({.next = now}, ahead);
    queue.erase(queue.begin(), queue.begin() + decision.drop);
    played.dropped += decision.drop;
    if (!decision.show) {
      EXPECT_GT(decision.wait_seconds, 0);
      now += decision.wait_seconds;
      continue;
    }
    if (!stalled) played.worst_late = std::max(played.worst_late, now - queue.front());
    queue.erase(queue.begin());
    ++played.shown;
    now += cost;
    if (played.shown == 300) now += stall;
    stalled = played.shown >= 300 && played.shown < 330;
  }
  return played;
}

TEST(Decide, FastMachineDropsNothing) {
  const Played played = play(0.005, 0);
  EXPECT_EQ(played.shown, 600);
  EXPECT_LT(played.worst_late, 1e-9);
}

TEST(Decide, ShortDelayDropsNothing) {
  EXPECT_EQ(play(0.005, 0.045).dropped, 0);
}

TEST(Decide, LongStallIsCaughtUpByDropping) {
  const Played played = play(0.005, 1.0);
  EXPECT_EQ(played.shown + played.dropped, 600);
  EXPECT_GT(played.dropped, 50);
  EXPECT_LT(played.dropped, 62);
  EXPECT_LT(played.worst_late, 0.001) << "frames are on time again after the stall";
}

TEST(Decide, SlowMachineDropsButStaysNearClock) {
  const Played played = play(0.025, 0);  // 40 fps, two thirds of the required speed
  EXPECT_EQ(played.shown + played.dropped, 600);
  EXPECT_GT(played.dropped, 180);
  EXPECT_LT(played.worst_late, LateToleranceSeconds + 1.0 / 60);
}

/// The result of send(): what a 60 Hz screen shows if frames are sent as decide() requests. Each frame
/// appears at the screen's next refresh. The time of refresh n is (n + `phase`) intervals. The sender blocks
/// while a frame waits for its refresh, as in the FIFO present mode.
struct OnScreen {
  std::vector<int> refreshes;  ///< for how many refreshes each frame is shown
  std::vector<double> shown;   ///< pts of the shown frames
  int dropped = 0, skipped = 0;
  double worst_error = 0;  ///< largest distance from a frame's pts to its refresh, in s, except near a stall
};

OnScreen send(const std::vector<double>& video, double phase, double stall_at = -1, double stall = 0) {
  constexpr double Interval = 1.0 / 60;
  OnScreen seen;
  std::vector<int> starts;
  ScreenTimes screen{.interval = Interval};
  double now = video.front() - Interval / 2;
  std::size_t front = 0;
  bool has_stalled = false;
  while (front < video.size()) {
    const std::size_t ahead = std::min<std::size_t>(16, video.size() - front);
    screen.next = now + Interval / 2;
    const PacingDecision decision = decide(screen, std::span(video).subspan(front, ahead));
    front += static_cast<std::size_t>(decision.drop);
    seen.dropped += decision.drop - decision.skip;
    seen.skipped += decision.skip;
    if (!decision.show) {
      EXPECT_GT(decision.wait_seconds, 0);
      now += decision.wait_seconds + 1e-6;
      continue;
    }
    int refresh = static_cast<int>(std::ceil((now / Interval) - phase));
    if (!starts.empty() && refresh <= starts.back()) {
      refresh = starts.back() + 1;
      now = (starts.back() + phase) * Interval + 1e-6;  // waits until the previous frame is on screen
    }
    screen.last = now + Interval / 2;
    starts.push_back(refresh);
    seen.shown.push_back(video[front]);
    if (stall_at < 0 || video[front] < stall_at || video[front] > stall_at + stall + 1) {
      seen.worst_error = std::max(seen.worst_error, std::abs((refresh + phase) * Interval - video[front]));
    }
    if (stall_at >= 0 && video[front] >= stall_at && !has_stalled) {
      now += stall;
      has_stalled = true;
    }
    ++front;
  }
  for (std::size_t i = 1; i < starts.size(); ++i) seen.refreshes.push_back(starts[i] - starts[i - 1]);
  return seen;
}

std::vector<double> video(double rate, int count) {
  std::vector<double> pts;
  for (int i = 0; i < count; ++i) pts.push_back(i / rate);
  return pts;
}

constexpr double Phases[] = {0.1, 0.26, 0.4, 0.6, 0.74, 0.9};
constexpr double HalfRefresh = 0.5 / 60 + 1e-5;

TEST(RefreshingScreen, TwentyFourFpsUsesThreeTwoPulldown) {
  for (const double phase : Phases) {
    const OnScreen seen = send(video(24, 240), phase);
    EXPECT_EQ(seen.dropped + seen.skipped, 0);
    EXPECT_LE(seen.worst_error, HalfRefresh) << "each frame must be on the nearest refresh";
    for (std::size_t i = 1; i < seen.refreshes.size(); ++i) {
      ASSERT_EQ(seen.refreshes[i] + seen.refreshes[i - 1], 5) << phase << ", frame " << i;
      ASSERT_LE(std::abs(seen.refreshes[i] - seen.refreshes[i - 1]), 1);
    }
  }
}

TEST(RefreshingScreen, FullAndHalfRateKeepEveryFrameAtAnyPhase) {
  for (const double phase : Phases) {
    for (const int refreshes : {1, 2}) {
      const OnScreen seen = send(video(60.0 / refreshes, 600), phase);
      EXPECT_EQ(seen.dropped + seen.skipped, 0);
      EXPECT_LE(seen.worst_error, HalfRefresh);
      EXPECT_EQ(seen.refreshes, std::vector<int>(599, refreshes)) << phase;
    }
  }
}

TEST(RefreshingScreen, DoubleRateSkipsEverySecondFrameOnly) {
  for (const double phase : Phases) {
    const OnScreen seen = send(video(120, 600), phase);
    EXPECT_EQ(seen.dropped, 0);
    EXPECT_NEAR(seen.skipped, 300, 1) << phase << "; the last frame is always shown";
    EXPECT_EQ(seen.refreshes, std::vector<int>(seen.refreshes.size(), 1)) << "one refresh for each frame";
    for (std::size_t i = 1; i + 1 < seen.shown.size(); ++i)
      ASSERT_NEAR(seen.shown[i] - seen.shown[i - 1], 1.0 / 60, 1e-9);
  }
}

TEST(RefreshingScreen, RoundedRateLosesNoFrame) {
  const OnScreen seen = send(video(60'000.0 / 1001, 3600), 0.4);  // 59.94 fps on a 60 Hz screen
  EXPECT_EQ(seen.dropped + seen.skipped, 0);
  EXPECT_LE(seen.worst_error, HalfRefresh);
}

TEST(RefreshingScreen, SlightlyFasterVideoSkipsOccasionalFrames) {
  const OnScreen seen = send(video(61, 610), 0.4);
  EXPECT_NEAR(seen.dropped + seen.skipped, 10, 2);
  EXPECT_LE(seen.worst_error, 4 * HalfRefresh);
}

TEST(RefreshingScreen, SlowAndIrregularFramesUseNearestRefresh) {
  const std::vector<double> irregular = {0, 0.04, 0.1, 0.5, 0.533, 0.6, 4, 9.7, 9.8, 31};
  for (const double phase : Phases) {
    const OnScreen seen = send(irregular, phase);
    EXPECT_EQ(seen.shown, irregular);
    EXPECT_LE(seen.worst_error, HalfRefresh);
  }
}

TEST(RefreshingScreen, ShortDelayUsesSpareRefreshes) {
  EXPECT_EQ(send(video(24, 240), 0.4, 5, 0.085).dropped, 0);
  EXPECT_EQ(send(video(30, 300), 0.4, 5, 0.075).dropped, 0);
  // A video at the screen's refresh rate leaves no spare refreshes. Only the frames during the delay are
  // dropped.
  const OnScreen seen = send(video(60, 600), 0.4, 5, 0.1);
  EXPECT_NEAR(seen.dropped, 5, 1);
  EXPECT_EQ(seen.skipped, 0);
  EXPECT_LE(seen.worst_error, 3 * HalfRefresh) << "frames are on time again after the delay";
}

TEST(RefreshingScreen, LongStallIsCaughtUpByDropping) {
  for (const double rate : {24.0, 30.0, 60.0, 120.0}) {
    const OnScreen seen = send(video(rate, static_cast<int>(rate) * 10), 0.4, 5, 2.0);
    EXPECT_NEAR(seen.dropped, 2 * rate, 4 + rate / 10) << rate;
    EXPECT_LE(seen.worst_error, 3 * HalfRefresh) << rate;
  }
}

TEST(Repeats, CountWholeExtraIntervals) {
  EXPECT_EQ(repeats(0.001, 1.0 / 60), 0);
  EXPECT_EQ(repeats(-1, 1.0 / 60), 0);
  EXPECT_EQ(repeats(0.016, 1.0 / 60), 0) << "less than one refresh late";
  EXPECT_EQ(repeats(0.017, 1.0 / 60), 1);
  EXPECT_EQ(repeats(0.1, 1.0 / 24), 2);
  EXPECT_EQ(repeats(9, 0), 0) << "the refresh rate is unknown";
}

TEST(TimestampDiscontinuity, RequiresMoreThanLongestFrame) {
  EXPECT_FALSE(is_discontinuity(10, 10));
  EXPECT_FALSE(is_discontinuity(10, 60));
  EXPECT_FALSE(is_discontinuity(10, 3));
  EXPECT_TRUE(is_discontinuity(10, 3600));
}

using Clock = PresentationClock;
using std::chrono::milliseconds;

TEST(PresentationClock, RunsFromAnchor) {
  const Clock::TimePoint start{};
  Clock clock;
  EXPECT_FALSE(clock.running());
  EXPECT_EQ(clock.seconds(start), 0);
  clock.anchor(5, start);
  EXPECT_FALSE(clock.running());
  clock.resume(start);
  EXPECT_TRUE(clock.running());
  EXPECT_DOUBLE_EQ(clock.seconds(start), 5);
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(1500)), 6.5);
  clock.anchor(100, start + milliseconds(2000));
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(3000)), 101);
}

TEST(PresentationClock, RunsAtRate) {
  const Clock::TimePoint start{};
  Clock clock;
  clock.anchor(5, start);
  clock.resume(start);
  clock.set_rate(2, start + milliseconds(1000));
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(1000)), 6);
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(1500)), 7);
  clock.pause(start + milliseconds(1500));
  clock.set_rate(0.5, start + milliseconds(2000));
  clock.resume(start + milliseconds(3000));
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(5000)), 8);
}

TEST(PresentationClock, StopsWhilePaused) {
  const Clock::TimePoint start{};
  Clock clock;
  clock.anchor(5, start);
  clock.resume(start);
  clock.pause(start + milliseconds(1000));
  EXPECT_FALSE(clock.running());
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(9000)), 6);
  clock.pause(start + milliseconds(9500));  // again: no effect
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(9900)), 6);
  clock.resume(start + milliseconds(10000));
  EXPECT_TRUE(clock.running());
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(10250)), 6.25);
  clock.resume(start + milliseconds(11000));  // again: already running
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(11000)), 7);
}

}  // namespace
}  // namespace glyphreel::player::pacing_test
