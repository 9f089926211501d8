#pragma once

#include <vulkan/vulkan.h>

#include "base/geometry.h"
#include "base/result.h"
#include "gpu/handle.h"
#include "gpu/resource_state.h"

namespace glyphreel::gpu {

/// A 2D colour image that remembers its layout and last use. Those of others, a swapchain's or a decoder's,
/// have no `memory` and no `owned`.
struct Image {
  MemoryHandle memory;  // declared first: destroyed last
  ImageHandle owned;
  ImageViewHandle view;  ///< none where the image is only copied
  VkImage handle = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  Extent size;  ///< pixels
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  ResourceState state;
  /// The queue family (VK_QUEUE_FAMILY_FOREIGN_EXT, say) that has it between its uses here; IGNORED: it is
  /// ours.
  std::uint32_t lender = VK_QUEUE_FAMILY_IGNORED;
};

/// An image in the GPU's own memory. Errors: Failed where memory has run out.
[[nodiscard]] Result<Image> make_image(Device& device, Extent size, VkFormat format, VkImageUsageFlags usage,
                                       const char* name);

/// A view for an image that a swapchain owns.
[[nodiscard]] Result<Image> wrap_image(Device& device, VkImage handle, Extent size, VkFormat format,
                                       const char* name);

}  // namespace glyphreel::gpu
