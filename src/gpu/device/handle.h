#pragma once

#include <vulkan/vulkan.h>

#include <utility>

#include "gpu/device/device.h"
#include "gpu/device/vulkan_result.h"

namespace glyphreel::gpu {

/// Owns one Vulkan object. `DestroyObject` is the function that destroys it, such as vkDestroyBuffer. The
/// destructor hands the object to the device, which destroys it once the GPU is done with everything that may
/// use it. The Device must outlive the Handle.
template <typename T, VkObjectType Type, auto DestroyObject>
class Handle {
 public:
  Handle() = default;
  Handle(Device& device, T object) : device_(&device), object_(object) {}
  ~Handle() {
    if (object_ == T{}) return;
    device_->retired().add(Type, object_id(object_), [](VkDevice device, std::uint64_t object) {
      DestroyObject(device, object_of<T>(object), nullptr);
    });
  }
  Handle(Handle&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), object_(std::exchange(other.object_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(object_, other.object_);
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  /// Creates the object by calling `function`, such as vkCreateBuffer. See VK_CREATE.
  template <typename Info>
  [[nodiscard]] VkResult create(Device& device,
                                VkResult(VKAPI_PTR* function)(VkDevice, const Info*,
                                                              const VkAllocationCallbacks*, T*),
                                const Info& info) {
    T object{};
    const VkResult result = function(device.handle(), &info, nullptr, &object);
    if (result == VK_SUCCESS) *this = Handle(device, object);
    return result;
  }

  [[nodiscard]] T get() const { return object_; }
  [[nodiscard]] explicit operator bool() const { return object_ != T{}; }
  void name(const char* text) const { device_->debug().name(Type, object_id(object_), text); }

 private:
  Device* device_ = nullptr;
  T object_{};
};

using BufferHandle = Handle<VkBuffer, VK_OBJECT_TYPE_BUFFER, vkDestroyBuffer>;
using ImageHandle = Handle<VkImage, VK_OBJECT_TYPE_IMAGE, vkDestroyImage>;
using ImageViewHandle = Handle<VkImageView, VK_OBJECT_TYPE_IMAGE_VIEW, vkDestroyImageView>;
using MemoryHandle = Handle<VkDeviceMemory, VK_OBJECT_TYPE_DEVICE_MEMORY, vkFreeMemory>;
using ShaderModuleHandle = Handle<VkShaderModule, VK_OBJECT_TYPE_SHADER_MODULE, vkDestroyShaderModule>;
using PipelineHandle = Handle<VkPipeline, VK_OBJECT_TYPE_PIPELINE, vkDestroyPipeline>;
using PipelineLayoutHandle =
    Handle<VkPipelineLayout, VK_OBJECT_TYPE_PIPELINE_LAYOUT, vkDestroyPipelineLayout>;
using SetLayoutHandle =
    Handle<VkDescriptorSetLayout, VK_OBJECT_TYPE_DESCRIPTOR_SET_LAYOUT, vkDestroyDescriptorSetLayout>;
using DescriptorPoolHandle =
    Handle<VkDescriptorPool, VK_OBJECT_TYPE_DESCRIPTOR_POOL, vkDestroyDescriptorPool>;
using CommandPoolHandle = Handle<VkCommandPool, VK_OBJECT_TYPE_COMMAND_POOL, vkDestroyCommandPool>;
using SemaphoreHandle = Handle<VkSemaphore, VK_OBJECT_TYPE_SEMAPHORE, vkDestroySemaphore>;
using QueryPoolHandle = Handle<VkQueryPool, VK_OBJECT_TYPE_QUERY_POOL, vkDestroyQueryPool>;

}  // namespace glyphreel::gpu

/// Creates the object of a Handle by calling `function`, such as vkCreateBuffer. If the call fails, the
/// enclosing function returns the call's error.
#define VK_CREATE(device, handle, function, info)                                                  \
  do {                                                                                             \
    if (const VkResult vk_result = (handle).create((device), (function), (info)); vk_result < 0) { \
      return (device).fail(vk_result, #function);                                                  \
    }                                                                                              \
  } while (false)
