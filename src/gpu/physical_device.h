#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "gpu/device_choice.h"

namespace glyphreel::gpu {

/// A physical device with what was found out about it.
struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  DeviceListing listing;
  std::uint32_t queue_family = 0;    ///< one that does graphics and compute, and presents where asked
  std::uint32_t timestamp_bits = 0;  ///< of that family; 0: no timestamps
};

/// Examines and scores a device. `surface` may be null.
[[nodiscard]] PhysicalDevice look_at(VkPhysicalDevice handle, VkSurfaceKHR surface, int index);

[[nodiscard]] bool has_extension(VkPhysicalDevice device, const char* name);

}  // namespace glyphreel::gpu
