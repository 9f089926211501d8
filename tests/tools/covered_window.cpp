// LD_PRELOAD library: while the file named by $COVERED_WHILE exists, the screen accepts no pictures, as with
// some Wayland compositors when the window is covered.
#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <chrono>
#include <cstdlib>
#include <thread>

extern "C" __attribute__((visibility("default"))) VkResult vkAcquireNextImageKHR(
    VkDevice device, VkSwapchainKHR swapchain, uint64_t timeout, VkSemaphore semaphore, VkFence fence,
    uint32_t* index) {
  static const auto Real =
      reinterpret_cast<PFN_vkAcquireNextImageKHR>(dlsym(RTLD_NEXT, "vkAcquireNextImageKHR"));
  static const char* const File = std::getenv("COVERED_WHILE");
  const auto is_covered = [] { return File != nullptr && access(File, F_OK) == 0; };
  const auto start = std::chrono::steady_clock::now();
  while (is_covered()) {
    if (std::chrono::steady_clock::now() - start >= std::chrono::nanoseconds(timeout)) return VK_TIMEOUT;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return Real(device, swapchain, timeout, semaphore, fence, index);
}
