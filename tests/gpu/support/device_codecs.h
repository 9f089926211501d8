#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Returns the codecs that the device decodes with each decoding API: {vulkan, vaapi, cuda}. Each value is a
/// list of FFmpeg's codec names, or null if the API is unavailable. "hevc 10 bit" is HEVC's profile Main 10.
[[nodiscard]] nlohmann::json device_codecs(const std::shared_ptr<Device>& device);

}  // namespace glyphreel::gpu
