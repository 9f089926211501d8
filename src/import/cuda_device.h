#pragma once

#include "base/result.h"
#include "gpu/device.h"
#include "import/cuda_api.h"
#include "media/hardware_devices.h"

namespace glyphreel::importer {

/// The bytes that name a GPU to every interface: VkPhysicalDeviceIDProperties::deviceUUID and CUDA's.
[[nodiscard]] cuda::Uuid device_uuid(const gpu::Device& device);

/// FFmpeg's CUDA device on the GPU that `device` draws with, so that NVDEC's frames need not leave it.
/// `library`: the driver's. Blocks while the driver starts, some 100 ms. Errors: Failed with one sentence: no
/// CUDA driver, one that is too old, one that does not run that GPU.
[[nodiscard]] Result<media::BufferRef> make_cuda_device(const gpu::Device& device,
                                                        const char* library = cuda::DriverLibrary);

}  // namespace glyphreel::importer
