#pragma once

#include <array>
#include <cstddef>

#include "base/frame.h"

namespace glyphreel::render {

/// The layout of a drawn picture in one block of memory, the same for every renderer.
struct PictureLayout {
  Extent size;                           ///< grid times cell, rounded up to even numbers for Yuv420p
  std::array<std::size_t, 3> offsets{};  ///< bytes from the block's start to each plane
  std::array<int, 3> strides{};          ///< bytes, multiples of 64
  std::size_t bytes = 0;                 ///< of the whole block
};

[[nodiscard]] PictureLayout picture_layout(PictureFormat format, GridSize grid, CellSize cell);

/// Makes a Picture over `block`, which has at least `layout.bytes` bytes.
[[nodiscard]] Picture make_picture(PictureFormat format, const PictureLayout& layout,
                                   std::shared_ptr<const HostBlock> block);

}  // namespace glyphreel::render
