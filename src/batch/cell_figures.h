#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "batch/item.h"
#include "render/renderer.h"
#include "text/glyph_set.h"

namespace glyphreel::batch {

/// Measures the luma, edges and flicker of a recording's cells; see Figures. Takes a few nanoseconds per
/// cell. Thread-safety: one thread at a time.
class CellFigures {
 public:
  /// `glyphs`: the glyphs of the recording.
  explicit CellFigures(const text::GlyphSet& glyphs);

  void add(std::span<const render::Cell> cells, GridSize grid);
  /// Writes the means over all frames to `figures`.
  void write_to(Figures& figures) const;

 private:
  std::vector<std::uint16_t> coverage_;       ///< mean coverage of each glyph, 0 to 256
  std::vector<std::uint8_t> row_;             ///< luma of the cells: the current row, then the row above it
  std::vector<std::uint32_t> glyphs_before_;  ///< glyphs of the previous frame's cells
  std::uint64_t cells_ = 0, pairs_ = 0, compared_ = 0;
  /// Sum of the cells' lumas, number of adjacent cell pairs that form an edge, number of changed glyphs.
  std::uint64_t light_ = 0, edges_ = 0, changed_ = 0;
};

}  // namespace glyphreel::batch
