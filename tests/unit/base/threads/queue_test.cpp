#include "base/threads/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "../../../threads_at_rest.h"

namespace glyphreel::queue_test {
namespace {

TEST(BoundedQueue, IsFirstInFirstOut) {
  BoundedQueue<int> queue(3);
  EXPECT_EQ(queue.capacity(), 3u);
  EXPECT_FALSE(queue.try_pop());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(i));
  EXPECT_EQ(queue.size(), 3u);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(queue.pop(), i);
  EXPECT_EQ(queue.size(), 0u);
}

TEST(BoundedQueue, PushHonorsCallersLimit) {
  BoundedQueue<int> queue(8);
  EXPECT_TRUE(queue.push(0, 2));
  EXPECT_TRUE(queue.push(1, 2));
  std::atomic<bool> pushed = false;
  std::jthread producer([&] { pushed = queue.push(2, 2); });
  test::wait_until_others_sleep();
  EXPECT_FALSE(pushed);
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(queue.pop(), 0);
  producer.join();
  EXPECT_TRUE(pushed);
  EXPECT_TRUE(queue.push(3)) << "other producers may use the full capacity";
  EXPECT_EQ(queue.size(), 3u);
}

TEST(BoundedQueue, TryPushNeverBlocks) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto item = std::make_unique<int>(1);
  EXPECT_TRUE(queue.try_push(item));
  item = std::make_unique<int>(2);
  EXPECT_FALSE(queue.try_push(item));
  ASSERT_NE(item, nullptr) << "a full queue must leave the item to the caller";
  EXPECT_EQ(**queue.pop(), 1);
  EXPECT_TRUE(queue.try_push(item));
  queue.close();
  item = std::make_unique<int>(3);
  EXPECT_FALSE(queue.try_push(item));
  EXPECT_EQ(**queue.pop(), 2);
}

TEST(BoundedQueue, CloseKeepsItems) {
  BoundedQueue<int> queue(3);
  queue.push(1);
  queue.push(2);
  queue.close();
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.try_pop(), 2);
  EXPECT_FALSE(queue.pop());
  EXPECT_FALSE(queue.try_pop());
  queue.close();
}

TEST(BoundedQueue, AbortDropsItems) {
  const auto frame = std::make_shared<int>(7);
  BoundedQueue<std::shared_ptr<int>> queue(3);
  queue.push(frame);
  queue.push(frame);
  EXPECT_EQ(frame.use_count(), 3);
  queue.abort();
  EXPECT_EQ(frame.use_count(), 1) << "dropped items are released at once";
  EXPECT_FALSE(queue.pop());
  EXPECT_EQ(queue.size(), 0u);
  EXPECT_FALSE(queue.push(frame));
  EXPECT_EQ(frame.use_count(), 1) << "the item of a failed push is released";
}

/// The queue must destroy items outside its lock, because their destructors may call into other objects: a
/// frame's destructor may call into a pool. In this test, the destructor calls into the queue itself.
TEST(BoundedQueue, ReleasesItemsOutsideLock) {
  struct Item {
    BoundedQueue<std::unique_ptr<Item>>* queue;
    std::atomic<int>* released;
    ~Item() {
      EXPECT_LT(queue->size(), 4u);  // deadlocks if the queue destroys items under its lock
      ++*released;
    }
  };
  std::atomic<int> released = 0;
  BoundedQueue<std::unique_ptr<Item>> queue(4);
  for (int i = 0; i < 4; ++i) queue.push(std::unique_ptr<Item>(new Item{&queue, &released}));
  queue.abort();
  EXPECT_EQ(released, 4);
}

TEST(BoundedQueue, FullQueueBlocksProducer) {
  BoundedQueue<int> queue(2);
  std::atomic<int> pushed = 0;
  std::jthread producer([&] {
    for (int i = 0; i < 5 && queue.push(i); ++i) ++pushed;
  });
  for (int i = 0; i < 5; ++i) {
    test::wait_until_others_sleep();  // the producer has pushed as much as it can
    EXPECT_EQ(pushed, std::min(i + 2, 5));
    EXPECT_EQ(queue.pop(), i);
  }
  producer.join();
  EXPECT_EQ(pushed, 5);
}

/// close() and abort() must wake the threads that wait for an item and those that wait for free space.
TEST(BoundedQueue, CloseAndAbortWakeAllWaiters) {
  for (const bool abort : {false, true}) {
    for (int round = 0; round < 20; ++round) {
      BoundedQueue<int> empty(1);
      BoundedQueue<int> full(1);
      full.push(0);
      std::atomic<int> started = 0;
      std::atomic<int> woken = 0;
      std::vector<std::jthread> threads;
      for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
          ++started;
          woken += empty.pop() ? 100 : 1;
        });
        threads.emplace_back([&] {
          ++started;
          woken += full.push(1) ? 100 : 1;
        });
      }
      // Even rounds wait until all threads have started. In odd rounds, some threads may start after the
      // queues are closed or aborted.
      while (round % 2 == 0 && started < 6) std::this_thread::yield();
      for (BoundedQueue<int>* queue : {&empty, &full}) abort ? queue->abort() : queue->close();
      threads.clear();
      EXPECT_EQ(woken, 6);
      EXPECT_EQ(full.size(), abort ? 0u : 1u);
    }
  }
}

/// With several producers and consumers, no item is lost or duplicated, and each producer's items stay in
/// order.
TEST(BoundedQueue, DeliversEveryItemOnce) {
  constexpr int Producers = 3;
  constexpr int Consumers = 3;
  constexpr int Items = 3000;
  for (const std::size_t capacity : {std::size_t{1}, std::size_t{2}, std::size_t{16}}) {
    BoundedQueue<std::unique_ptr<int>> queue(capacity);
    std::vector<std::vector<int>> received(Consumers);
    std::vector<std::jthread> consumers;
    for (int c = 0; c < Consumers; ++c) {
      consumers.emplace_back([&, c] {
        while (auto item = queue.pop()) received[static_cast<std::size_t>(c)].push_back(**item);
      });
    }
    std::vector<std::jthread> producers;
    for (int p = 0; p < Producers; ++p) {
      producers.emplace_back([&, p] {
        for (int i = 0; i < Items; ++i) EXPECT_TRUE(queue.push(std::make_unique<int>(p * Items + i)));
      });
    }
    producers.clear();
    queue.close();
    consumers.clear();

    std::vector<int> all;
    for (const std::vector<int>& some : received) {
      std::vector<int> last(Producers, -1);
      for (const int item : some) {
        EXPECT_GT(item, last[static_cast<std::size_t>(item / Items)])
            << "one producer's items arrived out of order";
        last[static_cast<std::size_t>(item / Items)] = item;
      }
      all.insert(all.end(), some.begin(), some.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), static_cast<std::size_t>(Producers * Items));
    for (int i = 0; i < Producers * Items; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(queue.size(), 0u);
  }
}

TEST(BoundedQueue, AbortEndsProducersAndConsumers) {
  for (int round = 0; round < 30; ++round) {
    BoundedQueue<int> queue(2);
    std::atomic<int> last = -1;
    std::jthread producer([&] {
      for (int i = 0; queue.push(i); ++i) {
      }
    });
    std::jthread consumer([&] {
      while (const auto item = queue.pop()) {
        EXPECT_EQ(*item, last + 1);
        last = *item;
      }
    });
    while (last < 10 * round) std::this_thread::yield();
    queue.abort();
    producer.join();
    consumer.join();
    EXPECT_EQ(queue.size(), 0u);
  }
}

}  // namespace
}  // namespace glyphreel::queue_test
