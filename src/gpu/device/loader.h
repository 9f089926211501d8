#pragma once

#include <vulkan/vulkan.h>

#include "base/mutex.h"

namespace glyphreel::gpu {

/// Lock this while creating or destroying an instance or a device, and while looking up a device's functions.
/// The Vulkan loader and the validation layer change lists of all instances and devices of the process
/// without a lock of their own (https://github.com/KhronosGroup/Vulkan-Loader/issues/2018).
inline Mutex loader_mutex;

/// Returns a device function, such as a PFN_vkWaitForPresentKHR; null if the device does not have it.
template <typename Function>
[[nodiscard]] Function device_function(VkDevice device, const char* name) {
  const MutexLock lock(loader_mutex);
  return reinterpret_cast<Function>(vkGetDeviceProcAddr(device, name));
}

}  // namespace glyphreel::gpu
