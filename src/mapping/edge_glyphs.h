#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// The table that shaders/shared/edge.glsl reads at MapParameters::edge_at, for cells of `samples` samples.
///
/// For each of EdgeDirections directions and EdgePlaces places it holds the narrow glyph whose coverage is
/// most like a line there: measured, whatever character it is. Where none is, it takes the glyph of a place
/// hardly away from it in the same direction, and where there is none either, 0xFFFFFFFF.
[[nodiscard]] std::vector<std::uint32_t> edge_table(const text::GlyphSet& glyphs, GridSize samples);

}  // namespace glyphreel::mapping
