#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::gpu {

/// The kinds of devices, numbered as in VkPhysicalDeviceType.
enum class DeviceKind { Other, Integrated, Discrete, Virtual, Cpu };

/// The error message if there is no driver.
inline constexpr const char* NoDriver =
    "No Vulkan driver was found; install your GPU's driver or mesa-vulkan-drivers, or use --renderer cpu.";

/// Returns the kind's name: "discrete GPU", "integrated GPU", "virtual GPU", "CPU" or "other".
[[nodiscard]] const char* kind_name(DeviceKind kind);

/// One physical device as `glyphreel info` shows it.
struct DeviceListing {
  int index = 0;
  std::string name;
  DeviceKind kind = DeviceKind::Other;
  std::string driver;              ///< name and version, for example "llvmpipe Mesa 22.3.6 (LLVM 15.0.6)"
  std::string api_version;         ///< "1.3.230"
  std::string uuid;                ///< 32 hexadecimal digits, the same in every process; empty: unknown
  std::uint64_t memory_bytes = 0;  ///< size of the largest device-local heap
  int score = 0;                   ///< higher is better; 0: cannot be used
  std::string reason;              ///< why the device cannot be used; empty if it can
};

/// Whether this machine may have a GPU: a GPU driver has a device file, or an environment variable configures
/// Vulkan. Otherwise, every Vulkan device runs on the CPU, and loading its driver would waste about 80 ms.
[[nodiscard]] bool may_have_gpu();

/// What Vulkan reports about a device; reason_against() decides from these facts whether it can be used.
struct DeviceFacts {
  std::uint32_t api_version = 0;
  DeviceKind kind = DeviceKind::Other;
  bool timeline_semaphore = false, synchronization2 = false, dynamic_rendering = false, maintenance4 = false;
  bool graphics_and_compute = false;  ///< one queue family supports both
  bool presents = true;   ///< a graphics and compute family can present; true if there is no surface
  bool swapchain = true;  ///< VK_KHR_swapchain is available; true if there is no surface
  std::uint32_t storage_buffers = 0;     ///< how many storage buffers one shader stage may use
  std::uint32_t group_invocations = 0;   ///< how many invocations a work group may have
  std::uint32_t fragment_resources = 0;  ///< how many storage buffers and outputs a fragment shader may have
};

/// Returns the first reason why a device with these facts cannot be used, or an empty string if it can.
[[nodiscard]] std::string reason_against(const DeviceFacts& facts);

/// Returns a score that ranks discrete before integrated before virtual before CPU devices; 0 if the device
/// cannot be used.
[[nodiscard]] int score_of(const DeviceFacts& facts);

/// How to choose a device if the user does not name one.
enum class DevicePreference {
  Fastest,  ///< the device with the highest score
  /// The first GPU that Vulkan lists. Mesa's device selection layer puts the display's GPU first, or the GPU
  /// that DRI_PRIME or MESA_VK_DEVICE_SELECT names. Drawing text takes so little time that a laptop's second
  /// GPU would only cost power and a copy of each frame.
  Display,
};

/// Returns the index in `devices` of the device that `selector` names (see DeviceOptions::selector), even if
/// that device cannot be used. Errors: NoDevice if no device matches (the message lists every name).
[[nodiscard]] Result<std::size_t> find_device(const std::vector<DeviceListing>& devices,
                                              const std::string& selector);

/// Returns the index in `devices` of the device that `selector` names (see DeviceOptions::selector). If
/// `selector` is empty, chooses the device by `preference`. Errors: NoDevice if no device matches (the
/// message lists every name), if the matching device is not usable (the message says why), or if no device is
/// usable (the message says why for each device).
[[nodiscard]] Result<std::size_t> choose_device(const std::vector<DeviceListing>& devices,
                                                const std::string& selector,
                                                DevicePreference preference = DevicePreference::Fastest);

}  // namespace glyphreel::gpu
