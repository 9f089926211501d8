#include "gpu/device/vulkan_result.h"

#include <fmt/format.h>

#include <string_view>

namespace glyphreel::gpu {

const char* result_name(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return "VK_ERROR_FORMAT_NOT_SUPPORTED";
    case VK_ERROR_SURFACE_LOST_KHR:
      return "VK_ERROR_SURFACE_LOST_KHR";
    case VK_ERROR_NATIVE_WINDOW_IN_USE_KHR:
      return "VK_ERROR_NATIVE_WINDOW_IN_USE_KHR";
    case VK_ERROR_OUT_OF_DATE_KHR:
      return "VK_ERROR_OUT_OF_DATE_KHR";
    default:
      return "VkResult";
  }
}

Error vulkan_error(VkResult result, const char* call) {
  const char* sentence = "The GPU driver failed.";
  if (result == VK_ERROR_DEVICE_LOST) {
    sentence = "The GPU was lost because it was reset or removed; try again, or use --renderer cpu.";
  } else if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
    sentence = "The GPU is out of memory; choose a smaller grid or picture.";
  } else if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {
    sentence = "The GPU driver is out of host memory.";
  } else if (result == VK_ERROR_SURFACE_LOST_KHR) {
    sentence = "The window's surface was lost.";
  }
  const std::string_view whole = call;
  const std::string_view function = whole.substr(0, whole.find('('));
  return Error{ErrorCode::Failed, sentence,
               fmt::format("{}: {} ({})", function, result_name(result), static_cast<int>(result))};
}

}  // namespace glyphreel::gpu
