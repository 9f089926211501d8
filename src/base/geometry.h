#pragma once

#include <compare>

namespace glyphreel {

/// A width and a height, in pixels unless the name of the variable states another unit.
struct Extent {
  int width = 0;
  int height = 0;
  auto operator<=>(const Extent&) const = default;
};

/// Width and height of one cell in pixels.
struct CellSize {
  int width = 8;
  int height = 16;
  auto operator<=>(const CellSize&) const = default;
};

/// Number of cells across and down.
struct GridSize {
  int columns = 0;
  int rows = 0;
  [[nodiscard]] int cells() const { return columns * rows; }
  auto operator<=>(const GridSize&) const = default;
};

/// How a frame is fitted into a grid whose aspect ratio differs from the frame's.
enum class Fit {
  Contain,  ///< shows the whole frame, with black cells around it
  Cover,    ///< fills the grid and crops the frame
  Stretch,  ///< shows the whole frame and fills the grid, distorting the aspect ratio
};

/// Clockwise rotation that turns a decoded frame upright.
enum class Rotation { None, Clockwise90, Half, Clockwise270 };

}  // namespace glyphreel
