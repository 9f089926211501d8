#include "gpu/device/device.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/io/log.h"
#include "gpu/device/loader.h"
#include "gpu/device/pipeline_cache.h"
#include "gpu/device/vulkan_result.h"

namespace glyphreel::gpu {

std::vector<DeviceListing> list_devices() {
  Result<std::unique_ptr<Instance>> instance = Instance::make({}, Validation::Off);
  if (!instance) return {};
  std::vector<DeviceListing> listings;
  for (const VkPhysicalDevice physical : (*instance)->physical_devices()) {
    listings.push_back(examine(physical, VK_NULL_HANDLE, static_cast<int>(listings.size())).listing);
  }
  return listings;
}

namespace {

bool wants_gpu_shaders(ShaderTuning tuning) {
  if (tuning == ShaderTuning::Gpu) return true;
  const char* value = std::getenv("GLYPHREEL_SHADERS");
  return value != nullptr && std::string_view(value) == "gpu";
}

}  // namespace

Result<std::shared_ptr<Device>> Device::make(const DeviceOptions& options) {
  std::shared_ptr<Device> device(new Device);
  TRY_ASSIGN(device->instance_, Instance::make(options.instance_extensions, options.validation));
  if (options.make_surface) {
    TRY_ASSIGN(device->surface_, options.make_surface(device->instance_->handle()));
  }
  std::vector<PhysicalDevice> candidates;
  std::vector<DeviceListing> listings;
  for (const VkPhysicalDevice physical : device->instance_->physical_devices()) {
    candidates.push_back(examine(physical, device->surface_, static_cast<int>(candidates.size())));
    const DeviceListing& listing = candidates.back().listing;
    listings.push_back(listing);
    log::debug("GPU {}: {} ({}), score {}{}{}", listing.index, listing.name, kind_name(listing.kind),
               listing.score, listing.reason.empty() ? "" : ": ", listing.reason);
  }
  const bool has_preference = options.make_surface || std::getenv("DRI_PRIME") != nullptr ||
                              std::getenv("MESA_VK_DEVICE_SELECT") != nullptr;
  TRY_ASSIGN(const std::size_t chosen,
             choose_device(listings, options.selector,
                           has_preference ? DevicePreference::Display : DevicePreference::Fastest));
  device->physical_ = candidates[chosen];
  device->on_pipeline_ = options.on_pipeline;
  device->has_gpu_shaders_ = !device->is_software() || wants_gpu_shaders(options.shaders);
  TRY(device->create_logical());
  return device;
}

namespace {

// The timeout of one vkWaitSemaphores() call: longer than any frame takes, except on slow software drivers.
constexpr std::uint64_t LongWaitNs = 500'000'000;
// A GPU that is still busy after 16 waits (8 s) is assumed to hang. Most drivers reset a hung GPU after 2 to
// 10 s.
constexpr int MaxLongWaits = 16;

/// Extensions for importing hardware decoders' frames; each is enabled if the driver supports it.
constexpr std::array OptionalExtensions = {
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,      VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME,
    VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME, VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME,
    VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME,    VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME};
constexpr const char* PortabilitySubset = "VK_KHR_portability_subset";

/// Whether the device reports when the screen shows a presented image (VK_KHR_present_wait).
bool reports_presents(VkPhysicalDevice device) {
  VkPhysicalDevicePresentIdFeaturesKHR id{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_ID_FEATURES_KHR};
  VkPhysicalDevicePresentWaitFeaturesKHR wait{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRESENT_WAIT_FEATURES_KHR};
  VkPhysicalDeviceFeatures2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  all.pNext = &id;
  id.pNext = &wait;
  vkGetPhysicalDeviceFeatures2(device, &all);
  return id.presentId == VK_TRUE && wait.presentWait == VK_TRUE;
}

}  // namespace

void Device::choose_features() {
  // FFmpeg's Vulkan decoders create images that need sampler Y'CbCr conversion. Not every driver supports it,
  // so it is enabled only if available.
  VkPhysicalDeviceFeatures2 available{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2};
  VkPhysicalDeviceVulkan11Features available_11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES};
  available.pNext = &available_11;
  vkGetPhysicalDeviceFeatures2(physical(), &available);
  features_.v11.samplerYcbcrConversion = available_11.samplerYcbcrConversion;
  features_.v12.uniformBufferStandardLayout = VK_TRUE;  // every Vulkan 1.2 driver supports this
  // Features that reason_against() requires.
  features_.v12.timelineSemaphore = VK_TRUE;
  features_.v13.synchronization2 = VK_TRUE;
  features_.v13.dynamicRendering = VK_TRUE;
  features_.v13.maintenance4 = VK_TRUE;
  features_.all.pNext = &features_.v11;
  features_.v11.pNext = &features_.v12;
  features_.v12.pNext = &features_.v13;
  features_.present_id.presentId = VK_TRUE;
  features_.present_wait.presentWait = VK_TRUE;
  features_.present_id.pNext = &features_.present_wait;
  features_.executables.pipelineExecutableInfo = VK_TRUE;
}

VkResult Device::create_device(Extras extras) {
  const std::vector<std::string> available = device_extensions(physical());
  const auto is_available = [&](const char* name) {
    return std::find(available.begin(), available.end(), name) != available.end();
  };
  extensions_.clear();
  if (surface_ != VK_NULL_HANDLE) extensions_.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  // The specification requires enabling this extension if the device lists it.
  if (is_available(PortabilitySubset)) extensions_.push_back(PortabilitySubset);
  if (extras != Extras::None) {
    std::ranges::copy_if(OptionalExtensions, std::back_inserter(extensions_), is_available);
  }
  const bool reports = surface_ != VK_NULL_HANDLE && extras != Extras::None &&
                       is_available(VK_KHR_PRESENT_WAIT_EXTENSION_NAME) &&
                       is_available(VK_KHR_PRESENT_ID_EXTENSION_NAME) && reports_presents(physical());
  if (reports) {
    extensions_.insert(extensions_.end(),
                       {VK_KHR_PRESENT_ID_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_EXTENSION_NAME});
  }
  features_.v13.pNext = reports ? &features_.present_id : nullptr;
  if (on_pipeline_ && is_available(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME)) {
    extensions_.push_back(VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME);
    features_.executables.pNext = std::exchange(features_.v13.pNext, &features_.executables);
  }
  video_ = {};
  if (extras == Extras::All && is_available(VK_KHR_VIDEO_QUEUE_EXTENSION_NAME)) {
    video_ = plan_video(available, video_families(physical()), queue_family());
    extensions_.insert(extensions_.end(), video_.extensions.begin(), video_.extensions.end());
  }
  other_queues_.clear();

  const float priority = 1.0F;
  VkDeviceQueueCreateInfo own{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  own.queueFamilyIndex = queue_family();
  own.queueCount = 1;
  own.pQueuePriorities = &priority;
  std::vector<VkDeviceQueueCreateInfo> queues = {own};
  for (const QueueFamily& family : video_.families) {
    if (family.index == queue_family()) continue;
    queues.push_back(own);
    queues.back().queueFamilyIndex = family.index;
    other_queues_.try_emplace(family.index);
  }

  VkDeviceCreateInfo create{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  create.pNext = &features_.all;
  create.queueCreateInfoCount = static_cast<std::uint32_t>(queues.size());
  create.pQueueCreateInfos = queues.data();
  create.enabledExtensionCount = static_cast<std::uint32_t>(extensions_.size());
  create.ppEnabledExtensionNames = extensions_.data();
  const MutexLock lock(loader_mutex);
  const VkResult result = vkCreateDevice(physical(), &create, nullptr, &device_);
  if (result != VK_SUCCESS) device_ = VK_NULL_HANDLE;
  return result;
}

Result<void> Device::create_logical() {
  vkGetPhysicalDeviceProperties(physical(), &properties_);
  vkGetPhysicalDeviceMemoryProperties(physical(), &memory_);
  choose_features();
  // Some drivers list video queues or extensions, but fail to create a device that uses them. So after a
  // failure, try again with fewer queues and extensions.
  VkResult result = VK_SUCCESS;
  for (const Extras extras : {Extras::All, Extras::NoVideo, Extras::None}) {
    result = create_device(extras);
    if (result == VK_SUCCESS) break;
    log::debug("{} {}: {}", name(),
               extras == Extras::None ? "cannot be opened" : "is opened with fewer extensions",
               vulkan_error(result, "vkCreateDevice").cause);
  }
  if (result != VK_SUCCESS) {
    Error error = vulkan_error(result, "vkCreateDevice");
    error.code = ErrorCode::NoDevice;
    error.message = fmt::format("{} could not be opened; use --renderer cpu.", name());
    return error;
  }
  if (instance_->has_debug_utils()) debug_.load(instance(), device_);
  {
    const MutexLock lock(queue_mutex_);
    vkGetDeviceQueue(device_, queue_family(), 0, &queue_);
  }
  VkSemaphoreTypeCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO};
  timeline.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE;
  VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  semaphore.pNext = &timeline;
  VK_TRY(*this, vkCreateSemaphore(device_, &semaphore, nullptr, &timeline_));
  debug_.name(VK_OBJECT_TYPE_SEMAPHORE, object_id(timeline_), "queue timeline");
  pipeline_cache_ = open_pipeline_cache(device_, properties_);
  log::debug("{}: frames are read {}", name(), description_of(memory_policy()));
  return {};
}

Device::~Device() {
  if (device_ != VK_NULL_HANDLE) {
    wait_idle();
    {
      const MutexLock lock(shared_mutex_);
      shared_.reset();  // adds its objects to retired_
    }
    retired_.destroy_all(device_);
    save_pipeline_cache(device_, properties_, pipeline_cache_);
    vkDestroyPipelineCache(device_, pipeline_cache_, nullptr);
    vkDestroySemaphore(device_, timeline_, nullptr);
    const MutexLock lock(loader_mutex);
    vkDestroyDevice(device_, nullptr);
  }
  if (surface_ != VK_NULL_HANDLE) vkDestroySurfaceKHR(instance_->handle(), surface_, nullptr);
}

VkSurfaceKHR Device::take_surface() {
  return std::exchange(surface_, static_cast<VkSurfaceKHR>(VK_NULL_HANDLE));
}

Error Device::fail(VkResult result, const char* call) {
  if (result == VK_ERROR_DEVICE_LOST) lost_.store(true, std::memory_order_relaxed);
  return vulkan_error(result, call);
}

std::vector<std::uint32_t> Device::memory_types(std::uint32_t type_bits, VkMemoryPropertyFlags needed,
                                                VkMemoryPropertyFlags preferred) const {
  std::vector<std::uint32_t> types;
  // Memory types with one of these flags are skipped. They require device features or kinds of resources that
  // this program does not use.
  constexpr VkMemoryPropertyFlags Special =
      VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT | VK_MEMORY_PROPERTY_PROTECTED_BIT |
      VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD | VK_MEMORY_PROPERTY_DEVICE_UNCACHED_BIT_AMD;
  const auto has = [&](std::uint32_t type, VkMemoryPropertyFlags flags) {
    return (memory_.memoryTypes[type].propertyFlags & flags) == flags;
  };
  for (std::uint32_t type = 0; type < memory_.memoryTypeCount; ++type) {
    if ((memory_.memoryTypes[type].propertyFlags & Special) != 0) continue;
    if ((type_bits >> type & 1u) != 0 && has(type, needed)) types.push_back(type);
  }
  std::stable_partition(types.begin(), types.end(), [&](std::uint32_t type) { return has(type, preferred); });
  return types;
}

Result<std::uint64_t> Device::submit(const Submission& submission) {
  if (is_lost()) return fail(VK_ERROR_DEVICE_LOST, "vkQueueSubmit2");
  struct Batch {
    VkCommandBufferSubmitInfo commands{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO};
    std::vector<VkSemaphoreSubmitInfo> waits, signals;
  };
  const auto point = [](VkSemaphore semaphore, std::uint64_t value, VkPipelineStageFlags2 stage) {
    VkSemaphoreSubmitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO};
    info.semaphore = semaphore;
    info.value = value;
    info.stageMask = stage;
    return info;
  };
  std::vector<Batch> batches(submission.commands.size());
  for (std::size_t i = 0; i < batches.size(); ++i) batches[i].commands.commandBuffer = submission.commands[i];
  Batch& first = batches.front();
  Batch& last = batches.back();
  for (const TimelinePoint& at : submission.waits) {
    first.waits.push_back(point(at.semaphore, at.value, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT));
  }
  for (const TimelinePoint& at : submission.signals) {
    first.signals.push_back(point(at.semaphore, at.value, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  }
  if (submission.wait != VK_NULL_HANDLE) {
    last.waits.push_back(point(submission.wait, 0, VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT));
  }
  if (submission.signal != VK_NULL_HANDLE) {
    last.signals.push_back(point(submission.signal, 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  }
  last.signals.push_back(point(timeline_, 0, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));

  std::vector<VkSubmitInfo2> submits;
  for (const Batch& batch : batches) {
    VkSubmitInfo2 submit{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    submit.waitSemaphoreInfoCount = static_cast<std::uint32_t>(batch.waits.size());
    submit.pWaitSemaphoreInfos = batch.waits.data();
    submit.commandBufferInfoCount = 1;
    submit.pCommandBufferInfos = &batch.commands;
    submit.signalSemaphoreInfoCount = static_cast<std::uint32_t>(batch.signals.size());
    submit.pSignalSemaphoreInfos = batch.signals.data();
    submits.push_back(submit);
  }
  const MutexLock lock(queue_mutex_);
  const std::uint64_t value = submitted_.load() + 1;
  last.signals.back().value = value;
  VK_TRY(*this,
         vkQueueSubmit2(queue_, static_cast<std::uint32_t>(submits.size()), submits.data(), VK_NULL_HANDLE));
  submitted_.store(value);
  return value;
}

VkResult Device::present(const VkPresentInfoKHR& present) {
  const MutexLock lock(queue_mutex_);
  return vkQueuePresentKHR(queue_, &present);
}

Mutex& Device::mutex_of(std::uint32_t family) {
  if (family == queue_family()) return queue_mutex_;
  const auto other = other_queues_.find(family);
  CHECK(other != other_queues_.end(), "the device was not opened with this queue family");
  return other->second;
}

void Device::lock_queue(std::uint32_t family) {
  mutex_of(family).lock();
}

void Device::unlock_queue(std::uint32_t family) {
  mutex_of(family).unlock();
}

Result<void> Device::wait(std::uint64_t value) {
  // The timeline of a lost device does not advance anymore.
  if (is_lost()) return fail(VK_ERROR_DEVICE_LOST, "vkWaitSemaphores");
  VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO};
  wait.semaphoreCount = 1;
  wait.pSemaphores = &timeline_;
  wait.pValues = &value;
  for (int waits = 1;; ++waits) {
    const VkResult result = vkWaitSemaphores(device_, &wait, LongWaitNs);
    if (result != VK_TIMEOUT) {
      VK_TRY(*this, result);
      return {};
    }
    if (waits == MaxLongWaits && !is_software()) {
      log::warn("{} has not finished a frame for {} s.", name(), MaxLongWaits * LongWaitNs / 1'000'000'000);
      hung_.store(true, std::memory_order_relaxed);
      return fail(VK_ERROR_DEVICE_LOST, "vkWaitSemaphores");
    }
    std::vector<std::weak_ptr<Signaler>> signalers;
    {
      const MutexLock lock(signalers_mutex_);
      signalers = signalers_;
    }
    for (const std::weak_ptr<Signaler>& each : signalers) {
      if (const std::shared_ptr<Signaler> signaler = each.lock()) signaler->signal_abandoned();
    }
  }
}

void Device::register_signaler(std::weak_ptr<Signaler> signaler) {
  const MutexLock lock(signalers_mutex_);
  std::erase_if(signalers_, [](const std::weak_ptr<Signaler>& each) { return each.expired(); });
  signalers_.push_back(std::move(signaler));
}

void Device::wait_idle() {
  // This wait ends even if a CUDA stream fails and leaves a semaphore unsignaled: wait() then calls the
  // stream's Signaler, which signals the semaphore.
  static_cast<void>(wait(submitted_.load()));
  if (is_lost()) return;  // a hung queue would never become idle
  const MutexLock lock(queue_mutex_);
  vkQueueWaitIdle(queue_);
}

void Device::free_retired() {
  std::uint64_t done = 0;
  // The call fails only if the device is lost; then no submitted work is running anymore.
  if (vkGetSemaphoreCounterValue(device_, timeline_, &done) != VK_SUCCESS) done = submitted_.load();
  retired_.destroy_unused(device_, submitted_, done,
                          is_software() ? RetiredObjects::Buffers::Kept : RetiredObjects::Buffers::Destroyed);
}

}  // namespace glyphreel::gpu
