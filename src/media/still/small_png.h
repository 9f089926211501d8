#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/geometry.h"

namespace glyphreel::media {

/// Returns a PNG file with these pixels, 0xFFRRGGBB each, row by row.
[[nodiscard]] std::string make_small_png(Extent size, std::span<const std::uint32_t> pixels);

}  // namespace glyphreel::media
