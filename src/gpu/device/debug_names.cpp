#include "gpu/device/debug_names.h"

namespace glyphreel::gpu {

void DebugNames::load(VkInstance instance, VkDevice device) {
  const auto function = [instance](const char* name) { return vkGetInstanceProcAddr(instance, name); };
  device_ = device;
  set_name_ = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(function("vkSetDebugUtilsObjectNameEXT"));
  begin_label_ = reinterpret_cast<PFN_vkCmdBeginDebugUtilsLabelEXT>(function("vkCmdBeginDebugUtilsLabelEXT"));
  end_label_ = reinterpret_cast<PFN_vkCmdEndDebugUtilsLabelEXT>(function("vkCmdEndDebugUtilsLabelEXT"));
}

void DebugNames::name(VkObjectType type, std::uint64_t object, const char* text) const {
  if (set_name_ == nullptr) return;
  VkDebugUtilsObjectNameInfoEXT naming{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
  naming.objectType = type;
  naming.objectHandle = object;
  naming.pObjectName = text;
  set_name_(device_, &naming);
}

void DebugNames::begin_label(VkCommandBuffer commands, const char* text) const {
  if (begin_label_ == nullptr) return;
  VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
  label.pLabelName = text;
  begin_label_(commands, &label);
}

void DebugNames::end_label(VkCommandBuffer commands) const {
  if (end_label_ != nullptr) end_label_(commands);
}

}  // namespace glyphreel::gpu
