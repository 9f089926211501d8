#pragma once

#include <vulkan/vulkan.h>

#include "base/geometry.h"
#include "base/result.h"
#include "gpu/device/handle.h"
#include "gpu/resources/resource_state.h"

namespace glyphreel::gpu {

/// A 2D color image that remembers its layout and last use. An image that a swapchain or a decoder owns has
/// neither `memory` nor `owned`.
struct Image {
  MemoryHandle memory;  // declared first: destroyed last
  ImageHandle owned;
  ImageViewHandle view;  ///< null if the image is only copied
  VkImage handle = VK_NULL_HANDLE;
  VkFormat format = VK_FORMAT_UNDEFINED;
  Extent size;  ///< pixels
  VkImageLayout layout = VK_IMAGE_LAYOUT_UNDEFINED;
  ResourceState state;
  /// The queue family that owns the image between its uses by this renderer, such as
  /// VK_QUEUE_FAMILY_FOREIGN_EXT; IGNORED if the renderer is the only owner.
  std::uint32_t owner_family = VK_QUEUE_FAMILY_IGNORED;
};

/// The range of a whole color image.
inline constexpr VkImageSubresourceRange WholeImage{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};

/// Creates an image in the GPU's own memory. Errors: Failed if memory is exhausted.
[[nodiscard]] Result<Image> make_image(Device& device, Extent size, VkFormat format, VkImageUsageFlags usage,
                                       const char* name);

/// Wraps an image that something else owns, such as a swapchain, and creates a view of the image.
[[nodiscard]] Result<Image> wrap_image(Device& device, VkImage handle, Extent size, VkFormat format,
                                       const char* name);

}  // namespace glyphreel::gpu
