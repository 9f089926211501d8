#pragma once

#include <vulkan/vulkan.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/mutex.h"
#include "base/result.h"
#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Calls vkQueuePresentKHR on a thread of its own, because the call may block: on software drivers until the
/// picture is drawn, on some GPU drivers until the screen takes it, and on Wayland, with PresentMode::Fifo,
/// for as long as the window is covered.
/// Thread-safety: one thread calls the members.
class PresentThread {
 public:
  /// `wake`: called on the thread after a present that did not succeed; only wakes the caller. Errors: Failed
  /// if the thread cannot be created.
  [[nodiscard]] static Result<std::unique_ptr<PresentThread>> start(std::shared_ptr<Device> device,
                                                                    std::function<void()> wake);

  /// A present; see VkPresentInfoKHR.
  struct Request {
    VkSwapchainKHR swapchain = VK_NULL_HANDLE;
    std::uint32_t image = 0;
    VkSemaphore finished = VK_NULL_HANDLE;  ///< waited for
  };
  /// Starts a present. The last one must be complete: wait() returned true. Until this one is complete, the
  /// caller may not use the swapchain, nor submit to the device's queue without waiting for the call.
  void present(const Request& request) EXCLUDES(mutex_);
  /// Waits at most `timeout` until the last present is complete. Returns whether it is.
  [[nodiscard]] bool wait(std::chrono::milliseconds timeout) EXCLUDES(mutex_);
  /// Returns the result of the last complete present, or VK_SUCCESS if take_result() returned it already.
  [[nodiscard]] VkResult result() const EXCLUDES(mutex_);
  [[nodiscard]] VkResult take_result() EXCLUDES(mutex_);

 private:
  PresentThread(std::shared_ptr<Device> device, std::function<void()> wake)
      : device_(std::move(device)), wake_(std::move(wake)) {}
  void work(const std::stop_token& stop) EXCLUDES(mutex_);

  const std::shared_ptr<Device> device_;
  const std::function<void()> wake_;
  mutable Mutex mutex_;
  ConditionVariable changed_;
  std::optional<Request> request_ GUARDED_BY(mutex_);  ///< until the present is complete
  VkResult result_ GUARDED_BY(mutex_) = VK_SUCCESS;
  std::jthread thread_;  // declared last, so that it is joined before the members above are destroyed
};

}  // namespace glyphreel::gpu
