#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "gpu/resources/buffer.h"
#include "gpu/resources/image.h"
#include "gpu/resources/resource_state.h"

namespace glyphreel::gpu {

/// The number of work groups to dispatch.
struct GroupCount {
  std::uint32_t x = 1, y = 1;
  bool operator==(const GroupCount&) const = default;
};

/// A command buffer being recorded. use() adds the barrier that a resource's previous use requires. No other
/// code writes barriers. The barriers of all uses since the last command are recorded together, before the
/// next command.
/// Thread-safety: one thread at a time.
class Commands {
 public:
  /// `family`: the family of the queue that the commands will be submitted to.
  Commands(VkCommandBuffer handle, std::uint32_t family) : handle_(handle), family_(family) {}

  /// Returns the command buffer, to record a command in. Records the barriers first.
  [[nodiscard]] VkCommandBuffer handle() {
    flush();
    return handle_;
  }
  /// Records the barriers of the uses so far. Call at the end of a command buffer, after its last use.
  void flush();
  void use(Buffer& buffer, const ResourceUse& use) { this->use(buffer.handle.get(), buffer.state, use); }
  void use(VkBuffer buffer, ResourceState& state, const ResourceUse& use);
  /// Discard: the image's content is not preserved.
  enum class Content { Keep, Discard };
  void use(Image& image, const ResourceUse& use, VkImageLayout layout, Content content = Content::Keep);
  /// Acquires an image from its owner_family (a queue-family ownership transfer), for its first use in a
  /// submission. The submission must wait for the owner's semaphore. If owner_family is IGNORED, transfers
  /// nothing and only prepares the use.
  void acquire_ownership(Image& image, const ResourceUse& use, VkImageLayout layout);
  /// Releases the image to its owner_family after the last use. The layout stays the same, unless the owner
  /// is outside this device: such an owner does not know the layout, so the image is released in
  /// VK_IMAGE_LAYOUT_GENERAL. Does nothing if owner_family is IGNORED.
  void release_ownership(Image& image);
  /// Acquires a buffer from `owner_family` before `use`, or releases it to `owner_family` after `use`. Does
  /// nothing if `owner_family` is IGNORED.
  void acquire_ownership(VkBuffer buffer, std::uint32_t owner_family, const ResourceUse& use);
  void release_ownership(VkBuffer buffer, std::uint32_t owner_family, const ResourceUse& use);

  void clear_to_black(Image& image);
  /// Runs a compute pipeline with the bound descriptor set.
  void dispatch(VkPipeline pipeline, const GroupCount& groups);

 private:
  /// The queue families of an ownership transfer.
  struct Transfer {
    std::uint32_t from = VK_QUEUE_FAMILY_IGNORED;
    std::uint32_t to = VK_QUEUE_FAMILY_IGNORED;
  };
  void barrier(VkBuffer buffer, const BarrierSource& source, const ResourceUse& use,
               const Transfer& transfer);
  void barrier(Image& image, const BarrierSource& source, const ResourceUse& use, VkImageLayout layout,
               const Transfer& transfer);

  VkCommandBuffer handle_;
  std::uint32_t family_;
  // Barriers that are not yet recorded. There is at most one per resource, because the barriers of one
  // vkCmdPipelineBarrier2() call are not ordered among themselves.
  std::vector<VkBufferMemoryBarrier2> buffer_barriers_;
  std::vector<VkImageMemoryBarrier2> image_barriers_;
};

}  // namespace glyphreel::gpu
