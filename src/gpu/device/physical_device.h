#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/device/device_choice.h"
#include "gpu/device/video_plan.h"

namespace glyphreel::gpu {

/// A physical device and its capabilities.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceListing listing;
  std::uint32_t queue_family = 0;    ///< supports graphics and compute, and presenting if there is a surface
  std::uint32_t timestamp_bits = 0;  ///< valid bits in a timestamp of `queue_family`; 0: no timestamps
};

/// Examines and scores a device. `surface` may be null.
[[nodiscard]] PhysicalDevice examine(VkPhysicalDevice handle, VkSurfaceKHR surface, int index);

[[nodiscard]] std::vector<std::string> device_extensions(VkPhysicalDevice device);
/// Returns all queue families with the codecs that each decodes and encodes. Only for devices with
/// VK_KHR_video_queue.
[[nodiscard]] std::vector<QueueFamily> video_families(VkPhysicalDevice device);
[[nodiscard]] bool has_extension(VkPhysicalDevice device, const char* name);

}  // namespace glyphreel::gpu
