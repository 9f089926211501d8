#include "gpu/device/instance.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "base/io/log.h"
#include "gpu/device/device_choice.h"
#include "gpu/device/loader.h"
#include "gpu/device/vulkan_result.h"

namespace glyphreel::gpu {
namespace {

constexpr const char* ValidationLayer = "VK_LAYER_KHRONOS_validation";

std::vector<std::string> instance_extensions(const char* layer) {
  std::vector<std::string> names;
  for (const auto& extension :
       list_all<VkExtensionProperties>(vkEnumerateInstanceExtensionProperties, layer)) {
    names.emplace_back(extension.extensionName);
  }
  return names;
}

bool has_validation_layer() {
  return std::ranges::any_of(
      list_all<VkLayerProperties>(vkEnumerateInstanceLayerProperties),
      [](const VkLayerProperties& layer) { return std::string_view(layer.layerName) == ValidationLayer; });
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool wants_validation(Validation validation) {
  if (validation != Validation::FromEnvironment) return validation == Validation::On;
  const char* value = std::getenv("GLYPHREEL_VALIDATION");
  return value != nullptr && std::string_view(value) == "1";
}

/// Whether names of objects and commands are useful. Validation messages and debuggers show such names.
/// Debuggers are Vulkan layers, which the environment variables below load.
bool wants_debug_names(bool has_validation) {
  return has_validation || std::ranges::any_of(std::array{"VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE",
                                                          "ENABLE_VULKAN_RENDERDOC_CAPTURE"},
                                               [](const char* name) { return std::getenv(name) != nullptr; });
}

/// Logs and counts a message of the validation layer. `count` points to a std::atomic<std::uint64_t>.
VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                              VkDebugUtilsMessageTypeFlagsEXT types,
                              const VkDebugUtilsMessengerCallbackDataEXT* message, void* count) {
  // All messages without this bit are of type GENERAL. They come from the loader and are about drivers that
  // this program does not use.
  if ((types & VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT) == 0) {
    log::debug("vulkan: {}", message->pMessage);
    return VK_FALSE;
  }
  static_cast<std::atomic<std::uint64_t>*>(count)->fetch_add(1, std::memory_order_relaxed);
  if (severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT) {
    log::error("vulkan validation: {}", message->pMessage);
  } else {
    log::warn("vulkan validation: {}", message->pMessage);
  }
  return VK_FALSE;
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::make(const std::vector<std::string>& extensions,
                                                 Validation validation) {
  std::unique_ptr<Instance> made(new Instance);
  std::vector<std::string> available = instance_extensions(nullptr);
  std::vector<const char*> enabled;
  for (const std::string& extension : extensions) {
    if (!contains(available, extension)) {
      return Error{ErrorCode::NoDevice,
                   "Vulkan on this machine cannot draw to a window; update the GPU driver.",
                   extension + " is missing"};
    }
    enabled.push_back(extension.c_str());
  }

  if (wants_validation(validation)) {
    if (!has_validation_layer()) {
      return Error{ErrorCode::NoDevice,
                   "The Vulkan validation layer is not installed; install vulkan-validationlayers or unset "
                   "GLYPHREEL_VALIDATION.",
                   {}};
    }
    for (std::string& name : instance_extensions(ValidationLayer)) available.push_back(std::move(name));
    made->has_validation_ = true;
  }
  made->has_debug_utils_ =
      wants_debug_names(made->has_validation_) && contains(available, VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  if (made->has_debug_utils_) enabled.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);

  VkInstanceCreateFlags flags = 0;
  if (contains(available, VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME)) {
    enabled.push_back(VK_KHR_PORTABILITY_ENUMERATION_EXTENSION_NAME);
    flags = VK_INSTANCE_CREATE_ENUMERATE_PORTABILITY_BIT_KHR;
  }

  if (made->has_validation_ && contains(available, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME)) {
    enabled.push_back(VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME);
  }
  TRY(made->create(enabled, flags));
  return made;
}

Result<void> Instance::create(const std::vector<const char*>& extensions, VkInstanceCreateFlags flags) {
  VkDebugUtilsMessengerCreateInfoEXT messenger{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = &messages_;

  const VkValidationFeatureEnableEXT check = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT;
  VkValidationFeaturesEXT features{VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT};
  features.enabledValidationFeatureCount = 1;
  features.pEnabledValidationFeatures = &check;
  features.pNext = &messenger;  // reports messages about vkCreateInstance itself

  const bool has_messenger = has_validation_ && has_debug_utils_;
  VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "glyphreel";
  application.apiVersion = VK_API_VERSION_1_3;
  VkInstanceCreateInfo create{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  create.pNext = has_messenger ? &features : nullptr;
  create.flags = flags;
  create.pApplicationInfo = &application;
  create.enabledLayerCount = has_validation_ ? 1 : 0;
  create.ppEnabledLayerNames = &ValidationLayer;
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  const MutexLock lock(loader_mutex);
  if (const VkResult result = vkCreateInstance(&create, nullptr, &instance_); result != VK_SUCCESS) {
    instance_ = VK_NULL_HANDLE;
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
      return Error{ErrorCode::NoDevice, NoDriver, result_name(result)};
    return Error{ErrorCode::NoDevice, "Vulkan could not be initialized; use --renderer cpu.",
                 vulkan_error(result, "vkCreateInstance").cause};
  }
  if (has_messenger) {
    const auto make_messenger = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
    if (make_messenger != nullptr) make_messenger(instance_, &messenger, nullptr, &messenger_);
  }
  return {};
}

Instance::~Instance() {
  const MutexLock lock(loader_mutex);
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy_messenger = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy_messenger(instance_, messenger_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE) vkDestroyInstance(instance_, nullptr);
}

std::vector<VkPhysicalDevice> Instance::physical_devices() const {
  return list_all<VkPhysicalDevice>(vkEnumeratePhysicalDevices, instance_);
}

}  // namespace glyphreel::gpu
