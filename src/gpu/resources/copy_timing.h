#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Copies `bytes` bytes between two buffers in the GPU's memory `copies` times. Returns the median time of
/// one copy in milliseconds, measured with GPU timestamps; 0 if the GPU has none. Ignores the first fifth of
/// the copies, during which the GPU's clock rates rise. Errors: Failed if memory is exhausted or the GPU is
/// lost.
[[nodiscard]] Result<double> copy_ms(const std::shared_ptr<Device>& device, std::size_t bytes, int copies);

}  // namespace glyphreel::gpu
