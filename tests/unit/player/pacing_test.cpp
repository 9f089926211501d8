#include "player/pacing.h"

#include <gtest/gtest.h>

#include <vector>

#include "player/presentation_clock.h"

namespace glyphreel::player {
namespace {

struct PacingCase {
  const char* what;
  double now;
  std::vector<double> queued;
  int drop;
  bool show;
  double wait;
};

TEST(Decide, Table) {
  const PacingCase cases[] = {
      {"early: wait for it", 1.00, {1.04}, 0, false, 0.04},
      {"early, others behind it", 1.00, {1.04, 1.08, 1.12}, 0, false, 0.04},
      {"due exactly now", 1.04, {1.04, 1.08}, 0, true, 0},
      {"a little late", 1.05, {1.04, 1.08}, 0, true, 0},
      {"a hiccup: the older of two due ones is shown, and so caught up",
       1.089,
       {1.04, 1.08, 1.12},
       0,
       true,
       0},
      {"just within the tolerance", 1.0899, {1.04, 1.08}, 0, true, 0},
      {"beyond the tolerance with a newer one due: dropped", 1.0901, {1.04, 1.08, 1.12}, 1, true, 0},
      {"late, but nothing newer is due: shown", 1.20, {1.00, 1.24}, 0, true, 0},
      {"late, and the last one: shown", 9.00, {1.00}, 0, true, 0},
      {"a long stall: all but what is within the tolerance go",
       2.00,
       {1.0, 1.2, 1.4, 1.6, 1.8, 1.96, 1.99, 2.03},
       5,
       true,
       0},
      {"a long stall and only old frames: the newest of them", 9.00, {1.0, 1.2, 1.4}, 2, true, 0},
      {"the same pts twice, late", 1.2, {1.0, 1.0, 1.3}, 1, true, 0},
      {"the same pts twice, in time", 1.0, {1.0, 1.0}, 0, true, 0},
      {"before zero", -0.5, {-0.25, 0.0}, 0, false, 0.25},
  };
  for (const PacingCase& c : cases) {
    SCOPED_TRACE(c.what);
    const PacingDecision decision = decide(c.now, c.queued);
    EXPECT_EQ(decision.drop, c.drop);
    EXPECT_EQ(decision.show, c.show);
    EXPECT_NEAR(decision.wait_seconds, c.wait, 1e-12);
  }
}

TEST(Decide, ToleranceIsTheCallers) {
  const std::vector<double> queued{1.0, 1.1};
  EXPECT_EQ(decide(1.2, queued, 0.05).drop, 1);
  EXPECT_EQ(decide(1.2, queued, 0.5).drop, 0);
  EXPECT_EQ(decide(1.1, queued, 0.0).drop, 1);
}

/// Plays 10 s of 60 fps through the policy, `cost` seconds of work a frame, one stall of `stall` seconds in
/// between.
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
    const PacingDecision decision = decide(now, ahead);
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

TEST(Decide, AFastMachineDropsNothing) {
  const Played played = play(0.005, 0);
  EXPECT_EQ(played.shown, 600);
  EXPECT_LT(played.worst_late, 1e-9);
}

TEST(Decide, AShortHiccupIsCaughtUpWithoutLoss) {
  EXPECT_EQ(play(0.005, 0.045).dropped, 0);
}

TEST(Decide, ALongStallIsCaughtUpByDropping) {
  const Played played = play(0.005, 1.0);
  EXPECT_EQ(played.shown + played.dropped, 600);
  EXPECT_GT(played.dropped, 50);
  EXPECT_LT(played.dropped, 62);
  EXPECT_LT(played.worst_late, 0.001) << "after the stall frames are in time again";
}

TEST(Decide, ASlowMachineDropsButStaysNearTheClock) {
  const Played played = play(0.025, 0);  // two thirds of the speed needed
  EXPECT_EQ(played.shown + played.dropped, 600);
  EXPECT_GT(played.dropped, 180);
  EXPECT_LT(played.worst_late, LateToleranceSeconds + 1.0 / 60);
}

using Clock = PresentationClock;
using std::chrono::milliseconds;

TEST(PresentationClock, RunsFromItsAnchor) {
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

TEST(PresentationClock, RunsAtItsRate) {
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

TEST(PresentationClock, StandsStillWhilePaused) {
  const Clock::TimePoint start{};
  Clock clock;
  clock.anchor(5, start);
  clock.resume(start);
  clock.pause(start + milliseconds(1000));
  EXPECT_FALSE(clock.running());
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(9000)), 6);
  clock.pause(start + milliseconds(9500));  // again: nothing changes
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(9900)), 6);
  clock.resume(start + milliseconds(10000));
  EXPECT_TRUE(clock.running());
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(10250)), 6.25);
  clock.resume(start + milliseconds(11000));  // again: it runs already
  EXPECT_DOUBLE_EQ(clock.seconds(start + milliseconds(11000)), 7);
}

}  // namespace
}  // namespace glyphreel::player
