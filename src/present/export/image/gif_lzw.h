#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace glyphreel::present {

/// What a pixel of a GIF frame may be written as.
struct GifPixel {
  std::int16_t color = -1;          ///< palette index; -1: must be transparent
  bool may_be_transparent = false;  ///< the viewer already shows this color, or one that is close enough
  bool may_be_similar = false;      ///< may be written as one of the color's alternatives; see gif_lzw()
  bool operator==(const GifPixel&) const = default;
};

/// Compressed pixels.
struct GifData {
  std::string bytes;                  ///< the minimum code size and the sub-blocks
  std::vector<std::uint8_t> indices;  ///< the index that each pixel was written as
};

/// Compresses pixels with GIF's variant of LZW. If a pixel may be written as several indices, chooses one by
/// the lengths of the matches. `transparent`: the index that means transparent; -1: none. `bits`: size of an
/// index, 2 to 8. `alternatives`: for each color, the indices of other colors that may be written instead if
/// GifPixel::may_be_similar is set; empty: no color has alternatives.
[[nodiscard]] GifData gif_lzw(std::span<const GifPixel> pixels, int transparent, int bits,
                              std::span<const std::vector<std::uint8_t>> alternatives = {});

}  // namespace glyphreel::present
