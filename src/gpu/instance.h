#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::gpu {

/// Whether Vulkan's calls are checked by the Khronos validation layer, synchronisation included (slow).
enum class Validation {
  FromEnvironment,  ///< on where GLYPHREEL_VALIDATION=1
  Off,
  On,  ///< an error where the layer is not installed
};

/// The Vulkan loader, opened. Messages of the validation layer are logged and counted.
/// Thread-safety: const members from any thread.
class Instance {
 public:
  /// Errors: NoDevice where there is no loader or driver, or an extension or the validation layer is missing.
  [[nodiscard]] static Result<std::unique_ptr<Instance>> make(const std::vector<std::string>& extensions,
                                                              Validation validation);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] VkInstance handle() const { return instance_; }
  [[nodiscard]] bool has_validation() const { return has_validation_; }
  [[nodiscard]] bool has_debug_utils() const { return has_debug_utils_; }
  /// Warnings and errors of the validation layer so far.
  [[nodiscard]] std::uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<VkPhysicalDevice> physical_devices() const;

 private:
  Instance() = default;
  static VkBool32 VKAPI_PTR on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                       VkDebugUtilsMessageTypeFlagsEXT types,
                                       const VkDebugUtilsMessengerCallbackDataEXT* message, void* instance);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool has_validation_ = false;
  bool has_debug_utils_ = false;
  std::atomic<std::uint64_t> messages_ = 0;
};

}  // namespace glyphreel::gpu
