// Tests host memory that the GPU reads in place, and the importer that uses it.
#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "gpu/resources/host_frame_pool.h"
#include "interop/frame_importer.h"
#include "support/gpu_fixture.h"
#include "test_frame.h"

namespace glyphreel::gpu {
namespace {

TEST_F(GpuTest, PoolBlocksAreAlignedLargeEnoughAndDistinct) {
  const auto pool = HostFramePool::make(device());
  const auto other = HostFramePool::make(device());
  const auto block = pool->acquire(1000);
  ASSERT_TRUE(block);
  EXPECT_GE(block->size, 1000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->bytes) % 64, 0u);
  EXPECT_EQ(block->origin, pool.get());
  EXPECT_NE(pool->buffer_of(block.get()), VkBuffer{});
  EXPECT_EQ(other->buffer_of(block.get()), VkBuffer{});
  EXPECT_EQ(pool->buffer_of(nullptr), VkBuffer{});
  const auto heap = make_heap_memory();
  EXPECT_EQ(pool->buffer_of(heap->acquire(100).get()), VkBuffer{});
}

TEST_F(GpuTest, PoolRecyclesBlocks) {
  const auto pool = HostFramePool::make(device());
  auto block = pool->acquire(100000);
  const std::byte* bytes = block->bytes;
  block.reset();
  block = pool->acquire(90000);
  EXPECT_EQ(block->bytes, bytes);
}

TEST_F(GpuTest, PoolIsBounded) {
  const auto pool = HostFramePool::make(device());
  std::vector<std::shared_ptr<const HostBlock>> blocks;
  for (std::size_t i = 0; i < HostFramePool::MaxBlocks; ++i) {
    blocks.push_back(pool->acquire(64));
    ASSERT_TRUE(blocks.back());
  }
  EXPECT_FALSE(pool->acquire(64));
  blocks.pop_back();
  EXPECT_TRUE(pool->acquire(1 << 20)) << "an idle block of another size is freed for a new one";
  EXPECT_FALSE(pool->acquire(HostFramePool::MaxBytes + 1));
}

TEST_F(GpuTest, PoolBlocksOutlivePoolOnAnyThread) {
  auto pool = HostFramePool::make(device());
  auto block = pool->acquire(5000);
  pool.reset();
  std::memset(block->bytes, 7, 5000);
  std::thread([taken = std::move(block)]() mutable {
    EXPECT_EQ(taken->bytes[4999], std::byte{7});
    taken.reset();
  }).join();
}

/// Returns a 4 x 2 gray frame in a block of `memory`, with rows `stride` bytes apart.
Frame gray_frame(HostMemory& memory, std::ptrdiff_t stride) {
  auto block = memory.acquire(4096);
  Frame frame;
  frame.view.layout.model = ColorModel::Gray;
  frame.view.size = {4, 2};
  frame.view.planes[0] = block->bytes + 128;
  frame.view.strides[0] = stride;
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 4; ++x) block->bytes[128 + y * stride + x] = static_cast<std::byte>(10 * y + x);
  }
  frame.view.block = block.get();
  frame.owner = block;
  return frame;
}

void expect_gray(const HostFramePool& pool, const GpuFrame& imported, const HostBlock& block) {
  EXPECT_EQ(imported.buffer, pool.buffer_of(&block));
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 4; ++x) {
      EXPECT_EQ(
          block.bytes[imported.plane_offsets[0] + static_cast<std::size_t>(y * imported.strides[0] + x)],
          static_cast<std::byte>(10 * y + x));
    }
  }
}

TEST_F(GpuTest, ImporterReadsPoolFramesInPlace) {
  StageTimes times;
  interop::FrameImporter importer(device(), times);
  const Frame frame = gray_frame(*importer.memory(), 64);
  const auto imported = importer.import_frame(frame);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->bytes_copied, 0u);
  EXPECT_EQ(imported->plane_offsets[0], 128u);
  EXPECT_EQ(imported->strides[0], 64);
  EXPECT_EQ(imported->owner, frame.owner);
  EXPECT_EQ(times.summary(Stage::Import).count, 1u);
}

TEST_F(GpuTest, ImporterCopiesOtherFramesOnceAndCountsThem) {
  StageTimes times;
  interop::FrameImporter importer(device(), times);
  const auto heap = make_heap_memory();
  for (const std::ptrdiff_t stride : {4, 64, -16}) {
    const Frame frame = gray_frame(*heap, stride);
    const auto imported = importer.import_frame(frame);
    ASSERT_TRUE(imported);
    EXPECT_EQ(imported->bytes_copied, 8u);
    EXPECT_GE(imported->strides[0], 4);
    const auto block = std::static_pointer_cast<const HostBlock>(imported->owner);
    expect_gray(*static_cast<HostFramePool*>(importer.memory()), *imported, *block);
  }
}

TEST_F(GpuTest, ImporterCopiesPoolFramesShadersCannotRead) {
  StageTimes times;
  interop::FrameImporter importer(device(), times);
  const auto upside_down = importer.import_frame(gray_frame(*importer.memory(), -16));
  ASSERT_TRUE(upside_down);
  EXPECT_EQ(upside_down->bytes_copied, 8u);

  Frame odd = gray_frame(*importer.memory(), 64);
  odd.view.layout.bytes_per_sample = 2;
  odd.view.layout.components[0] = {.step = 2, .depth = 16};
  odd.view.size = {2, 2};
  odd.view.planes[0] += 1;
  const auto aligned = importer.import_frame(odd);
  ASSERT_TRUE(aligned);
  EXPECT_EQ(aligned->bytes_copied, 8u);
  EXPECT_EQ(aligned->plane_offsets[0] % 2, 0u);
}

}  // namespace
}  // namespace glyphreel::gpu
