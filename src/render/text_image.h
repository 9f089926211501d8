#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/frame.h"
#include "render/overlay.h"

namespace glyphreel::render {

/// Where text of its own cell size is in a picture: a grid of cells that is centered in the picture.
struct TextPlace {
  GridSize grid;
  CellSize cell;
  int x = 0, y = 0;  ///< of the grid's upper left corner, in pixels
  bool operator==(const TextPlace&) const = default;
};

/// Returns the place of text in a picture of this size. `rows`: number of rows that fit the picture at scale
/// 1; text in a small picture has larger cells, so that it stays legible. `scale`: a factor on the cell's
/// size.
[[nodiscard]] TextPlace text_place(Extent picture, int rows, double scale);

/// Text over a picture as pixels, so that its size does not depend on the picture's cells. Immutable once
/// shared.
struct TextImage {
  Extent picture;  ///< size of the picture that the text was placed in
  int x = 0, y = 0;
  Extent size;                        ///< all four numbers are even
  std::vector<std::uint32_t> pixels;  ///< row by row, 0xAARRGGBB: A is the opacity over the picture
};

/// An overlay that is drawn at its own place in the picture.
struct PlacedOverlay {
  std::shared_ptr<const Overlay> overlay;  ///< null: no text
  TextPlace place;
};

/// Draws the overlays over one another, the last one on top; null if there is no text.
[[nodiscard]] std::shared_ptr<const TextImage> make_text_image(Extent picture,
                                                               std::span<const PlacedOverlay> overlays);

/// Returns `text` if it is not null and was made for a picture of this grid; otherwise null.
[[nodiscard]] const TextImage* fits_picture(const TextImage* text, GridSize grid, CellSize cell);

/// Draws the text over a picture of the size that it was made for.
void draw_text(const TextImage& text, const Picture& picture);

}  // namespace glyphreel::render
