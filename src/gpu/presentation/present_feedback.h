#pragma once

#include <vulkan/vulkan.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "base/threads/call_thread.h"
#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Measures how long presented pictures take to reach the screen, with VK_KHR_present_wait.
/// Thread-safety: the thread that uses the swapchain.
class PresentFeedback {
 public:
  /// Returns null if the device lacks VK_KHR_present_wait or if the measuring thread cannot be started.
  [[nodiscard]] static std::unique_ptr<PresentFeedback> make(const Device& device);

  /// Returns the structure to chain to the next VkPresentInfoKHR, valid until the next call.
  [[nodiscard]] const VkPresentIdKHR* next_id();
  /// Starts to measure the present whose ID next_id() returned last, unless a measurement is still running.
  /// Call when that present begins. `swapchain` must exist until stop().
  void watch(VkSwapchainKHR swapchain);
  /// Waits for the running measurement, for at most 200 ms.
  void stop();

  /// Returns the shortest of the latest measurements, in seconds; empty if there is none. Longer measurements
  /// include a wait for the screen's next refresh.
  [[nodiscard]] std::optional<double> latency();

 private:
  PresentFeedback(VkDevice device, PFN_vkWaitForPresentKHR wait) : device_(device), wait_(wait) {}
  void collect();

  const VkDevice device_;
  const PFN_vkWaitForPresentKHR wait_;
  std::uint64_t id_ = 0;
  VkPresentIdKHR chained_{VK_STRUCTURE_TYPE_PRESENT_ID_KHR};
  std::deque<double> latest_;  ///< the latest measurements in seconds, oldest first
  std::unique_ptr<CallThread<std::optional<double>>> waits_;
};

}  // namespace glyphreel::gpu
