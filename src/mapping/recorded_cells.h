#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cell_frame.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Translates recorded cells to other glyphs and colors.
/// Thread-safety: one thread at a time.
class RecordedCells {
 public:
  void configure(std::shared_ptr<const text::GlyphSet> glyphs, GridSize grid, const Parameters& parameters);

  /// Writes a grid of cells. A character that the glyphs lack becomes the narrow glyph of the nearest mean
  /// coverage. With another grid, each cell is the nearest recorded one.
  void translate(const CellFrame& frame, shared::Cell* cells);

 private:
  void find_glyphs(const std::shared_ptr<const RecordedGlyphs>& glyphs);
  [[nodiscard]] std::uint32_t shown(std::uint32_t color) const;

  std::shared_ptr<const text::GlyphSet> set_;
  GridSize grid_;
  Parameters parameters_;
  std::vector<std::uint32_t> nearest_;            ///< nearest_table() of the palette; empty: no palette
  std::shared_ptr<const RecordedGlyphs> glyphs_;  ///< those that `glyph_of_` was made for
  std::vector<std::uint32_t> glyph_of_;           ///< the glyph of `set_` for each recorded one
};

}  // namespace glyphreel::mapping
