#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace glyphreel::gpu {

/// Names Vulkan objects and groups of commands for debuggers and validation messages. Without
/// VK_EXT_debug_utils, all functions do nothing.
/// Thread-safety: any thread, once load() has returned.
class DebugNames {
 public:
  /// Call only if the instance has VK_EXT_debug_utils.
  void load(VkInstance instance, VkDevice device);

  void name(VkObjectType type, std::uint64_t object, const char* text) const;
  void begin_label(VkCommandBuffer commands, const char* text) const;
  void end_label(VkCommandBuffer commands) const;

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  PFN_vkSetDebugUtilsObjectNameEXT set_name_ = nullptr;
  PFN_vkCmdBeginDebugUtilsLabelEXT begin_label_ = nullptr;
  PFN_vkCmdEndDebugUtilsLabelEXT end_label_ = nullptr;
};

}  // namespace glyphreel::gpu
