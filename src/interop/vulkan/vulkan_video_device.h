#pragma once

#include <memory>

#include "base/result.h"
#include "gpu/device/device.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Creates an AVHWDeviceContext of type VULKAN for `device`, initializes it and keeps `device` alive, whether
/// `device` can decode video or not. FFmpeg and this program share the device's queues. Since FFmpeg 6.1,
/// each submission of either side locks the queue; with older versions nothing else may submit while FFmpeg
/// does. Errors: Failed if FFmpeg was built without Vulkan.
[[nodiscard]] Result<media::BufferRef> wrap_vulkan_device(std::shared_ptr<gpu::Device> device);

/// Does the same for decoders. Errors: Failed with one sentence if this FFmpeg is too old or has no Vulkan,
/// or if the GPU's driver does not decode video through Vulkan.
[[nodiscard]] Result<media::BufferRef> make_vulkan_device(std::shared_ptr<gpu::Device> device);

/// Implements HwDeviceProvider::adjust_frames() for these devices: makes FFmpeg decode into images that
/// shaders can read in place. FFmpeg's pool grows while frames are in use, so that decoders do not run out of
/// surfaces; VulkanImport documents how many frames are in use.
void adjust_vulkan_frames(AVHWFramesContext& frames);

}  // namespace glyphreel::interop
