#include "gpu/resources/command_buffer.h"

#include <algorithm>

namespace glyphreel::gpu {
namespace {

constexpr bool is_outside(std::uint32_t family) {
  return family == VK_QUEUE_FAMILY_FOREIGN_EXT || family == VK_QUEUE_FAMILY_EXTERNAL;
}

}  // namespace

void Commands::flush() {
  if (buffer_barriers_.empty() && image_barriers_.empty()) return;
  VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  dependency.bufferMemoryBarrierCount = static_cast<std::uint32_t>(buffer_barriers_.size());
  dependency.pBufferMemoryBarriers = buffer_barriers_.data();
  dependency.imageMemoryBarrierCount = static_cast<std::uint32_t>(image_barriers_.size());
  dependency.pImageMemoryBarriers = image_barriers_.data();
  vkCmdPipelineBarrier2(handle_, &dependency);
  buffer_barriers_.clear();
  image_barriers_.clear();
}

void Commands::barrier(VkBuffer buffer, const BarrierSource& source, const ResourceUse& use,
                       const Transfer& transfer) {
  if (std::ranges::find(buffer_barriers_, buffer, &VkBufferMemoryBarrier2::buffer) != buffer_barriers_.end())
    flush();
  VkBufferMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2};
  barrier.srcStageMask = source.stage;
  barrier.srcAccessMask = source.access;
  barrier.dstStageMask = use.stage;
  barrier.dstAccessMask = use.access;
  barrier.srcQueueFamilyIndex = transfer.from;
  barrier.dstQueueFamilyIndex = transfer.to;
  barrier.buffer = buffer;
  barrier.size = VK_WHOLE_SIZE;
  buffer_barriers_.push_back(barrier);
}

void Commands::barrier(Image& image, const BarrierSource& source, const ResourceUse& use,
                       VkImageLayout layout, const Transfer& transfer) {
  if (std::ranges::find(image_barriers_, image.handle, &VkImageMemoryBarrier2::image) !=
      image_barriers_.end())
    flush();
  VkImageMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2};
  barrier.srcStageMask = source.stage;
  barrier.srcAccessMask = source.access;
  barrier.dstStageMask = use.stage;
  barrier.dstAccessMask = use.access;
  barrier.oldLayout = image.layout;
  barrier.newLayout = layout;
  barrier.srcQueueFamilyIndex = transfer.from;
  barrier.dstQueueFamilyIndex = transfer.to;
  barrier.image = image.handle;
  barrier.subresourceRange = WholeImage;
  image_barriers_.push_back(barrier);
  image.layout = layout;
}

void Commands::use(VkBuffer buffer, ResourceState& state, const ResourceUse& use) {
  const BarrierSource source = state.next_use(use);
  if (source.needed) barrier(buffer, source, use, {});
}

void Commands::use(Image& image, const ResourceUse& use, VkImageLayout layout, Content content) {
  if (content == Content::Discard) image.layout = VK_IMAGE_LAYOUT_UNDEFINED;
  const BarrierSource source =
      image.state.next_use(use, image.layout != layout ? ImageLayout::Changed : ImageLayout::Kept);
  if (source.needed) barrier(image, source, use, layout, {});
}

void Commands::acquire_ownership(Image& image, const ResourceUse& use, VkImageLayout layout) {
  // The submission waits for the owner's semaphore before use.stage, so the owner's uses are complete by
  // then.
  image.state.reset(use.stage);
  if (image.owner_family == VK_QUEUE_FAMILY_IGNORED) {
    this->use(image, use, layout);
    return;
  }
  barrier(image, {.stage = use.stage}, use, layout, {image.owner_family, family_});
  static_cast<void>(image.state.next_use(use));
}

void Commands::release_ownership(Image& image) {
  if (image.owner_family == VK_QUEUE_FAMILY_IGNORED) return;
  const BarrierSource source = image.state.next_use({}, ImageLayout::Changed);
  const VkImageLayout layout = is_outside(image.owner_family) ? VK_IMAGE_LAYOUT_GENERAL : image.layout;
  barrier(image, source, {}, layout, {family_, image.owner_family});
}

void Commands::acquire_ownership(VkBuffer buffer, std::uint32_t owner_family, const ResourceUse& use) {
  if (owner_family == VK_QUEUE_FAMILY_IGNORED) return;
  barrier(buffer, {.stage = use.stage}, use, {owner_family, family_});
}

void Commands::release_ownership(VkBuffer buffer, std::uint32_t owner_family, const ResourceUse& use) {
  if (owner_family == VK_QUEUE_FAMILY_IGNORED) return;
  barrier(buffer, {.stage = use.stage}, {}, {family_, owner_family});
}

void Commands::clear_to_black(Image& image) {
  use(image, ClearWrite, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, Content::Discard);
  const VkClearColorValue black{{0, 0, 0, 1}};
  vkCmdClearColorImage(handle(), image.handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &black, 1, &WholeImage);
}

void Commands::dispatch(VkPipeline pipeline, const GroupCount& groups) {
  vkCmdBindPipeline(handle(), VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdDispatch(handle(), groups.x, groups.y, 1);
}

}  // namespace glyphreel::gpu
