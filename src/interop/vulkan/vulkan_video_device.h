#pragma once

#include <memory>

#include "base/result.h"
#include "gpu/device/device.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Wraps `device` for FFmpeg: an initialized AVHWDeviceContext of type VULKAN that keeps it alive, whether
/// it can decode video or not. FFmpeg and this program share its queues: since FFmpeg 6.1 each submission
/// of either side holds the queue's lock; with older versions nothing else may submit while FFmpeg does.
/// Errors: Failed if FFmpeg was built without Vulkan.
[[nodiscard]] Result<media::BufferRef> wrap_vulkan_device(std::shared_ptr<gpu::Device> device);

/// The same, for decoders. Errors: Failed with one sentence: this FFmpeg is too old or has no Vulkan, or
/// the GPU's driver does not decode video through Vulkan.
[[nodiscard]] Result<media::BufferRef> make_vulkan_device(std::shared_ptr<gpu::Device> device);

/// Implements HwDeviceProvider::adjust_frames() for these devices: makes FFmpeg decode into images that
/// shaders can read in place. FFmpeg's pool grows as frames are held, so that no decoder starves; see
/// VulkanImport for how many are held.
void adjust_vulkan_frames(AVHWFramesContext& frames);

}  // namespace glyphreel::interop
