#include "gpu/device/physical_device.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/device/vulkan_result.h"

namespace glyphreel::gpu {
namespace {

DeviceKind kind_of(VkPhysicalDeviceType type) {
  static_assert(static_cast<int>(DeviceKind::Integrated) == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU &&
                static_cast<int>(DeviceKind::Discrete) == VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU &&
                static_cast<int>(DeviceKind::Virtual) == VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU &&
                static_cast<int>(DeviceKind::Cpu) == VK_PHYSICAL_DEVICE_TYPE_CPU);
  return type <= VK_PHYSICAL_DEVICE_TYPE_CPU ? static_cast<DeviceKind>(type) : DeviceKind::Other;
}

/// Returns the size of the largest device-local heap in bytes.
std::uint64_t local_memory(VkPhysicalDevice device) {
  VkPhysicalDeviceMemoryProperties memory{};
  vkGetPhysicalDeviceMemoryProperties(device, &memory);
  std::uint64_t largest = 0;
  for (std::uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) == 0) continue;
    largest = std::max<std::uint64_t>(largest, memory.memoryHeaps[i].size);
  }
  return largest;
}

/// Selects the first queue family that supports everything required; if there is none, `facts` shows what is
/// missing.
void examine_queues(PhysicalDevice& device, DeviceFacts& facts, VkSurfaceKHR surface) {
  const auto families =
      list_all<VkQueueFamilyProperties>(vkGetPhysicalDeviceQueueFamilyProperties, device.handle);
  constexpr VkQueueFlags Needed = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  facts.presents = surface == VK_NULL_HANDLE;
  for (std::uint32_t family = 0; family < families.size(); ++family) {
    if ((families[family].queueFlags & Needed) != Needed) continue;
    facts.graphics_and_compute = true;
    if (surface != VK_NULL_HANDLE) {
      VkBool32 presents = VK_FALSE;
      vkGetPhysicalDeviceSurfaceSupportKHR(device.handle, family, surface, &presents);
      if (presents != VK_TRUE) continue;
      facts.presents = true;
    }
    device.queue_family = family;
    device.timestamp_bits = families[family].timestampValidBits;
    return;
  }
}

}  // namespace

std::vector<std::string> device_extensions(VkPhysicalDevice device) {
  const auto extensions = list_all<VkExtensionProperties>(vkEnumerateDeviceExtensionProperties, device,
                                                          static_cast<const char*>(nullptr));
  std::vector<std::string> names;
  for (const VkExtensionProperties& extension : extensions) names.emplace_back(extension.extensionName);
  return names;
}

bool has_extension(VkPhysicalDevice device, const char* name) {
  const std::vector<std::string> names = device_extensions(device);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<QueueFamily> video_families(VkPhysicalDevice device) {
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties2(device, &count, nullptr);
  std::vector<VkQueueFamilyVideoPropertiesKHR> video(
      count, {VK_STRUCTURE_TYPE_QUEUE_FAMILY_VIDEO_PROPERTIES_KHR, nullptr, 0});
  std::vector<VkQueueFamilyProperties2> properties(count);
  for (std::uint32_t index = 0; index < count; ++index) {
    properties[index] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, &video[index], {}};
  }
  vkGetPhysicalDeviceQueueFamilyProperties2(device, &count, properties.data());
  std::vector<QueueFamily> families;
  for (std::uint32_t index = 0; index < count; ++index) {
    families.push_back(
        {index, properties[index].queueFamilyProperties.queueFlags, video[index].videoCodecOperations});
  }
  return families;
}

PhysicalDevice examine(VkPhysicalDevice handle, VkSurfaceKHR surface, int index) {
  PhysicalDevice device{.handle = handle};
  VkPhysicalDeviceProperties properties{};
  vkGetPhysicalDeviceProperties(handle, &properties);
  DeviceListing& listing = device.listing;
  listing.index = index;
  listing.name = properties.deviceName;
  listing.kind = kind_of(properties.deviceType);
  listing.api_version =
      fmt::format("{}.{}.{}", VK_API_VERSION_MAJOR(properties.apiVersion),
                  VK_API_VERSION_MINOR(properties.apiVersion), VK_API_VERSION_PATCH(properties.apiVersion));
  listing.memory_bytes = local_memory(handle);

  DeviceFacts facts{.api_version = properties.apiVersion, .kind = listing.kind};
  facts.storage_buffers = properties.limits.maxPerStageDescriptorStorageBuffers;
  facts.group_invocations = std::min(properties.limits.maxComputeWorkGroupInvocations,
                                     properties.limits.maxComputeWorkGroupSize[0]);
  facts.fragment_resources = properties.limits.maxFragmentCombinedOutputResources;
  if (properties.apiVersion >= VK_API_VERSION_1_3) {  // older drivers do not know these structures
    VkPhysicalDeviceDriverProperties driver{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 more{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    more.pNext = &driver;
    VkPhysicalDeviceIDProperties id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES};
    driver.pNext = &id;
    vkGetPhysicalDeviceProperties2(handle, &more);
    listing.uuid = fmt::format("{:02x}", fmt::join(id.deviceUUID, ""));
    listing.driver = fmt::format("{} {}", driver.driverName, driver.driverInfo);

    VkPhysicalDeviceVulkan13Features features_13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features features_12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    features_12.pNext = &features_13;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
    features.pNext = &features_12;
    vkGetPhysicalDeviceFeatures2(handle, &features);
    facts.timeline_semaphore = features_12.timelineSemaphore == VK_TRUE;
    facts.synchronization2 = features_13.synchronization2 == VK_TRUE;
    facts.dynamic_rendering = features_13.dynamicRendering == VK_TRUE;
    facts.maintenance4 = features_13.maintenance4 == VK_TRUE;
  }
  facts.swapchain = surface == VK_NULL_HANDLE || has_extension(handle, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  examine_queues(device, facts, surface);
  listing.reason = reason_against(facts);
  listing.score = score_of(facts);
  return device;
}

}  // namespace glyphreel::gpu
