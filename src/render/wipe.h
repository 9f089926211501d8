#pragma once

#include <cstdint>

#include "base/frame.h"

namespace glyphreel::render {

/// Returns how many of a picture's `width` columns show the source: an even number of at least 2, for a
/// `share` of 0 to 1.
[[nodiscard]] std::uint32_t wipe_columns(double share, int width);

/// The source's pixels over the left part of a picture of a grid.
struct Wipe {
  const std::uint32_t* source = nullptr;  ///< 0xLLRRGGBB for each pixel of the grid, row by row
  Extent grid;                            ///< in pixels
  std::uint32_t columns = 0;              ///< from wipe_columns()
};
/// Draws two rows of the wipe, from the even row `y` of the picture on, and the line at its end.
void draw_wipe(const Wipe& wipe, const Picture& picture, int y);

}  // namespace glyphreel::render
