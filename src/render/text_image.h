#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/frame.h"
#include "render/overlay.h"

namespace glyphreel::render {

/// A grid of text cells, centered in a picture. Its cell size does not depend on the picture's cells.
struct TextPlace {
  GridSize grid;
  CellSize cell;
  int x = 0, y = 0;  ///< position of the grid's upper left corner, in pixels
  bool operator==(const TextPlace&) const = default;
};

/// Returns the text grid for a picture of this size. `rows`: number of text rows that fill the picture at
/// scale 1; a small picture has fewer rows, so that text stays legible. `scale`: factor for the cell size.
[[nodiscard]] TextPlace text_place(Extent picture, int rows, double scale);

/// Text drawn as pixels, so that its size does not depend on the picture's cells. Immutable once shared.
struct TextImage {
  Extent picture;  ///< size of the picture that the text was placed in
  int x = 0, y = 0;
  Extent size;                        ///< `x`, `y`, the width and the height are even
  std::vector<std::uint32_t> pixels;  ///< row by row, 0xAARRGGBB: A is the opacity over the picture
};

/// An overlay and its position in a picture.
struct PlacedOverlay {
  std::shared_ptr<const Overlay> overlay;  ///< null: no text
  TextPlace place;
};

/// Draws the overlays over one another, the last one on top. Returns null if there is no text. Ignores an
/// overlay if its grid or cell size differs from that of its `place`, or if its `place` extends beyond the
/// picture.
[[nodiscard]] std::shared_ptr<const TextImage> make_text_image(Extent picture,
                                                               std::span<const PlacedOverlay> overlays);

/// Returns `text` if it was made for a picture of the size of `grid` with cells of the size `cell`. Returns
/// null if it was made for a different size, or if `text` is null.
[[nodiscard]] const TextImage* fits_picture(const TextImage* text, GridSize grid, CellSize cell);

/// Draws the text over the picture. Call only if fits_picture() accepts the text for the picture's size.
void draw_text(const TextImage& text, const Picture& picture);

}  // namespace glyphreel::render
