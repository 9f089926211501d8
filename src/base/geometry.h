#pragma once

#include <compare>

namespace glyphreel {

/// A width and a height, in the unit that the name beside it says (pixels unless stated).
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

/// How a picture is laid into a grid of another aspect.
enum class Fit {
  Contain,  ///< all of the picture, black cells around it
  Cover,    ///< all of the grid, the picture cropped
  Stretch,  ///< all of both, the aspect lost
};

/// Clockwise turn that brings a decoded picture upright.
enum class Rotation { None, Clockwise90, Half, Clockwise270 };

}  // namespace glyphreel
