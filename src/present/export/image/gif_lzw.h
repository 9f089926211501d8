#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace glyphreel::present {

/// What a pixel of a GIF frame may be written as.
struct GifPixel {
  std::int16_t color = -1;          ///< palette index; -1: must be transparent
  bool may_be_transparent = false;  ///< whether the pixel already shows this color
  bool operator==(const GifPixel&) const = default;
};

/// Compresses pixels with GIF's variant of LZW, and returns the minimum code size and the sub-blocks. Where a
/// pixel may be either its color or transparent, takes the one that makes the longer match. `transparent`:
/// the index that means transparent; -1: none. `bits`: of an index, 2 to 8.
[[nodiscard]] std::string gif_lzw(std::span<const GifPixel> pixels, int transparent, int bits);

}  // namespace glyphreel::present
