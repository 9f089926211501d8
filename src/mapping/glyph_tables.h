#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "mapping/parameters.h"
#include "mapping/shared_scalar.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Everything that matching needs to know of the glyphs, in one array of words that CPU and GPU read alike.
struct GlyphTables {
  shared::MapParameters parameters{};  ///< columns and rows are left 0: they change with the grid
  std::vector<std::uint32_t> words;
};

/// Builds the tables for glyphs matched on `samples` (across x down) samples a cell.
/// Errors: Usage where the ramp names a character that `glyphs` lacks, or the thresholds do not fit the ramp.
[[nodiscard]] Result<GlyphTables> make_glyph_tables(const text::GlyphSet& glyphs, const Parameters& parameters,
                                                    GridSize samples);

/// Whether cells are mapped by more than their own samples and frame: local contrast, levels, edges or stability.
[[nodiscard]] bool needs_analysis(const shared::MapParameters& parameters);

/// The drawn ink of each glyph: mean linear light of its mask, 65535 = a full cell of ink.
[[nodiscard]] std::vector<std::uint32_t> measure_ink(const text::GlyphSet& glyphs);

/// 16-bit linear light of an 8-bit sRGB code value (IEC 61966-2-1), rounded to nearest.
[[nodiscard]] std::uint32_t linear_from_code(int code);

}  // namespace glyphreel::mapping
