#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Makes the table that shaders/shared/edge.glsl reads at MapParameters::edge_at. `samples`: number of
/// samples across and down a cell.
///
/// For each of EdgeDirections directions and EdgePlaces positions, the table has the narrow glyph whose
/// measured coverage is most similar to a line at that position, whatever character it is. If no glyph is
/// similar enough, the table has the glyph of a nearby position in the same direction or, if there is none,
/// 0xFFFFFFFF.
[[nodiscard]] std::vector<std::uint32_t> edge_table(const text::GlyphSet& glyphs, GridSize samples);

}  // namespace glyphreel::mapping
