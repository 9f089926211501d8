// LD_PRELOAD library that simulates a fault of a GPU. Devices that are created after the fault work.
//   LOST_GPU_AT=N  queue submission number N, counted from 1, reports a lost device
//   HUNG_GPU_AT=N  submission number N and all later ones seem never to finish; the software driver's device
//                  claims to be a GPU, since the program waits for software drivers without a time limit
//   HUNG_PRESENT=1 after the hang, vkQueuePresentKHR never returns, as in a driver that waits for the GPU. If
//                  the program then frees what this call uses, the program aborts.
// If N is an absolute path, the fault occurs in the first submission after the file at that path is created.
#include <dlfcn.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define REAL(function) reinterpret_cast<PFN_##function>(dlsym(RTLD_NEXT, #function))

namespace {

/// The timeline that submissions signal, and the first value that it seems never to reach.
std::atomic<VkSemaphore> hung_timeline = VK_NULL_HANDLE;
std::atomic<uint64_t> hung_value = 0;
std::atomic<VkDevice> hung_device = VK_NULL_HANDLE;
std::atomic<VkQueue> hung_queue = VK_NULL_HANDLE;
std::atomic<bool> is_presenting = false;  ///< whether vkQueuePresentKHR() blocks because of the hang

void abort_if_presenting() {
  if (is_presenting) std::abort();
}

/// Simulates a driver's static objects, which a blocked present call still uses when they are destroyed at
/// exit.
struct Driver {
  ~Driver() { abort_if_presenting(); }
} driver;

/// Whether this submission has the fault that the environment variable requests.
bool is_time(const char* variable, long submission) {
  static std::atomic<bool> has_faulted = false;
  const char* at = std::getenv(variable);
  if (at == nullptr) return false;
  if (at[0] != '/') return submission == std::atol(at);
  return access(at, F_OK) == 0 && !has_faulted.exchange(true);
}

}  // namespace

EXPORT VkResult vkQueueSubmit2(VkQueue queue, uint32_t count, const VkSubmitInfo2* submits, VkFence fence) {
  static const auto Real = REAL(vkQueueSubmit2);
  static std::atomic<long> submissions = 0;
  const long submission = ++submissions;
  if (is_time("LOST_GPU_AT", submission)) {
    vkQueueWaitIdle(queue);  // lets the earlier submissions complete
    return VK_ERROR_DEVICE_LOST;
  }
  if (is_time("HUNG_GPU_AT", submission)) {
    const VkSubmitInfo2& last = submits[count - 1];
    const VkSemaphoreSubmitInfo& timeline = last.pSignalSemaphoreInfos[last.signalSemaphoreInfoCount - 1];
    hung_queue = queue;
    hung_value = timeline.value;
    hung_timeline = timeline.semaphore;
  }
  return Real(queue, count, submits, fence);
}

EXPORT VkResult vkWaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* wait, uint64_t timeout) {
  static const auto Real = REAL(vkWaitSemaphores);
  if (hung_timeline != wait->pSemaphores[0] || wait->pValues[0] < hung_value) {
    // A slow software driver must not count as a hung GPU, so wait without a limit for work before the hang.
    return Real(device, wait, std::getenv("HUNG_GPU_AT") != nullptr ? UINT64_MAX : timeout);
  }
  hung_device = device;
  std::this_thread::sleep_for(std::chrono::nanoseconds(timeout));
  return VK_TIMEOUT;
}

EXPORT VkResult vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* present) {
  static const auto Real = REAL(vkQueuePresentKHR);
  if (hung_queue != queue || std::getenv("HUNG_PRESENT") == nullptr) return Real(queue, present);
  is_presenting = true;
  for (;;) pause();
}

EXPORT void glfwTerminate() {
  static const auto Real = reinterpret_cast<void (*)()>(dlsym(RTLD_NEXT, "glfwTerminate"));
  abort_if_presenting();  // glfwTerminate() closes the display connection that a blocked present uses
  Real();
}

EXPORT void vkDestroyDevice(VkDevice device, const VkAllocationCallbacks* allocator) {
  static const auto Real = REAL(vkDestroyDevice);
  if (hung_device == device) {
    abort_if_presenting();
    hung_queue = VK_NULL_HANDLE;
    hung_timeline = VK_NULL_HANDLE;
  }
  Real(device, allocator);
}

EXPORT void vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  static const auto Real = REAL(vkGetPhysicalDeviceProperties);
  Real(device, properties);
  if (std::getenv("HUNG_GPU_AT") != nullptr) properties->deviceType = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
}
