#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "mapping/shared/parameters.h"
#include "mapping/shared/shared_types.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// All data about the glyphs that matching needs, in one array of words that CPU and GPU both read.
struct GlyphTables {
  shared::MapParameters parameters{};  ///< without a grid until set_grid() is called
  std::vector<std::uint32_t> words;
};

/// Builds the tables for a glyph set. `samples`: number of samples across and down a cell. Errors: see
/// make_ramp().
[[nodiscard]] Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs,
                                                    const Parameters& parameters, GridSize samples);

/// Sets the grid's size, and the size of the regions for clarity (clarity.glsl).
void set_grid(shared::MapParameters& parameters, GridSize grid);

/// Whether mapping needs the CellAnalysis of all cells: for local contrast, auto-levels, edges, stability or
/// legibility.
[[nodiscard]] bool needs_analysis(const shared::MapParameters& parameters);

/// Whether mapping a cell reads the CellAnalysis of other cells: for local contrast, edges or legibility.
[[nodiscard]] bool reads_surroundings(const shared::MapParameters& parameters);

}  // namespace glyphreel::mapping
