#pragma once

#include <memory>

#include "base/result.h"
#include "gpu/device.h"
#include "media/hardware_devices.h"

namespace glyphreel::importer {

/// `device` as FFmpeg sees it: an initialised AVHWDeviceContext of type VULKAN that keeps it alive, whether
/// it can decode video or not. FFmpeg and we share its queues: since FFmpeg 6.1 each submission of either
/// side holds the queue's lock; before, nobody else may submit while FFmpeg does. Errors: Failed: an FFmpeg
/// without Vulkan.
[[nodiscard]] Result<media::BufferRef> wrap_vulkan_device(std::shared_ptr<gpu::Device> device);

/// The same, for decoders. Errors: Failed with one sentence: this FFmpeg is too old or has no Vulkan, the
/// GPU's driver decodes no video by Vulkan.
[[nodiscard]] Result<media::BufferRef> make_vulkan_device(std::shared_ptr<gpu::Device> device);

/// What HardwareDevices::adjust_frames() has to do for them: images that shaders can read where they were
/// decoded. FFmpeg's pool grows as frames are held, so that no decoder starves; how many we hold,
/// VulkanImport says.
void adjust_vulkan_frames(AVHWFramesContext& frames);

}  // namespace glyphreel::importer
