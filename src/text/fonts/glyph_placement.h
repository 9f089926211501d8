#pragma once

#include "base/geometry.h"

namespace glyphreel::text {

/// A font's vertical measures, in font units.
struct FontMetrics {
  int ascent = 0;   ///< above the baseline
  int descent = 0;  ///< below the baseline, positive
  int units_per_em = 0;
};

/// Distances from the baseline to the top and bottom of an outline, in font units. `above` is negative if the
/// whole outline is below the baseline; `below` is negative if the whole outline is above the baseline.
struct GlyphExtents {
  int above = 0;
  int below = 0;
};

/// Size and position of glyphs in the cell.
struct GlyphPlacement {
  int em_26_6 = 0;   ///< size of the em, 1/64 pixels
  int baseline = 0;  ///< pixels below the cell's top edge
};

/// Computes the size and the baseline. Font metrics must be positive.
/// Size: the largest em at which `advance` fits the cell's width and ascent + descent fits the cell's
/// height.
/// Baseline: centers the line box, then rounds the baseline to a whole row, where horizontal strokes are
/// sharpest. Chooses the nearest row, or an adjacent row if that clips less of `extents`; an underscore at
/// the bottom of the line box could otherwise be clipped.
[[nodiscard]] GlyphPlacement place(FontMetrics metrics, int advance, GlyphExtents extents, CellSize cell);

/// Returns the x coordinate of the origin, in 1/64 pixels from the cell's left edge, that centers a glyph
/// with an advance of `advance` font units.
[[nodiscard]] int centered_origin(FontMetrics metrics, GlyphPlacement placement, int advance, CellSize cell);

}  // namespace glyphreel::text
