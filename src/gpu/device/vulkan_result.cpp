#include "gpu/device/vulkan_result.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace glyphreel::gpu {

namespace {

struct ResultText {
  VkResult result;
  const char* name;
  const char* sentence = "The GPU driver failed; update it, or use --renderer cpu.";
};

constexpr auto ResultTexts = std::to_array<ResultText>({
    {VK_ERROR_OUT_OF_HOST_MEMORY, "VK_ERROR_OUT_OF_HOST_MEMORY",
     "The GPU driver is out of host memory; close some programs."},
    {VK_ERROR_OUT_OF_DEVICE_MEMORY, "VK_ERROR_OUT_OF_DEVICE_MEMORY",
     "The GPU is out of memory; choose a smaller grid or picture."},
    {VK_ERROR_INITIALIZATION_FAILED, "VK_ERROR_INITIALIZATION_FAILED"},
    {VK_ERROR_DEVICE_LOST, "VK_ERROR_DEVICE_LOST",
     "The GPU was lost because it hung or was reset or removed; try again, or use --renderer cpu."},
    {VK_ERROR_MEMORY_MAP_FAILED, "VK_ERROR_MEMORY_MAP_FAILED"},
    {VK_ERROR_LAYER_NOT_PRESENT, "VK_ERROR_LAYER_NOT_PRESENT"},
    {VK_ERROR_EXTENSION_NOT_PRESENT, "VK_ERROR_EXTENSION_NOT_PRESENT"},
    {VK_ERROR_FEATURE_NOT_PRESENT, "VK_ERROR_FEATURE_NOT_PRESENT"},
    {VK_ERROR_INCOMPATIBLE_DRIVER, "VK_ERROR_INCOMPATIBLE_DRIVER"},
    {VK_ERROR_TOO_MANY_OBJECTS, "VK_ERROR_TOO_MANY_OBJECTS"},
    {VK_ERROR_FORMAT_NOT_SUPPORTED, "VK_ERROR_FORMAT_NOT_SUPPORTED"},
    {VK_ERROR_SURFACE_LOST_KHR, "VK_ERROR_SURFACE_LOST_KHR",
     "The window's surface was lost; start glyphreel again."},
    {VK_ERROR_NATIVE_WINDOW_IN_USE_KHR, "VK_ERROR_NATIVE_WINDOW_IN_USE_KHR"},
    {VK_ERROR_OUT_OF_DATE_KHR, "VK_ERROR_OUT_OF_DATE_KHR"},
});

ResultText text_of(VkResult result) {
  const auto* known = std::ranges::find(ResultTexts, result, &ResultText::result);
  return known != ResultTexts.end() ? *known : ResultText{result, "VkResult"};
}

}  // namespace

const char* result_name(VkResult result) {
  return text_of(result).name;
}

Error vulkan_error(VkResult result, const char* call) {
  const std::string_view whole = call;
  const std::string_view function = whole.substr(0, whole.find('('));
  const ResultText text = text_of(result);
  return Error{ErrorCode::Failed, text.sentence,
               fmt::format("{}: {} ({})", function, text.name, static_cast<int>(result))};
}

}  // namespace glyphreel::gpu
