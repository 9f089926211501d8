#pragma once

#include <cstdint>

#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/table_writer.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Adds the tables for matching and fitting cells in full color (fit.glsl): the tables at features_at and
/// bias_at of FormParameters, and all tables of FitTables. FormParameters::wide_from must already be set.
/// Returns the length of the longest feature vector before it was scaled to integers.
double add_perceptual_tables(const text::GlyphSet& glyphs, GridSize samples,
                             shared::MapParameters& parameters, TableWriter& tables);

/// A glyph's numbers in the table at sums_at: the members of PerceivedGlyph and the sums of GlyphSums
/// (fit.glsl).
struct GlyphNumbers {
  std::uint32_t a, contrast;
  std::uint32_t pixel_sum, pixel_square;  ///< GlyphSums::a and ::aa
};
[[nodiscard]] GlyphNumbers glyph_numbers(const GlyphTables& tables, std::uint32_t glyph);

}  // namespace glyphreel::mapping
