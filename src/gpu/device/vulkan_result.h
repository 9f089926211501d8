#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "base/result.h"

namespace glyphreel::gpu {

/// Returns the result's name, such as "VK_ERROR_OUT_OF_DEVICE_MEMORY".
[[nodiscard]] const char* result_name(VkResult result);

/// Returns the error for a failed call: a sentence for the user, with the call and its result as the cause.
[[nodiscard]] Error vulkan_error(VkResult result, const char* call);

/// Calls a Vulkan function that enumerates items, and returns all items. `arguments`: the function's
/// arguments before the count.
template <typename Item, typename Function, typename... Arguments>
[[nodiscard]] std::vector<Item> list_all(Function function, Arguments... arguments) {
  std::uint32_t count = 0;
  function(arguments..., &count, nullptr);
  std::vector<Item> items(count);
  function(arguments..., &count, items.data());
  items.resize(count);
  return items;
}

/// Returns a non-dispatchable handle as the number that debug names and RetiredObjects use.
template <typename T>
[[nodiscard]] std::uint64_t object_id(T* handle) {
  return reinterpret_cast<std::uint64_t>(handle);
}
[[nodiscard]] inline std::uint64_t object_id(std::uint64_t handle) {
  return handle;
}
/// Returns the handle with this object_id().
template <typename T>
[[nodiscard]] T object_of(std::uint64_t id) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(id);
  } else {
    return id;
  }
}

}  // namespace glyphreel::gpu

/// Evaluates a Vulkan call. If the call fails, the enclosing function returns the call's error. If the call
/// reports that the device is lost, `device` remembers this.
#define VK_TRY(device, call)                                \
  do {                                                      \
    if (const VkResult vk_result = (call); vk_result < 0) { \
      return (device).fail(vk_result, #call);               \
    }                                                       \
  } while (false)
