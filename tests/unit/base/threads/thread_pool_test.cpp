#include "base/threads/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace glyphreel::thread_pool_test {
namespace {

TEST(ThreadPool, SizeIncludesCaller) {
  EXPECT_EQ(ThreadPool(1).size(), 1);
  EXPECT_EQ(ThreadPool(5).size(), 5);
  EXPECT_GE(ThreadPool(0).size(), 1);
  EXPECT_GE(ThreadPool(-3).size(), 1);
}

TEST(ThreadPool, RunsEveryIndexOnceBeforeReturning) {
  for (const int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    for (int round = 0; round < 500; ++round) {
      const int count = round % 37;
      // Plain ints, so that the thread sanitizer detects an index that two workers process, and a
      // parallel_for() that returns too early.
      std::vector<int> calls(static_cast<std::size_t>(count), 0);
      pool.parallel_for(count, [&](int index, int worker) {
        EXPECT_TRUE(worker >= 0 && worker < pool.size());
        calls[static_cast<std::size_t>(index)] += 1 + round;
      });
      for (const int call : calls) ASSERT_EQ(call, 1 + round);
    }
  }
}

/// A worker's scratch memory is exclusive: no two bodies run concurrently under one worker number.
TEST(ThreadPool, WorkerRunsOneBodyAtATime) {
  ThreadPool pool(4);
  std::vector<int> scratch(4, 0);  // not atomic, so that the thread sanitizer detects concurrent use
  std::vector<std::atomic<int>> inside(4);
  for (int round = 0; round < 100; ++round) {
    pool.parallel_for(64, [&](int, int worker) {
      const auto w = static_cast<std::size_t>(worker);
      EXPECT_EQ(inside[w].fetch_add(1), 0);
      ++scratch[w];
      inside[w].fetch_sub(1);
    });
  }
  EXPECT_EQ(std::accumulate(scratch.begin(), scratch.end(), 0), 6400);
}

/// A body may wait for bodies with lower indices. This must not deadlock, however many indices there are per
/// worker.
TEST(ThreadPool, BodyMayWaitForLowerIndices) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const int half : {1, 3, 67, 500}) {
      std::atomic<int> left = half;
      std::atomic<int> early = 0;
      pool.parallel_for(2 * half, [&](int index, int) {
        if (index < half) {
          if (--left == 0) left.notify_all();
          return;
        }
        for (int now = left; now > 0; now = left) {
          if (!spin_until([&] { return left == 0; })) left.wait(now);
        }
        if (left != 0) ++early;
      });
      EXPECT_EQ(left, 0);
      EXPECT_EQ(early, 0);
    }
  }
}

TEST(SpinUntil, ReturnsImmediatelyOrGivesUpSoon) {
  int asked = 0;
  // The default limit of 20 us would be too short, because the system may suspend this thread for longer.
  EXPECT_TRUE(spin_until([&] { return ++asked == 3; }, std::chrono::minutes(1)));
  EXPECT_EQ(asked, 3);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_FALSE(spin_until([] { return false; }));
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::microseconds(20));
}

TEST(ThreadPool, HandlesZeroIndices) {
  ThreadPool pool(3);
  bool called = false;
  pool.parallel_for(0, [&](int, int) { called = true; });
  pool.parallel_for(-5, [&](int, int) { called = true; });
  EXPECT_FALSE(called);
}

/// A body is destroyed when its parallel_for() returns. A worker that wakes up late must not access it.
TEST(ThreadPool, BodiesDoNotOutliveTheirRound) {
  ThreadPool pool(4);
  for (int round = 0; round < 3000; ++round) {
    auto sum = std::make_unique<std::atomic<int>>(0);
    pool.parallel_for(2, [&sum](int index, int) { *sum += index + 1; });
    ASSERT_EQ(*sum, 3);
    sum.reset();
  }
}

TEST(ThreadPool, StartsAndStopsQuickly) {
  for (int round = 0; round < 100; ++round) {
    ThreadPool pool(4);
    std::atomic<int> calls = 0;
    if (round % 2 == 0) pool.parallel_for(10, [&](int, int) { ++calls; });
    EXPECT_EQ(calls, round % 2 == 0 ? 10 : 0);
  }
}

}  // namespace
}  // namespace glyphreel::thread_pool_test
