#include "base/host_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <thread>
#include <vector>

namespace glyphreel::host_memory_test {
namespace {

TEST(HeapMemory, BlocksAreLargeEnoughAlignedAndDistinct) {
  const auto memory = make_heap_memory();
  std::vector<std::shared_ptr<const HostBlock>> blocks;
  for (const std::size_t size : {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                                 std::size_t{4096}, std::size_t{3110400}}) {
    blocks.push_back(memory->acquire(size));
    ASSERT_TRUE(blocks.back());
    EXPECT_GE(blocks.back()->size, size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()->bytes) % 64, 0u);
    EXPECT_EQ(blocks.back()->origin, memory.get());
    std::memset(blocks.back()->bytes, static_cast<int>(blocks.size()), blocks.back()->size);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(blocks[i]->bytes[0]), i + 1);
    EXPECT_EQ(static_cast<std::size_t>(blocks[i]->bytes[blocks[i]->size - 1]), i + 1);
  }
}

TEST(HeapMemory, ReleasedBlockIsReused) {
  const auto memory = make_heap_memory();
  const std::byte* first = memory->acquire(100000)->bytes;
  EXPECT_EQ(memory->acquire(100000)->bytes, first);
  EXPECT_EQ(memory->acquire(90000)->bytes, first) << "a slightly larger block is reused";
  const auto held = memory->acquire(100000);
  EXPECT_EQ(held->bytes, first);
  EXPECT_NE(memory->acquire(100000)->bytes, first) << "a block in use is not reused";
}

TEST(HeapMemory, TooSmallBlockIsNotReused) {
  const auto memory = make_heap_memory();
  { const auto small = memory->acquire(1000); }
  const auto large = memory->acquire(1000000);
  ASSERT_TRUE(large);
  EXPECT_GE(large->size, 1000000u);
  std::memset(large->bytes, 1, large->size);
}

TEST(HeapMemory, OversizedIdleBlockIsFreed) {
  const auto memory = make_heap_memory();
  { const auto large = memory->acquire(10000000); }
  EXPECT_LT(memory->acquire(1000)->size, 10000000u);
}

TEST(HeapMemory, BlocksOutliveAllocator) {
  auto memory = make_heap_memory();
  auto block = memory->acquire(1000);
  auto second = memory->acquire(1000);
  memory.reset();
  std::memset(block->bytes, 7, block->size);
  EXPECT_EQ(static_cast<int>(block->bytes[999]), 7);
  block.reset();
  second.reset();
}

TEST(HeapMemory, FailedAllocationIsNull) {
  const auto memory = make_heap_memory();
  EXPECT_FALSE(memory->acquire(std::numeric_limits<std::size_t>::max()));
  EXPECT_FALSE(memory->acquire(std::numeric_limits<std::size_t>::max() - 32));
}

TEST(HeapMemory, ManyBlocksCanBeReleasedAtOnce) {
  const auto memory = make_heap_memory();
  for (int round = 0; round < 3; ++round) {
    std::vector<std::shared_ptr<const HostBlock>> blocks;
    std::set<const std::byte*> places;
    for (int i = 0; i < 100; ++i) {
      blocks.push_back(memory->acquire(5000));
      places.insert(blocks.back()->bytes);
    }
    EXPECT_EQ(places.size(), 100u);
  }
}

TEST(HeapMemory, BlocksMayBeUsedOnAnyThread) {
  const auto memory = make_heap_memory();
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&memory, t] {
      for (int i = 0; i < 500; ++i) {
        const auto block = memory->acquire(1000 + static_cast<std::size_t>(i % 3) * 5000);
        std::memset(block->bytes, t, 1000);
        for (int k = 0; k < 1000; k += 111) ASSERT_EQ(static_cast<int>(block->bytes[k]), t);
      }
    });
  }
}

}  // namespace
}  // namespace glyphreel::host_memory_test
