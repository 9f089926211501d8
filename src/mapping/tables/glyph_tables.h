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
  shared::MapParameters parameters{};  ///< columns and rows are 0 until the caller sets its grid
  std::vector<std::uint32_t> words;
};

/// Builds the tables for glyphs matched on `samples` (across x down) samples per cell. Errors: those of
/// make_ramp().
[[nodiscard]] Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs,
                                                    const Parameters& parameters, GridSize samples);

/// Whether mapping a cell needs other cells or the previous frame: for local contrast, levels, edges or
/// stability.
[[nodiscard]] bool needs_analysis(const shared::MapParameters& parameters);

}  // namespace glyphreel::mapping
