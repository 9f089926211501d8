#pragma once

#include <string>

#include "base/result.h"
#include "gpu/device.h"
#include "media/hardware_devices.h"

namespace glyphreel::importer {

/// A VAAPI device on the GPU that draws: an AVHWDeviceContext that is initialised. Errors: Failed with one
/// sentence where the GPU has no DRM render node, or no VAAPI driver.
[[nodiscard]] Result<media::BufferRef> make_vaapi_device(const gpu::Device& device);

/// The same on a node by its path: "/dev/dri/renderD128".
[[nodiscard]] Result<media::BufferRef> open_vaapi(const std::string& node);

}  // namespace glyphreel::importer
