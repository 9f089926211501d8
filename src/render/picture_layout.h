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

/// Returns the layout of a picture; all zero except the size if `format` is None.
[[nodiscard]] PictureLayout picture_layout(PictureFormat format, GridSize grid, CellSize cell);

/// Returns a Picture in the memory of `block`, which must have at least `layout.bytes` bytes.
[[nodiscard]] Picture make_picture(PictureFormat format, const PictureLayout& layout,
                                   std::shared_ptr<const HostBlock> block);

}  // namespace glyphreel::render
