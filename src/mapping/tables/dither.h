#pragma once

#include <cstdint>
#include <vector>

namespace glyphreel::mapping {

/// Thresholds 0 to 255 for a square of DitherSize by DitherSize cells that repeats without a seam, rows
/// from the top. Every threshold occurs equally often. They do not depend on time, so they do not flicker.

/// Bayer's ordered dither (1973), a 16 x 16 matrix repeated: his 8 x 8 with each step split in four.
[[nodiscard]] std::vector<std::uint32_t> bayer_thresholds();

/// Blue noise by void-and-cluster (R. Ulichney, "The void-and-cluster method for dither array generation",
/// 1993): no visible pattern and no clumps. The same on every machine; takes some milliseconds.
[[nodiscard]] std::vector<std::uint32_t> blue_noise_thresholds();

}  // namespace glyphreel::mapping
