// LD_PRELOAD library: simulates a Wayland compositor that accepts no pictures while the window is covered.
// While the file named by $COVERED_WHILE exists, the Vulkan call named by $COVERED_CALL blocks: "acquire"
// (vkAcquireNextImageKHR) or "present" (vkQueuePresentKHR).
#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define REAL(function) reinterpret_cast<PFN_##function>(dlsym(RTLD_NEXT, #function))

namespace {

/// Waits while `call` blocks, at most for `timeout`. Returns whether it still blocks.
bool is_blocked(std::string_view call, std::chrono::nanoseconds timeout) {
  static const char* const File = std::getenv("COVERED_WHILE");
  static const char* const Call = std::getenv("COVERED_CALL");
  if (File == nullptr || Call == nullptr || call != Call) return false;
  const auto start = std::chrono::steady_clock::now();
  while (access(File, F_OK) == 0) {
    if (std::chrono::steady_clock::now() - start >= timeout) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

}  // namespace

EXPORT VkResult vkAcquireNextImageKHR(VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout,
                                      VkSemaphore semaphore, VkFence fence, uint32_t* index) {
  static const auto Real = REAL(vkAcquireNextImageKHR);
  if (is_blocked("acquire", std::chrono::nanoseconds(timeout))) return VK_TIMEOUT;
  return Real(device, swapchain, timeout, semaphore, fence, index);
}

EXPORT VkResult vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* present) {
  static const auto Real = REAL(vkQueuePresentKHR);
  static_cast<void>(is_blocked("present", std::chrono::hours(1)));
  return Real(queue, present);
}
