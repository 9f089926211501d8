#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "mapping/parameters.h"
#include "mapping/shared_types.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Everything that matching needs to know of the glyphs, in one array of words that CPU and GPU read alike.
struct GlyphTables {
  shared::MapParameters parameters{};  ///< columns and rows are left 0: they change with the grid
  std::vector<std::uint32_t> words;
};

/// Builds the tables for glyphs matched on `samples` (across x down) samples a cell.
/// Errors: Usage where the ramp names a character that `glyphs` lacks, or the thresholds do not fit the ramp.
[[nodiscard]] Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs,
                                                    const Parameters& parameters, GridSize samples);

/// Whether cells are mapped by more than their own samples and frame: local contrast, levels, edges or
/// stability.
[[nodiscard]] bool needs_analysis(const shared::MapParameters& parameters);

}  // namespace glyphreel::mapping
