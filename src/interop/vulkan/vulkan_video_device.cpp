#include "interop/vulkan/vulkan_video_device.h"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpu/device/loader.h"

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_vulkan.h>
}

namespace glyphreel::interop {
namespace {

using media::BufferRef;

/// The objects that FFmpeg's device context keeps alive.
struct Shared {
  std::shared_ptr<gpu::Device> device;
  std::vector<const char*> extensions;
};

Shared& shared_of(const AVHWDeviceContext* context) {
  return *static_cast<Shared*>(context->user_opaque);
}

/// Returns only the extensions that FFmpeg needs. Given all enabled extensions, FFmpeg would tile its frames
/// with DRM format modifiers and make the frames' memory exportable; either may be slower.
std::vector<const char*> extensions_of(const gpu::Device& device) {
  std::vector<const char*> extensions = device.video().extensions;
#if GLYPHREEL_AV_VULKAN_QUEUE_LIST
  // FFmpeg 7.1 downloads frames correctly only through this extension: without it, FFmpeg copies in the wrong
  // direction.
  if (device.has(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)) {
    extensions.push_back(VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
  }
#endif
  return extensions;
}

#if GLYPHREEL_AV_VULKAN_LOCKS
/// Returns the families that FFmpeg may use, in the order in which it should search them.
std::vector<gpu::QueueFamily> families_of(const gpu::Device& device) {
  std::vector<gpu::QueueFamily> families = device.video().families;
  if (families.empty())
    families.push_back({device.queue_family(), VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, 0});
  for (gpu::QueueFamily& family : families) {
    // Graphics and compute families always support transfers, but drivers need not report the transfer flag.
    if ((family.flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) != 0) {
      family.flags |= VK_QUEUE_TRANSFER_BIT;
    } else if ((family.flags & VK_QUEUE_VIDEO_DECODE_BIT_KHR) != 0) {
      family.flags = VK_QUEUE_VIDEO_DECODE_BIT_KHR;  // other work must not delay decoding
    }
  }
  return families;
}
#endif

void set_families(AVVulkanDeviceContext& context, const gpu::Device& device) {
#if GLYPHREEL_AV_VULKAN_QUEUE_LIST
  for (const gpu::QueueFamily& family : families_of(device)) {
    AVVulkanDeviceQueueFamily& entry = context.qf[context.nb_qf++];
    entry.idx = static_cast<int>(family.index);
    entry.num = 1;
    entry.flags = static_cast<VkQueueFlagBits>(family.flags);
    entry.video_caps = static_cast<VkVideoCodecOperationFlagBitsKHR>(family.codecs);
  }
#else
  const auto own = static_cast<int>(device.queue_family());
  context.queue_family_index = context.queue_family_comp_index = context.queue_family_tx_index = own;
  context.nb_graphics_queues = context.nb_comp_queues = context.nb_tx_queues = 1;
  context.queue_family_encode_index = context.queue_family_decode_index = -1;
#if GLYPHREEL_AV_VULKAN_LOCKS
  for (const gpu::QueueFamily& family : families_of(device)) {
    if (family.flags == VK_QUEUE_VIDEO_DECODE_BIT_KHR && context.queue_family_decode_index < 0) {
      context.queue_family_decode_index = static_cast<int>(family.index);
      context.nb_decode_queues = 1;
    }
  }
#endif
#endif
}

}  // namespace

Result<BufferRef> wrap_vulkan_device(std::shared_ptr<gpu::Device> device) {
  BufferRef reference(av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_VULKAN));
  if (!reference) {
    return Error{ErrorCode::Failed, "This FFmpeg was built without Vulkan; try a different --hwdec.", {}};
  }
  auto* context = reinterpret_cast<AVHWDeviceContext*>(reference->data);
  auto* vulkan = static_cast<AVVulkanDeviceContext*>(context->hwctx);
  vulkan->get_proc_addr = vkGetInstanceProcAddr;
  vulkan->inst = device->instance();
  vulkan->phys_dev = device->physical();
  vulkan->act_dev = device->handle();
  vulkan->device_features = device->enabled_features();
  // FFmpeg calls context->free last, after it has freed all frames of the device.
  auto* shared = new Shared{device, extensions_of(*device)};
  context->user_opaque = shared;
  context->free = [](AVHWDeviceContext* freed) { delete &shared_of(freed); };
  vulkan->enabled_dev_extensions = shared->extensions.data();
  vulkan->nb_enabled_dev_extensions = static_cast<int>(shared->extensions.size());
  set_families(*vulkan, *device);
#if GLYPHREEL_AV_VULKAN_LOCKS
  // The device has one queue of each family, so the third parameter, the queue's index, is always 0.
  vulkan->lock_queue = [](AVHWDeviceContext* locked, std::uint32_t family, std::uint32_t) {
    shared_of(locked).device->lock_queue(family);
  };
  vulkan->unlock_queue = [](AVHWDeviceContext* locked, std::uint32_t family, std::uint32_t) {
    shared_of(locked).device->unlock_queue(family);
  };
#endif
  const MutexLock lock(gpu::loader_mutex);  // FFmpeg looks up device functions
  if (const int code = av_hwdevice_ctx_init(reference.get()); code < 0) {
    return media::av_failure(ErrorCode::Failed,
                             "FFmpeg cannot use the GPU's Vulkan device; try a different --hwdec.", code);
  }
  return reference;
}

Result<BufferRef> make_vulkan_device(std::shared_ptr<gpu::Device> device) {
#if GLYPHREEL_AV_VULKAN_LOCKS
  if (device->video().codecs == 0) {
    return Error{
        ErrorCode::Failed,
        fmt::format("{} does not support Vulkan Video decoding; try a different --hwdec.", device->name()),
        {}};
  }
  return wrap_vulkan_device(std::move(device));
#else
  static_cast<void>(device);
  return Error{
      ErrorCode::Failed,
      "glyphreel was built with an FFmpeg that is too old for Vulkan Video; rebuild it with FFmpeg 6.1 or "
      "later, or try a different --hwdec.",
      {}};
#endif
}

void adjust_vulkan_frames(AVHWFramesContext& frames) {
  auto& vulkan = *static_cast<AVVulkanFramesContext*>(frames.hwctx);
  vulkan.tiling = VK_IMAGE_TILING_OPTIMAL;
  // Usage 0 means FFmpeg's defaults, which include SAMPLED.
  if (vulkan.usage != 0) {
    vulkan.usage = static_cast<VkImageUsageFlagBits>(vulkan.usage | VK_IMAGE_USAGE_SAMPLED_BIT);
  }
}

}  // namespace glyphreel::interop
