#pragma once

#include <memory>

#include "base/result.h"
#include "gpu/device/device.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Creates and initializes an AVHWDeviceContext of type VULKAN, which keeps `device` alive. `device` need not
/// support video decoding. FFmpeg and this program share the device's queues. With FFmpeg 6.1 or
/// later, FFmpeg and this program lock a queue for each submission; with older versions, no other code may
/// submit while FFmpeg submits. Errors: Failed if FFmpeg was built without Vulkan.
[[nodiscard]] Result<media::BufferRef> wrap_vulkan_device(std::shared_ptr<gpu::Device> device);

/// Like wrap_vulkan_device(), but for decoders. Errors: Failed, with a one-sentence message, if this FFmpeg
/// is too old or has no Vulkan, or if the GPU's driver does not decode video through Vulkan.
[[nodiscard]] Result<media::BufferRef> make_vulkan_device(std::shared_ptr<gpu::Device> device);

/// Implements HwDeviceProvider::adjust_frames() for these devices: makes FFmpeg decode into images that
/// shaders can read in place. FFmpeg's pool grows if all of its frames are in use, so decoders do not run out
/// of surfaces. VulkanImport documents how many frames are in use.
void adjust_vulkan_frames(AVHWFramesContext& frames);

}  // namespace glyphreel::interop
