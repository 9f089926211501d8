#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Asks each decoding API which codecs the device decodes: {vulkan, vaapi, cuda}, each a list of FFmpeg's
/// names of codecs, or null if the API is unavailable. "hevc 10 bit" is HEVC's profile Main 10.
[[nodiscard]] nlohmann::json device_codecs(const std::shared_ptr<Device>& device);

}  // namespace glyphreel::gpu
