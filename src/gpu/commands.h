#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

#include "gpu/buffer.h"
#include "gpu/image.h"
#include "gpu/resource_state.h"

namespace glyphreel::gpu {

/// A command buffer being recorded. Using a resource emits the barrier that its last use asks for: no barrier
/// is written by hand anywhere else. Thread-safety: one thread at a time.
class Commands {
 public:
  /// `family`: of the queue that they will be submitted to.
  Commands(VkCommandBuffer handle, std::uint32_t family) : handle_(handle), family_(family) {}

  [[nodiscard]] VkCommandBuffer handle() const { return handle_; }
  void use(Buffer& buffer, const ResourceUse& use) { this->use(buffer.handle.get(), buffer.state, use); }
  void use(VkBuffer buffer, ResourceState& state, const ResourceUse& use);
  /// `discard`: what the image holds need not be kept.
  enum class Content { Keep, Discard };
  void use(Image& image, const ResourceUse& use, VkImageLayout layout, Content content = Content::Keep);
  /// A lent image: takes it from its lender for its first use in a submission, which has waited for the
  /// lender ...
  void borrow(Image& image, const ResourceUse& use, VkImageLayout layout);
  /// ... and gives it back after the last: in the layout that it has, or to a lender outside of this device,
  /// who knows no layouts, in GENERAL. Both do nothing more than use() where it is ours.
  void give_back(Image& image);
  /// The same for a buffer, whose use between the two is `use`; nothing where `lender` is IGNORED.
  void borrow(VkBuffer buffer, std::uint32_t lender, const ResourceUse& use);
  void give_back(VkBuffer buffer, std::uint32_t lender, const ResourceUse& use);

 private:
  void transfer(const VkBufferMemoryBarrier2& barrier);
  void transfer(Image& image, const VkImageMemoryBarrier2& barrier);

  VkCommandBuffer handle_;
  std::uint32_t family_;
};

}  // namespace glyphreel::gpu
