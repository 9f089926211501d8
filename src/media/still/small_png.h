#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/geometry.h"

namespace glyphreel::media {

/// Returns a chunk of a PNG file, with its length and CRC.
[[nodiscard]] std::string png_chunk(std::string_view type, std::string_view content);

/// Returns a PNG file with these pixels, 0xFFRRGGBB each, row by row.
[[nodiscard]] std::string make_small_png(Extent size, std::span<const std::uint32_t> pixels);

}  // namespace glyphreel::media
