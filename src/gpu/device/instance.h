#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::gpu {

/// Whether the Khronos validation layer checks Vulkan calls and their synchronization. These checks slow down
/// the program.
enum class Validation {
  FromEnvironment,  ///< on if GLYPHREEL_VALIDATION=1
  Off,
  On,  ///< fails if the layer is not installed
};

/// A Vulkan instance. Logs and counts the messages of the validation layer.
/// Thread-safety: const members from any thread.
class Instance {
 public:
  /// Errors: NoDevice if there is no loader or driver, or if an extension or the validation layer is
  /// missing.
  [[nodiscard]] static Result<std::unique_ptr<Instance>> make(const std::vector<std::string>& extensions,
                                                              Validation validation);
  ~Instance();
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  [[nodiscard]] VkInstance handle() const { return instance_; }
  [[nodiscard]] bool has_validation() const { return has_validation_; }
  /// Whether VK_EXT_debug_utils is enabled: only with validation, or if a debugger may be in use.
  [[nodiscard]] bool has_debug_utils() const { return has_debug_utils_; }
  /// Returns the number of warnings and errors from the validation layer so far.
  [[nodiscard]] std::uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::vector<VkPhysicalDevice> physical_devices() const;

 private:
  Instance() = default;
  [[nodiscard]] Result<void> create(const std::vector<const char*>& extensions, VkInstanceCreateFlags flags);

  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  bool has_validation_ = false;
  bool has_debug_utils_ = false;
  std::atomic<std::uint64_t> messages_ = 0;
};

}  // namespace glyphreel::gpu
