#include "gpu/resources/command_buffer.h"

namespace glyphreel::gpu {
namespace {

constexpr bool is_outside(std::uint32_t family) {
  return family == VK_QUEUE_FAMILY_FOREIGN_EXT || family == VK_QUEUE_FAMILY_EXTERNAL;
}

}  // namespace

void Commands::use(VkBuffer buffer, ResourceState& state, const ResourceUse& use) {
  const BarrierSource source = state.next_use(use);
  if (!source.needed) return;
  VkBufferMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
  barrier.srcStageMask = source.stage;
  barrier.srcAccessMask = source.access;
  barrier.dstStageMask = use.stage;
  barrier.dstAccessMask = use.access;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.buffer = buffer;
  barrier.size = VK_WHOLE_SIZE;
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.bufferMemoryBarrierCount = 1;
  dependency.pBufferMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(handle_, &dependency);
}

void Commands::use(Image& image, const ResourceUse& use, VkImageLayout layout, Content content) {
  const bool relayout = image.layout != layout || content == Content::Discard;
  const BarrierSource source = image.state.next_use(use, relayout);
  if (!source.needed) return;
  VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  barrier.srcStageMask = source.stage;
  barrier.srcAccessMask = source.access;
  barrier.dstStageMask = use.stage;
  barrier.dstAccessMask = use.access;
  barrier.oldLayout = content == Content::Discard ? VK_IMAGE_LAYOUT_UNDEFINED : image.layout;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image.handle;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.imageMemoryBarrierCount = 1;
  dependency.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(handle_, &dependency);
  image.layout = layout;
}

void Commands::transfer(Image& image, const VkImageMemoryBarrier2& barrier) {
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.imageMemoryBarrierCount = 1;
  dependency.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(handle_, &dependency);
  image.layout = barrier.newLayout;
}

void Commands::acquire_ownership(Image& image, const ResourceUse& use, VkImageLayout layout) {
  // The owner's work is over: the submission waits for its semaphore at this use's stage.
  image.state.reset(use.stage);
  if (image.owner_family == VK_QUEUE_FAMILY_IGNORED) {
    this->use(image, use, layout);
    return;
  }
  VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  barrier.srcStageMask = use.stage;
  barrier.dstStageMask = use.stage;
  barrier.dstAccessMask = use.access;
  barrier.oldLayout = image.layout;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = image.owner_family;
  barrier.dstQueueFamilyIndex = family_;
  barrier.image = image.handle;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  transfer(image, barrier);
  static_cast<void>(image.state.next_use(use));
}

void Commands::release_ownership(Image& image) {
  if (image.owner_family == VK_QUEUE_FAMILY_IGNORED) return;
  const BarrierSource source = image.state.next_use({}, true);
  VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  barrier.srcStageMask = source.stage;
  barrier.srcAccessMask = source.access;
  barrier.oldLayout = image.layout;
  barrier.newLayout = is_outside(image.owner_family) ? VK_IMAGE_LAYOUT_GENERAL : image.layout;
  barrier.srcQueueFamilyIndex = family_;
  barrier.dstQueueFamilyIndex = image.owner_family;
  barrier.image = image.handle;
  barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  transfer(image, barrier);
}

void Commands::transfer(const VkBufferMemoryBarrier2& barrier) {
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.bufferMemoryBarrierCount = 1;
  dependency.pBufferMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(handle_, &dependency);
}

void Commands::acquire_ownership(VkBuffer buffer, std::uint32_t owner_family, const ResourceUse& use) {
  if (owner_family == VK_QUEUE_FAMILY_IGNORED) return;
  VkBufferMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
  barrier.srcStageMask = use.stage;
  barrier.dstStageMask = use.stage;
  barrier.dstAccessMask = use.access;
  barrier.srcQueueFamilyIndex = owner_family;
  barrier.dstQueueFamilyIndex = family_;
  barrier.buffer = buffer;
  barrier.size = VK_WHOLE_SIZE;
  transfer(barrier);
}

void Commands::release_ownership(VkBuffer buffer, std::uint32_t owner_family, const ResourceUse& use) {
  if (owner_family == VK_QUEUE_FAMILY_IGNORED) return;
  VkBufferMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
  barrier.srcStageMask = use.stage;
  barrier.srcQueueFamilyIndex = family_;
  barrier.dstQueueFamilyIndex = owner_family;
  barrier.buffer = buffer;
  barrier.size = VK_WHOLE_SIZE;
  transfer(barrier);
}

}  // namespace glyphreel::gpu
