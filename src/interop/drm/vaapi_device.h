#pragma once

#include <string>

#include "base/result.h"
#include "gpu/device/device.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Creates a VAAPI device on the GPU of `device`: an initialized AVHWDeviceContext. Errors: Failed, with a
/// one-sentence message, if the GPU has no DRM render node or no VAAPI driver.
[[nodiscard]] Result<media::BufferRef> make_vaapi_device(const gpu::Device& device);

/// Opens a VAAPI device on the render node with this path, such as "/dev/dri/renderD128". Errors: Failed,
/// with a one-sentence message, if the node has no VAAPI driver.
[[nodiscard]] Result<media::BufferRef> open_vaapi(const std::string& node);

}  // namespace glyphreel::interop
