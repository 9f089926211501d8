// LD_PRELOAD library: queue submission number LOST_GPU_AT reports a lost device. Devices created later work.
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) VkResult vkQueueSubmit2(VkQueue queue, uint32_t count,
                                                                          const VkSubmitInfo2* submits,
                                                                          VkFence fence) {
  static const auto Real = reinterpret_cast<PFN_vkQueueSubmit2>(dlsym(RTLD_NEXT, "vkQueueSubmit2"));
  static const char* const At = std::getenv("LOST_GPU_AT");
  static std::atomic<long> submissions = 0;
  if (At == nullptr || ++submissions != std::atol(At)) return Real(queue, count, submits, fence);
  vkQueueWaitIdle(queue);  // a lost GPU executes nothing
  return VK_ERROR_DEVICE_LOST;
}
