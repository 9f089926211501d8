#pragma once

#include "base/geometry.h"

namespace glyphreel::text {

/// A font's vertical measures, in font units.
struct FontMetrics {
  int ascent = 0;   ///< above the baseline
  int descent = 0;  ///< below the baseline, positive
  int units_per_em = 0;
};

/// How far ink reaches from the baseline, in font units; negative if it ends on the other side.
struct GlyphExtents {
  int above = 0;
  int below = 0;
};

/// Size and position of glyphs in the cell.
struct Placement {
  int em_26_6 = 0;   ///< size of the em, 1/64 pixels
  int baseline = 0;  ///< pixels below the cell's top edge
};

/// Computes the size and the baseline.
/// Size: the largest em with em * advance <= width and em * (ascent + descent) <= height (em over its
/// units).
/// Baseline: the line box is centered and the baseline put on a whole row, where horizontal strokes are
/// sharpest: the nearest one, or a neighbor that clips less of `extents`. (An underscore ends where the line
/// box ends: rounding down by half a row would lose it.) Font metrics must be positive.
[[nodiscard]] Placement place(FontMetrics metrics, int advance, GlyphExtents extents, CellSize cell);

/// Returns the left origin, in 1/64 pixels from the cell's left edge, that centers a glyph of `advance`
/// font units.
[[nodiscard]] int centered_origin(FontMetrics metrics, Placement placement, int advance, CellSize cell);

}  // namespace glyphreel::text
