#include "text/fonts/glyph_placement.h"

#include <algorithm>
#include <cstdint>

namespace glyphreel::text {

// The unit of length in this function is 1 / (64 * units_per_em) pixels: a length in font units times the em
// in 1/64 pixels has this unit. Lengths are integers, so that all machines place glyphs identically.
GlyphPlacement place(FontMetrics metrics, int advance, GlyphExtents extents, CellSize cell) {
  const std::int64_t pixel = std::int64_t{64} * metrics.units_per_em;
  const std::int64_t fits_width = cell.width * pixel / advance;
  const std::int64_t fits_height = cell.height * pixel / (metrics.ascent + metrics.descent);
  const std::int64_t em = std::max<std::int64_t>(1, std::min(fits_width, fits_height));

  const auto clipped = [&](std::int64_t baseline) {
    const std::int64_t above = em * extents.above - baseline * pixel;
    const std::int64_t below = em * extents.below - (cell.height - baseline) * pixel;
    return std::max<std::int64_t>(0, above) + std::max<std::int64_t>(0, below);
  };
  const std::int64_t centered = (cell.height * pixel + em * (metrics.ascent - metrics.descent)) / 2;
  const std::int64_t nearest = (centered + pixel / 2) / pixel;
  std::int64_t baseline = nearest;
  for (const std::int64_t neighbor : {nearest - 1, nearest + 1}) {
    if (clipped(neighbor) < clipped(baseline)) baseline = neighbor;
  }
  return {static_cast<int>(em), static_cast<int>(baseline)};
}

int centered_origin(FontMetrics metrics, GlyphPlacement placement, int advance, CellSize cell) {
  const std::int64_t drawn = std::int64_t{advance} * placement.em_26_6 / metrics.units_per_em;
  return static_cast<int>((cell.width * 64 - drawn) / 2);
}

}  // namespace glyphreel::text
