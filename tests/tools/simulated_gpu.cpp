// LD_PRELOAD library that makes the software driver look like the GPU named by SIMULATED_GPU: its kind,
// limits, memory heaps and types, queue families, and the formats of swapchains on an X11 screen with 8 bits
// per channel. Memory behaves as its type promises: memory that is not HOST_VISIBLE cannot be mapped, heaps
// are finite, and without HOST_COHERENT, the host and the device see each other's writes only after
// a flush or an invalidation. Shaders still run on the CPU. Sources of the values: Mesa's v3dv_device.c,
// anv_physical_device.c, tu_device.cc and wsi_common_x11.c, and the reports of NVIDIA's driver 550 on
// vulkan.gpuinfo.org.
//   SIMULATED_LATENCY_MS=N     the driver reports when the screen shows a picture: N ms after it is presented
//   SIMULATED_16_BIT_SCREEN=1  swapchains support only 16-bit formats
//   SIMULATED_REFUSED=video    lists the extensions of Vulkan Video, but creates no device with them
//   SIMULATED_REFUSED=all      lists the same extensions, but creates a device only without extensions or
//                              with VK_KHR_swapchain alone
//   SIMULATED_HEAP=I:KIB       memory heap I has only KIB KiB; prints a line when an allocation in it fails
//   SIMULATED_SLOW=gpu:N       each submission to the GPU takes N ms longer
//   SIMULATED_SLOW=cpu:N       each picture that `batch` renders on the CPU takes N ms longer. As a side
//                              effect, reading a picture also takes longer.
#include <dlfcn.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))
#define REAL(function) reinterpret_cast<PFN_##function>(dlsym(RTLD_NEXT, #function))

namespace {

constexpr VkMemoryPropertyFlags Local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags Visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT;
constexpr VkMemoryPropertyFlags Coherent = VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags Cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkQueueFlags Transfer = VK_QUEUE_TRANSFER_BIT;
constexpr VkQueueFlags Compute = VK_QUEUE_COMPUTE_BIT | Transfer;
constexpr VkQueueFlags All = VK_QUEUE_GRAPHICS_BIT | Compute;
constexpr std::uint64_t MiB = 1 << 20;
constexpr std::uint32_t Many = 1 << 20;

struct Gpu {
  std::string_view id;
  const char* name;
  VkPhysicalDeviceType type;
  std::uint32_t storage_buffers;  ///< per shader stage
  std::uint32_t storage_range;    ///< bytes
  std::uint32_t image_size;
  std::uint32_t group_invocations;
  std::uint32_t group_count_x;
  std::uint32_t offset_alignment;  ///< of uniform and storage buffers
  std::vector<VkMemoryHeap> heaps;
  std::vector<VkMemoryType> types;
  std::vector<VkQueueFlags> families;
  std::vector<VkFormat> surface_formats;  ///< in the driver's order
};

/// The swapchain formats of Mesa's drivers, which share their X11 code, and of NVIDIA's driver.
const std::vector<VkFormat> MesaFormats = {VK_FORMAT_B8G8R8A8_SRGB, VK_FORMAT_B8G8R8A8_UNORM};
const std::vector<VkFormat> NvidiaFormats = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};

const std::vector<Gpu> Gpus = {
    {"pi5",
     "V3D 7.1.7 (simulated)",
     VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     8,
     1u << 30,
     4096,
     256,
     65535,
     256,
     {{4096 * MiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
     {{Local | Visible | Coherent, 0}},
     {All},
     MesaFormats},
    {"adreno",
     "Adreno 740 (simulated)",
     VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     24,
     1u << 27,
     16384,
     1024,
     65535,
     64,
     {{6144 * MiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
     {{Local | Visible | Coherent, 0}, {Local | Visible | Cached, 0}},
     {All},
     MesaFormats},
    {"uhd630",
     "Intel UHD Graphics 630 (simulated)",
     VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
     64,
     1u << 30,
     16384,
     1024,
     65535,
     64,
     {{12288 * MiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
     {{Local | Visible | Coherent | Cached, 0}},
     {All},
     MesaFormats},
    {"rtx4070",
     "NVIDIA GeForce RTX 4070 (simulated)",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     Many,
     UINT32_MAX,
     32768,
     1024,
     INT32_MAX,
     64,
     {{12282 * MiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT},
      {24000 * MiB, 0},
      {214 * MiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
     {{0, 1},
      {Local, 0},
      {Visible | Coherent, 1},
      {Visible | Coherent | Cached, 1},
      {Local | Visible | Coherent, 2}},
     {All, Transfer, Compute},
     NvidiaFormats},
    {"h200",
     "NVIDIA H200 (simulated)",
     VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
     Many,
     UINT32_MAX,
     32768,
     1024,
     INT32_MAX,
     64,
     {{143771 * MiB, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}, {96000 * MiB, 0}},
     {{0, 1},
      {Local, 0},
      {Visible | Coherent, 1},
      {Visible | Coherent | Cached, 1},
      {Local | Visible | Coherent, 0}},
     {All, Transfer, Compute},
     NvidiaFormats},
};

/// The index of the heap that SIMULATED_HEAP makes smaller; -1: none.
int small_heap() {
  const char* value = std::getenv("SIMULATED_HEAP");
  return value == nullptr ? -1 : std::atoi(value);
}

const Gpu& gpu() {
  static const Gpu Chosen = [] {
    const char* id = std::getenv("SIMULATED_GPU");
    const auto found = std::ranges::find(Gpus, std::string_view(id == nullptr ? "" : id), &Gpu::id);
    if (found == Gpus.end()) {
      std::fputs("set SIMULATED_GPU to pi5, adreno, uhd630, rtx4070 or h200\n", stderr);
      std::abort();
    }
    Gpu chosen = *found;
    if (const int heap = small_heap(); heap >= 0) {
      const std::string_view value = std::getenv("SIMULATED_HEAP");
      const char* kib = value.substr(value.find(':') + 1).data();
      chosen.heaps.at(static_cast<std::size_t>(heap)).size = std::strtoull(kib, nullptr, 10) * 1024;
    }
    return chosen;
  }();
  return Chosen;
}

struct Allocation {
  std::uint32_t type = 0;
  VkDeviceSize size = 0;
  std::byte* real = nullptr;             ///< the driver's mapping
  std::shared_ptr<std::byte> host_view;  ///< the host's own copy; null if HOST_COHERENT
};

constexpr std::array PresentExtensions = {VK_KHR_PRESENT_ID_EXTENSION_NAME,
                                          VK_KHR_PRESENT_WAIT_EXTENSION_NAME};

constexpr std::array VideoExtensions = {VK_KHR_VIDEO_QUEUE_EXTENSION_NAME,
                                        VK_KHR_VIDEO_DECODE_QUEUE_EXTENSION_NAME,
                                        VK_KHR_VIDEO_DECODE_H264_EXTENSION_NAME};

/// Returns the value of SIMULATED_REFUSED: "video", "all", or nothing.
std::string_view refused() {
  const char* value = std::getenv("SIMULATED_REFUSED");
  return value == nullptr ? "" : value;
}

/// Whether SIMULATED_REFUSED forbids creating a device with this extension.
bool is_refused(std::string_view extension) {
  const auto is_extension = [extension](const char* name) { return extension == name; };
  if (refused() == "all") return extension != VK_KHR_SWAPCHAIN_EXTENSION_NAME;
  return refused() == "video" && std::ranges::any_of(VideoExtensions, is_extension);
}

/// Returns the time from presentation until the simulated screen shows a picture. 0: the driver does not
/// report when pictures are shown.
int latency_ms() {
  const char* value = std::getenv("SIMULATED_LATENCY_MS");
  return value == nullptr ? 0 : std::atoi(value);
}

std::atomic<std::uint64_t> last_present_id = 0;

VkResult VKAPI_PTR wait_for_present(VkDevice, VkSwapchainKHR, std::uint64_t id, std::uint64_t timeout) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(timeout);
  while (last_present_id < id) {
    if (std::chrono::steady_clock::now() >= end) return VK_TIMEOUT;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(latency_ms()));
  return VK_SUCCESS;
}

/// Waits for the time that SIMULATED_SLOW gives for this engine, "gpu:" or "cpu:".
void be_slow(std::string_view engine) {
  const char* value = std::getenv("SIMULATED_SLOW");
  if (value == nullptr || !std::string_view(value).starts_with(engine)) return;
  std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(value + engine.size())));
}

std::mutex mutex;
std::map<VkDeviceMemory, Allocation> allocations;  // guarded by mutex

[[noreturn]] void fail(const char* what) {
  std::fprintf(stderr, "simulated GPU: %s\n", what);
  std::abort();
}

void simulate(VkPhysicalDeviceProperties& properties) {
  std::snprintf(properties.deviceName, sizeof properties.deviceName, "%s", gpu().name);
  properties.deviceType = gpu().type;
  VkPhysicalDeviceLimits& limits = properties.limits;
  limits.maxPerStageDescriptorStorageBuffers = gpu().storage_buffers;
  limits.maxStorageBufferRange = gpu().storage_range;
  limits.maxImageDimension2D = std::min(limits.maxImageDimension2D, gpu().image_size);
  limits.maxComputeWorkGroupInvocations = gpu().group_invocations;
  limits.maxComputeWorkGroupCount[0] = gpu().group_count_x;
  limits.minUniformBufferOffsetAlignment = limits.minStorageBufferOffsetAlignment = gpu().offset_alignment;
}

std::uint32_t type_bits(bool is_image) {
  std::uint32_t bits = 0;
  for (std::uint32_t type = 0; type < gpu().types.size(); ++type) {
    // On the discrete GPUs, all of which are NVIDIA's, images need memory that the host cannot map.
    const bool fits = !is_image || gpu().types.size() == 1 || gpu().types[type].propertyFlags == Local ||
                      gpu().type != VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
    if (fits) bits |= 1u << type;
  }
  return bits;
}

/// Copies each range from the memory to the host's view if `ToHost`, otherwise from the view to the memory.
template <bool ToHost>
VkResult synchronize(std::uint32_t count, const VkMappedMemoryRange* ranges) {
  const std::lock_guard lock(mutex);
  for (std::uint32_t i = 0; i < count; ++i) {
    Allocation& allocation = allocations.at(ranges[i].memory);
    if (!allocation.host_view) continue;
    const VkDeviceSize size =
        ranges[i].size == VK_WHOLE_SIZE ? allocation.size - ranges[i].offset : ranges[i].size;
    std::byte* host = allocation.host_view.get() + ranges[i].offset;
    std::byte* real = allocation.real + ranges[i].offset;
    std::memcpy(ToHost ? host : real, ToHost ? real : host, size);
  }
  return VK_SUCCESS;
}

void list_families(std::uint32_t* count, VkQueueFamilyProperties* families) {
  const auto available = static_cast<std::uint32_t>(gpu().families.size());
  if (families != nullptr) {
    *count = std::min(*count, available);
    for (std::uint32_t family = 0; family < *count; ++family) {
      families[family] = {gpu().families[family], 1, 64, {1, 1, 1}};
    }
  } else {
    *count = available;
  }
}

}  // namespace

EXPORT void vkGetPhysicalDeviceProperties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  static const auto Real = REAL(vkGetPhysicalDeviceProperties);
  Real(device, properties);
  simulate(*properties);
}

EXPORT void vkGetPhysicalDeviceProperties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  static const auto Real = REAL(vkGetPhysicalDeviceProperties2);
  Real(device, properties);
  simulate(properties->properties);
}

EXPORT void vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* memory) {
  *memory = {};
  memory->memoryHeapCount = static_cast<std::uint32_t>(gpu().heaps.size());
  std::ranges::copy(gpu().heaps, memory->memoryHeaps);
  memory->memoryTypeCount = static_cast<std::uint32_t>(gpu().types.size());
  std::ranges::copy(gpu().types, memory->memoryTypes);
}

EXPORT void vkGetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, std::uint32_t* count,
                                                     VkQueueFamilyProperties* families) {
  list_families(count, families);
}

EXPORT void vkGetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice device, std::uint32_t* count,
                                                      VkQueueFamilyProperties2* families) {
  static const auto Real = REAL(vkGetPhysicalDeviceQueueFamilyProperties2);
  if (refused().empty()) return Real(device, count, families);
  const auto decode_family = static_cast<std::uint32_t>(gpu().families.size());
  *count = decode_family + 1;
  for (std::uint32_t family = 0; families != nullptr && family < *count; ++family) {
    const bool decodes = family == decode_family;
    const VkQueueFlags flags = decodes ? VkQueueFlags{VK_QUEUE_VIDEO_DECODE_BIT_KHR} : gpu().families[family];
    families[family].queueFamilyProperties = {flags, 1, 64, {1, 1, 1}};
    auto* video = static_cast<VkQueueFamilyVideoPropertiesKHR*>(families[family].pNext);
    if (video != nullptr && decodes)
      video->videoCodecOperations = VK_VIDEO_CODEC_OPERATION_DECODE_H264_BIT_KHR;
  }
}

EXPORT VkResult vkGetPhysicalDeviceSurfaceSupportKHR(VkPhysicalDevice device, std::uint32_t family,
                                                     VkSurfaceKHR surface, VkBool32* supported) {
  static const auto Real = REAL(vkGetPhysicalDeviceSurfaceSupportKHR);
  const VkResult result = Real(device, 0, surface, supported);
  if ((gpu().families[family] & VK_QUEUE_GRAPHICS_BIT) == 0) *supported = VK_FALSE;
  return result;
}

EXPORT VkResult vkGetPhysicalDeviceSurfaceFormatsKHR(VkPhysicalDevice device, VkSurfaceKHR surface,
                                                     std::uint32_t* count, VkSurfaceFormatKHR* formats) {
  static const auto Real = REAL(vkGetPhysicalDeviceSurfaceFormatsKHR);
  std::vector<VkFormat> simulated = gpu().surface_formats;
  if (std::getenv("SIMULATED_16_BIT_SCREEN") != nullptr) simulated = {VK_FORMAT_R5G6B5_UNORM_PACK16};
  std::uint32_t real_count = 0;
  if (const VkResult result = Real(device, surface, &real_count, nullptr); result != VK_SUCCESS)
    return result;
  const auto available = static_cast<std::uint32_t>(simulated.size());
  *count = formats != nullptr ? std::min(*count, available) : available;
  for (std::uint32_t i = 0; formats != nullptr && i < *count; ++i) {
    formats[i] = {simulated[i], VK_COLOR_SPACE_SRGB_NONLINEAR_KHR};
  }
  return formats != nullptr && *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

EXPORT VkResult vkEnumerateDeviceExtensionProperties(VkPhysicalDevice device, const char* layer,
                                                     std::uint32_t* count,
                                                     VkExtensionProperties* extensions) {
  static const auto Real = REAL(vkEnumerateDeviceExtensionProperties);
  std::uint32_t real = 0;
  Real(device, layer, &real, nullptr);
  std::vector<VkExtensionProperties> all(real);
  Real(device, layer, &real, all.data());
  const auto add = [&all](const auto& names) {
    for (const char* name : names)
      std::snprintf(all.emplace_back().extensionName, VK_MAX_EXTENSION_NAME_SIZE, "%s", name);
  };
  if (latency_ms() > 0) add(PresentExtensions);
  if (!refused().empty()) add(VideoExtensions);
  const auto available = static_cast<std::uint32_t>(all.size());
  *count = extensions != nullptr ? std::min(*count, available) : available;
  if (extensions != nullptr) std::copy_n(all.begin(), *count, extensions);
  return extensions != nullptr && *count < available ? VK_INCOMPLETE : VK_SUCCESS;
}

EXPORT void vkGetPhysicalDeviceFeatures2(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  static const auto Real = REAL(vkGetPhysicalDeviceFeatures2);
  auto* next = static_cast<VkBaseOutStructure*>(features->pNext);
  if (latency_ms() > 0 && next != nullptr &&
      next->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR) {
    auto* id = reinterpret_cast<VkPhysicalDevicePresentIdFeaturesKHR*>(next);
    id->presentId = VK_TRUE;
    static_cast<VkPhysicalDevicePresentWaitFeaturesKHR*>(id->pNext)->presentWait = VK_TRUE;
    return;
  }
  Real(device, features);
}

EXPORT PFN_vkVoidFunction vkGetDeviceProcAddr(VkDevice device, const char* name) {
  static const auto Real = REAL(vkGetDeviceProcAddr);
  if (latency_ms() > 0 && std::string_view(name) == "vkWaitForPresentKHR") {
    return reinterpret_cast<PFN_vkVoidFunction>(wait_for_present);
  }
  return Real(device, name);
}

EXPORT VkResult vkQueuePresentKHR(VkQueue queue, const VkPresentInfoKHR* present) {
  static const auto Real = REAL(vkQueuePresentKHR);
  VkPresentInfoKHR plain = *present;
  if (const auto* id = static_cast<const VkPresentIdKHR*>(present->pNext); id != nullptr) {
    if (id->sType != VK_STRUCTURE_TYPE_PRESENT_ID_KHR) fail("unknown structure in VkPresentInfoKHR");
    last_present_id = id->pPresentIds[0];
    plain.pNext = nullptr;
  }
  return Real(queue, &plain);
}

EXPORT VkResult vkQueueSubmit2(VkQueue queue, std::uint32_t count, const VkSubmitInfo2* submits,
                               VkFence fence) {
  static const auto Real = REAL(vkQueueSubmit2);
  be_slow("gpu:");
  return Real(queue, count, submits, fence);
}

/// Replaces std::condition_variable::notify_all(), to add the delay of SIMULATED_SLOW=cpu. The CPU renderer
/// calls notify_all() once for a small picture, and the GPU renderer never calls it.
EXPORT void _ZNSt18condition_variable10notify_allEv(void* variable) {  // NOLINT(bugprone-reserved-identifier)
  static const auto Real =
      reinterpret_cast<void (*)(void*)>(dlsym(RTLD_NEXT, "_ZNSt18condition_variable10notify_allEv"));
  std::array<char, 16> thread{};
  pthread_getname_np(pthread_self(), thread.data(), thread.size());
  if (std::string_view(thread.data()).starts_with("batch")) be_slow("cpu:");
  Real(variable);
}

EXPORT VkResult vkCreateDevice(VkPhysicalDevice device, const VkDeviceCreateInfo* create,
                               const VkAllocationCallbacks* allocator, VkDevice* made) {
  static const auto Real = REAL(vkCreateDevice);
  const char* const* const names = create->ppEnabledExtensionNames;
  if (std::any_of(names, names + create->enabledExtensionCount, is_refused))
    return VK_ERROR_INITIALIZATION_FAILED;
  VkDeviceQueueCreateInfo queue = create->pQueueCreateInfos[0];
  queue.queueFamilyIndex = 0;
  VkDeviceCreateInfo one_queue = *create;
  one_queue.queueCreateInfoCount = 1;
  one_queue.pQueueCreateInfos = &queue;
  // The real driver may not support PresentExtensions, so do not pass them on.
  std::vector<const char*> extensions(create->ppEnabledExtensionNames,
                                      create->ppEnabledExtensionNames + create->enabledExtensionCount);
  std::erase_if(extensions, [](std::string_view name) {
    return std::ranges::find(PresentExtensions, name) != PresentExtensions.end();
  });
  one_queue.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  one_queue.ppEnabledExtensionNames = extensions.data();
  for (auto* each = static_cast<VkBaseOutStructure*>(const_cast<void*>(create->pNext)); each != nullptr;
       each = each->pNext) {
    if (each->pNext != nullptr &&
        each->pNext->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR) {
      each->pNext = each->pNext->pNext->pNext;
    }
  }
  return Real(device, &one_queue, allocator, made);
}

EXPORT void vkGetDeviceQueue(VkDevice device, std::uint32_t, std::uint32_t, VkQueue* queue) {
  static const auto Real = REAL(vkGetDeviceQueue);
  Real(device, 0, 0, queue);
}

EXPORT VkResult vkCreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* create,
                                    const VkAllocationCallbacks* allocator, VkCommandPool* pool) {
  static const auto Real = REAL(vkCreateCommandPool);
  VkCommandPoolCreateInfo in_family = *create;
  in_family.queueFamilyIndex = 0;
  return Real(device, &in_family, allocator, pool);
}

EXPORT void vkGetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                          VkMemoryRequirements* requirements) {
  static const auto Real = REAL(vkGetBufferMemoryRequirements);
  Real(device, buffer, requirements);
  requirements->memoryTypeBits = type_bits(false);
}

EXPORT void vkGetImageMemoryRequirements(VkDevice device, VkImage image, VkMemoryRequirements* requirements) {
  static const auto Real = REAL(vkGetImageMemoryRequirements);
  Real(device, image, requirements);
  requirements->memoryTypeBits = type_bits(true);
}

EXPORT VkResult vkAllocateMemory(VkDevice device, const VkMemoryAllocateInfo* allocate,
                                 const VkAllocationCallbacks* allocator, VkDeviceMemory* memory) {
  static const auto Real = REAL(vkAllocateMemory);
  const std::lock_guard lock(mutex);
  if (allocate->memoryTypeIndex >= gpu().types.size()) fail("an allocation has an unknown memory type");
  const std::uint32_t heap = gpu().types[allocate->memoryTypeIndex].heapIndex;
  VkDeviceSize used = allocate->allocationSize;
  for (const auto& [handle, allocation] : allocations) {
    if (gpu().types[allocation.type].heapIndex == heap) used += allocation.size;
  }
  if (used > gpu().heaps[heap].size) {
    if (static_cast<int>(heap) == small_heap())
      std::fprintf(stderr, "simulated GPU: heap %u is full\n", heap);
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  VkMemoryAllocateInfo real = *allocate;
  real.memoryTypeIndex = 0;
  const VkResult result = Real(device, &real, allocator, memory);
  if (result == VK_SUCCESS) {
    allocations[*memory] = {.type = allocate->memoryTypeIndex, .size = allocate->allocationSize};
  }
  return result;
}

EXPORT void vkFreeMemory(VkDevice device, VkDeviceMemory memory, const VkAllocationCallbacks* allocator) {
  static const auto Real = REAL(vkFreeMemory);
  {
    const std::lock_guard lock(mutex);
    allocations.erase(memory);
  }
  Real(device, memory, allocator);
}

EXPORT VkResult vkMapMemory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset, VkDeviceSize size,
                            VkMemoryMapFlags flags, void** mapped) {
  static const auto Real = REAL(vkMapMemory);
  const std::lock_guard lock(mutex);
  Allocation& allocation = allocations.at(memory);
  const VkMemoryPropertyFlags properties = gpu().types[allocation.type].propertyFlags;
  if ((properties & Visible) == 0) fail("memory without HOST_VISIBLE is mapped");
  const VkResult result = Real(device, memory, offset, size, flags, mapped);
  if (result != VK_SUCCESS || (properties & Coherent) != 0) return result;
  if (offset != 0) fail("memory without HOST_COHERENT can be mapped only from offset 0");
  allocation.real = static_cast<std::byte*>(*mapped);
  constexpr VkDeviceSize Page = 4096;
  const VkDeviceSize whole = (allocation.size + Page - 1) / Page * Page;
  allocation.host_view.reset(static_cast<std::byte*>(std::aligned_alloc(Page, whole)), std::free);
  std::memset(allocation.host_view.get(), 0xCD, whole);
  *mapped = allocation.host_view.get();
  return result;
}

EXPORT VkResult vkFlushMappedMemoryRanges(VkDevice, std::uint32_t count, const VkMappedMemoryRange* ranges) {
  return synchronize<false>(count, ranges);
}

EXPORT VkResult vkInvalidateMappedMemoryRanges(VkDevice, std::uint32_t count,
                                               const VkMappedMemoryRange* ranges) {
  return synchronize<true>(count, ranges);
}
