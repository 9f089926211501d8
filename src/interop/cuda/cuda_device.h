#pragma once

#include "base/result.h"
#include "gpu/device/device.h"
#include "interop/cuda/cuda_api.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Returns the GPU's UUID, which is the same in Vulkan (VkPhysicalDeviceIDProperties::deviceUUID) and in
/// CUDA.
[[nodiscard]] CUuuid device_uuid(const gpu::Device& device);

/// Creates FFmpeg's CUDA device on the GPU of `device`, so that NVDEC's frames stay on that GPU. `library`:
/// the driver's file name. Blocks while the driver starts, about 100 ms. Errors: Failed, with a one-sentence
/// message, if there is no CUDA driver, or if the driver is too old or does not support that GPU.
[[nodiscard]] Result<media::BufferRef> make_cuda_device(const gpu::Device& device,
                                                        const char* library = cuda::DriverLibrary);

}  // namespace glyphreel::interop
