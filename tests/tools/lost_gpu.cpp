// LD_PRELOAD library that simulates faults of a GPU. Devices created later work.
//   LOST_GPU_AT=N  queue submission number N reports a lost device
//   HUNG_GPU_AT=N  wait number N and all later waits time out; the device reports itself as a GPU, not a CPU
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define REAL(function) reinterpret_cast<PFN_##function>(dlsym(RTLD_NEXT, #function))

namespace {

std::atomic<VkDevice> hung_device = VK_NULL_HANDLE;

/// Counts the calls; returns whether this is the call that the variable names.
bool is_time(const char* variable, std::atomic<long>& calls) {
  const char* at = std::getenv(variable);
  return at != nullptr && ++calls == std::atol(at);
}

}  // namespace

EXPORT VkResult vkQueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  static const auto Real = REAL(vkQueueSubmit2);
  static std::atomic<long> submissions = 0;
  if (!is_time("LOST_GPU_AT", submissions)) return Real(queue, count, submits, fence);
  vkQueueWaitIdle(queue);  // drops this submission, but completes earlier ones
  return VK_ERROR_DEVICE_LOST;
}

EXPORT VkResult vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* wait, uint64_t timeout) {
  static const auto Real = REAL(vkWaitSemaphores);
  static std::atomic<long> waits = 0;
  if (is_time("HUNG_GPU_AT", waits)) hung_device = device;
  if (hung_device != device) return Real(device, wait, timeout);
  std::this_thread::sleep_for(std::chrono::nanoseconds(timeout));
  return VK_TIMEOUT;
}

EXPORT void vkDestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  static const auto Real = REAL(vkDestroyDevice);
  if (hung_device == device) hung_device = VK_NULL_HANDLE;
  Real(device, allocator);
}

EXPORT void vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  static const auto Real = REAL(vkGetPhysicalDeviceProperties);
  Real(device, properties);
  if (std::getenv("HUNG_GPU_AT") != nullptr) properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}
