#pragma once

#include <array>
#include <cstddef>

#include "base/frame.h"

namespace glyphreel::render {

/// The layout of a drawn picture in one block of memory; all renderers use it.
struct PictureLayout {
  Extent size;  ///< grid size times cell size in pixels; rounded up to even numbers for Yuv420p
  std::array<std::size_t, 3> offsets{};  ///< bytes from the block's start to each plane
  std::array<int, 3> strides{};          ///< bytes per row of each plane, multiples of 64
  std::size_t bytes = 0;                 ///< size of the whole block
};

/// Returns the layout of a picture. If `format` is None, all fields except the size are 0.
[[nodiscard]] PictureLayout picture_layout(PictureFormat format, GridSize grid, CellSize cell);

/// One axis of a picture that is centered in a window: the visible part, and its position.
struct Overlap {
  int from = 0;   ///< first visible pixel of the picture
  int to = 0;     ///< position of that pixel in the window
  int count = 0;  ///< number of visible pixels
};
[[nodiscard]] constexpr Overlap overlap(int picture, int window) {
  const int count = picture < window ? picture : window;
  return {(picture - count) / 2, (window - count) / 2, count};
}

/// Returns a Picture in the memory of `block`, which must have at least `layout.bytes` bytes.
[[nodiscard]] Picture make_picture(PictureFormat format, const PictureLayout& layout,
                                   std::shared_ptr<const HostBlock> block);

}  // namespace glyphreel::render
