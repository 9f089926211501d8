#pragma once

#include <vulkan/vulkan.h>

#include "gpu/buffer.h"
#include "gpu/image.h"
#include "gpu/resource_state.h"

namespace glyphreel::gpu {

/// A command buffer being recorded. Using a resource emits the barrier that its last use asks for: no barrier
/// is written by hand anywhere else. Thread-safety: one thread at a time.
class Commands {
 public:
  explicit Commands(VkCommandBuffer handle) : handle_(handle) {}

  [[nodiscard]] VkCommandBuffer handle() const { return handle_; }
  void use(Buffer& buffer, const ResourceUse& use) { this->use(buffer.handle.get(), buffer.state, use); }
  void use(VkBuffer buffer, ResourceState& state, const ResourceUse& use);
  /// `discard`: what the image holds need not be kept.
  enum class Content { Keep, Discard };
  void use(Image& image, const ResourceUse& use, VkImageLayout layout, Content content = Content::Keep);

 private:
  VkCommandBuffer handle_;
};

}  // namespace glyphreel::gpu
