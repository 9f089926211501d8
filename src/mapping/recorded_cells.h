#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/cell_frame.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Translates recorded cells to the grid, glyphs and colors of the current settings.
/// Thread-safety: one thread at a time.
class RecordedCells {
 public:
  void configure(std::shared_ptr<const text::GlyphSet> glyphs, GridSize grid, const Parameters& parameters);

  /// Writes the cells of the configured grid. A character that the glyph set lacks becomes the narrow glyph
  /// with the nearest mean coverage. If the recorded grid has a different size, its cells are repeated or
  /// skipped.
  void translate(const CellFrame& frame, shared::Cell* cells);

 private:
  void find_glyphs(const std::shared_ptr<const RecordedGlyphs>& glyphs);
  [[nodiscard]] std::uint32_t shown(std::uint32_t color) const;

  std::shared_ptr<const text::GlyphSet> set_;
  GridSize grid_;
  Parameters parameters_;
  std::vector<std::uint32_t> nearest_;            ///< nearest_table() of the palette; empty: no palette
  std::shared_ptr<const RecordedGlyphs> glyphs_;  ///< the recorded glyphs that `glyph_of_` was made for
  std::vector<std::uint32_t> glyph_of_;           ///< for each recorded glyph, the index of a glyph of `set_`
};

}  // namespace glyphreel::mapping
