#pragma once

#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Makes the table that shaders/shared/edge.glsl reads at MapParameters::edge_at, for cells of `samples`
/// samples.
///
/// For each of EdgeDirections directions and EdgePlaces places it holds the narrow glyph whose measured
/// coverage is most like a line there, whatever its character. If no glyph fits, it holds the glyph of a
/// nearby place in the same direction, and if there is none either, 0xFFFFFFFF.
[[nodiscard]] std::vector<std::uint32_t> edge_table(const text::GlyphSet& glyphs, GridSize samples);

}  // namespace glyphreel::mapping
