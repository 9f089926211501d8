#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "gpu/device/device.h"

namespace glyphreel::gpu {

/// Copies `bytes` from one buffer in the GPU's memory to another `copies` times, and returns the median time
/// of a copy by the GPU's clock, in milliseconds, without the first fifth of the copies, in which clock rates
/// rise. 0 if the GPU has no timestamps. Errors: Failed if memory is exhausted; NoDevice if the GPU is lost.
[[nodiscard]] Result<double> copy_ms(const std::shared_ptr<Device>& device, std::size_t bytes, int copies);

}  // namespace glyphreel::gpu
