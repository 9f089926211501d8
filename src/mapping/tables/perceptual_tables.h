#pragma once

#include "mapping/tables/table_writer.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Adds the tables for matching and fitting cells in full color (fit.glsl): features and biases of
/// FormParameters, and FitTables. Needs FormParameters::wide_from. Returns the length of the longest feature
/// vector before it was scaled to integers.
double add_perceptual_tables(const text::GlyphSet& glyphs, GridSize samples,
                             shared::MapParameters& parameters, TableWriter& tables);

}  // namespace glyphreel::mapping
