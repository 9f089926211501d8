#pragma once

#include <cstdint>

#include "base/frame.h"

namespace glyphreel::render {

/// Returns how many of a picture's `width` pixel columns show the source video, for a `share` of 0 to 1. The
/// result is even and at least 2.
[[nodiscard]] std::uint32_t wipe_columns(double share, int width);

/// A wipe: the leftmost `columns` pixel columns of the drawn picture show the source video instead of glyphs.
struct Wipe {
  const std::uint32_t* source = nullptr;  ///< 0xLLRRGGBB (L: luma) for each pixel of the grid, row by row
  Extent grid;                            ///< size of the drawn grid, in pixels
  std::uint32_t columns = 0;              ///< from wipe_columns()
};
/// Draws the wipe, and the white line at its right edge, on rows `y` and `y` + 1 of the picture. `y` is even.
void draw_wipe(const Wipe& wipe, const Picture& picture, int y);

}  // namespace glyphreel::render
