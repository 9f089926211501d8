#include "gpu/resources/frame_ring.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "gpu/resources/buffer.h"
#include "gpu/resources/image.h"
#include "support/gpu_fixture.h"

namespace {

/// The semaphores of one batch of a submission.
struct Batch {
  std::vector<VkSemaphore> waits, signals;
};
std::vector<Batch> last_submission;

std::vector<VkSemaphore> semaphores(std::uint32_t count, const VkSemaphoreSubmitInfo* points) {
  std::vector<VkSemaphore> found;
  for (std::uint32_t i = 0; i < count; ++i) found.push_back(points[i].semaphore);
  return found;
}

}  // namespace

// Replaces the loader's vkQueueSubmit2() in this program, to record the semaphores of each submission.
extern "C" VkResult vkQueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* batches,
                                   VkFence fence) {
  static const auto Real = reinterpret_cast<PFN_vkQueueSubmit2>(dlsym(RTLD_NEXT, "vkQueueSubmit2"));
  last_submission.clear();
  for (std::uint32_t i = 0; i < count; ++i) {
    last_submission.push_back(
        {semaphores(batches[i].waitSemaphoreInfoCount, batches[i].pWaitSemaphoreInfos),
         semaphores(batches[i].signalSemaphoreInfoCount, batches[i].pSignalSemaphoreInfos)});
  }
  return Real(queue, count, batches, fence);
}

namespace glyphreel::gpu {
namespace {

constexpr VkBufferUsageFlags CopyUsage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

std::unique_ptr<FrameRing> make_ring(const std::shared_ptr<Device>& device, int slots, StageTimes* times) {
  Result<std::unique_ptr<FrameRing>> ring = FrameRing::make(device, slots, times);
  EXPECT_TRUE(ring);
  return *std::move(ring);
}

Result<void> make_semaphore(Device& device, SemaphoreHandle& semaphore, const VkSemaphoreCreateInfo& create) {
  VK_CREATE(device, semaphore, vkCreateSemaphore, create);
  return {};
}

void copy(Commands& commands, Buffer& from, Buffer& to) {
  commands.use(from, CopyRead);
  commands.use(to, CopyWrite);
  const VkBufferCopy region{0, 0, from.size};
  vkCmdCopyBuffer(commands.handle(), from.handle.get(), to.handle.get(), 1, &region);
}

TEST_F(GpuTest, FrameRingCyclesSlotsAndKeepsOwnersUntilDone) {
  const auto ring = make_ring(device(), 2, nullptr);
  auto owner = std::make_shared<int>(1);
  std::weak_ptr<int> watched = owner;
  for (int i = 0; i < 5; ++i) {
    auto frame_commands = ring->begin();
    ASSERT_TRUE(frame_commands);
    EXPECT_EQ(frame_commands->slot(), i % 2);
    if (i == 0) frame_commands->keep(std::move(owner));
    ASSERT_TRUE(frame_commands->submit());
    // Slot 0's owner is released when slot 0 is reused: at i == 2.
    EXPECT_EQ(watched.expired(), i >= 2) << i;
  }
}

TEST_F(GpuTest, FrameRingReusesSlotOfDroppedRecording) {
  const auto ring = make_ring(device(), 1, nullptr);
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> watched = owner;
  {
    auto frame_commands = ring->begin();
    ASSERT_TRUE(frame_commands);
    frame_commands->begin_stage(Stage::Map);
    frame_commands->end_stage();
    frame_commands->keep(std::move(owner));
  }
  EXPECT_TRUE(watched.expired());
  auto frame_commands = ring->begin();
  ASSERT_TRUE(frame_commands);
  EXPECT_TRUE(frame_commands->submit());
}

TEST_F(GpuTest, FrameRingReportsTimestampsOfEveryStage) {
  if (device()->timestamp_bits() == 0) GTEST_SKIP() << "this device's queue has no timestamps";
  StageTimes times;
  {
    const auto ring = make_ring(device(), 2, &times);
    for (int i = 0; i < 5; ++i) {
      auto frame_commands = ring->begin();
      ASSERT_TRUE(frame_commands);
      for (const Stage stage : {Stage::Map, Stage::Draw}) {
        frame_commands->begin_stage(stage);
        frame_commands->end_stage();
      }
      ASSERT_TRUE(frame_commands->submit());
    }
  }
  EXPECT_EQ(times.summary(Stage::Map).count, 5u);
  EXPECT_EQ(times.summary(Stage::Draw).count, 5u);
  EXPECT_EQ(times.summary(Stage::Pack).count, 0u);
  EXPECT_LT(times.summary(Stage::Map).max_ms, 1000);
}

TEST_F(GpuTest, FrameRingKeepsBuffersInFlightAlive) {
  const auto ring = make_ring(device(), 2, nullptr);
  auto target = make_buffer(*device(), 4096, CopyUsage, MemoryKind::Shared, "target");
  ASSERT_TRUE(target);
  std::memset(target->mapped, 0, 4096);
  {
    auto source = make_buffer(*device(), 4096, CopyUsage, MemoryKind::Upload, "source");
    auto middle = make_buffer(*device(), 4096, CopyUsage, MemoryKind::Device, "middle");
    ASSERT_TRUE(source);
    ASSERT_TRUE(middle);
    std::memset(source->mapped, 0x5A, 4096);
    auto frame_commands = ring->begin();
    ASSERT_TRUE(frame_commands);
    copy(frame_commands->commands(), *source, *middle);
    copy(frame_commands->commands(), *middle, *target);
    frame_commands->commands().use(*target, HostRead);
    ASSERT_TRUE(frame_commands->submit());
  }
  device()->free_retired();  // must not free objects that running work uses
  ASSERT_TRUE(ring->finish(0));
  device()->free_retired();
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(target->mapped[i], std::byte{0x5A}) << i;
}

TEST_F(GpuTest, RetiredObjectsOutliveRecordingsOfOtherRings) {
  const auto slow = make_ring(device(), 1, nullptr);
  const auto fast = make_ring(device(), 1, nullptr);
  auto target = make_buffer(*device(), 4096, CopyUsage, MemoryKind::Shared, "target");
  ASSERT_TRUE(target);
  auto frame_commands = slow->begin();
  ASSERT_TRUE(frame_commands);
  {
    auto source = make_buffer(*device(), 4096, CopyUsage, MemoryKind::Upload, "source");
    ASSERT_TRUE(source);
    std::memset(source->mapped, 0x5A, 4096);
    copy(frame_commands->commands(), *source, *target);
    frame_commands->commands().use(*target, HostRead);
  }
  // Begin recordings of another ring later, and submit them earlier.
  for (int i = 0; i < 3; ++i) {
    auto other = fast->begin();
    ASSERT_TRUE(other);
    ASSERT_TRUE(other->submit());
    ASSERT_TRUE(fast->finish(0));
    device()->free_retired();
  }
  ASSERT_TRUE(frame_commands->submit());
  ASSERT_TRUE(slow->finish(0));
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(target->mapped[i], std::byte{0x5A}) << i;
}

TEST_F(GpuTest, FrameRingSubmitsReadingApartFromDrawing) {
  // The decoder must get its frame back even while drawing waits for the screen. So one batch reads the
  // frame, and another batch draws.
  VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  timeline.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo create{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  SemaphoreHandle screen, finished, decoder;
  ASSERT_TRUE(make_semaphore(*device(), screen, create));
  ASSERT_TRUE(make_semaphore(*device(), finished, create));
  create.pNext = &timeline;
  ASSERT_TRUE(make_semaphore(*device(), decoder, create));

  const auto ring = make_ring(device(), 2, nullptr);
  auto acquired = ring->begin();
  ASSERT_TRUE(acquired);
  ASSERT_TRUE(acquired->submit({.signal = screen.get()}));
  auto frame_commands = ring->begin();
  ASSERT_TRUE(frame_commands);
  GpuFrame frame;
  frame.waits = {{decoder.get(), 0}};
  frame.signals = {{decoder.get(), 1}};
  frame_commands->read(std::move(frame));
  frame_commands->begin_stage(Stage::Map);
  frame_commands->end_reading();
  frame_commands->end_stage();
  ASSERT_TRUE(frame_commands->submit({.wait = screen.get(), .signal = finished.get()}));

  using Semaphores = std::vector<VkSemaphore>;
  ASSERT_EQ(last_submission.size(), 2u);
  EXPECT_EQ(last_submission[0].waits, Semaphores{decoder.get()});
  EXPECT_EQ(last_submission[0].signals, Semaphores{decoder.get()});
  EXPECT_EQ(last_submission[1].waits, Semaphores{screen.get()});
  ASSERT_EQ(last_submission[1].signals.size(), 2u);  // the second one is the device's timeline semaphore
  EXPECT_EQ(last_submission[1].signals[0], finished.get());
  ASSERT_TRUE(ring->finish(0));
  ASSERT_TRUE(ring->finish(1));
}

TEST_F(GpuTest, FrameRingTransitionsImageLayouts) {
  const auto ring = make_ring(device(), 1, nullptr);
  constexpr Extent Size{37, 11};
  constexpr std::size_t Bytes = 37 * 11 * 4;
  auto image = make_image(*device(), Size, VK_FORMAT_R32_UINT,
                          VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "image");
  auto target = make_buffer(*device(), Bytes, CopyUsage, MemoryKind::Shared, "target");
  ASSERT_TRUE(image);
  ASSERT_TRUE(target);
  for (std::uint32_t round = 1; round <= 2; ++round) {
    auto frame_commands = ring->begin();
    ASSERT_TRUE(frame_commands);
    Commands& commands = frame_commands->commands();
    commands.use(*image, ClearWrite, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, Commands::Content::Discard);
    VkClearColorValue color{};
    color.uint32[0] = 0xFF102030u + round;
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands.handle(), image->handle, image->layout, &color, 1, &range);
    commands.use(*image, CopyRead, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    commands.use(*target, CopyWrite);
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    region.imageExtent = {37, 11, 1};
    vkCmdCopyImageToBuffer(commands.handle(), image->handle, image->layout, target->handle.get(), 1, &region);
    commands.use(*target, HostRead);
    ASSERT_TRUE(frame_commands->submit());
    ASSERT_TRUE(ring->finish(0));
    for (std::size_t i = 0; i < Bytes / 4; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, target->mapped + 4 * i, 4);
      ASSERT_EQ(word, color.uint32[0]) << i;
    }
  }
}

}  // namespace
}  // namespace glyphreel::gpu
