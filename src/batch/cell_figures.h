#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/geometry.h"
#include "batch/item.h"
#include "render/renderer.h"
#include "text/glyph_set.h"

namespace glyphreel::batch {

/// Measures the cells of a recording: their light, edges and flicker, from every frame. Costs a few
/// nanoseconds per cell.
/// Thread-safety: one thread at a time.
class CellFigures {
 public:
  /// Begins a recording with these glyphs.
  explicit CellFigures(const text::GlyphSet& glyphs);

  void add(std::span<const render::Cell> cells, GridSize grid);
  /// Writes the means over all frames.
  void write_to(Figures& figures) const;

 private:
  std::vector<std::uint16_t> coverage_;  ///< of each glyph, 0 to 256
  std::vector<std::uint8_t> row_;        ///< light of the cells of one row, then of the row above
  std::vector<std::uint32_t> glyphs_before_;
  std::uint64_t cells_ = 0, pairs_ = 0, compared_ = 0;
  std::uint64_t light_ = 0, edges_ = 0, changed_ = 0;  ///< sums
};

}  // namespace glyphreel::batch
