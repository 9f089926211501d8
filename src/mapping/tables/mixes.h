#pragma once

#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/table_writer.h"

namespace glyphreel::mapping {

/// Adds the tables with which shaders/shared/mix.glsl chooses two palette colors and a glyph for a cell:
///
///   mixes_at   MixesPerColor words for each palette_key(): the mixes nearest to the color, first for cells
///              of one color, then for cells of increasing contrast. Each word has two palette indices (8
///              bits each), the first color's share (7 bits, MixOne = all) and the mix's distance from the
///              color (9 bits, 8 = 1 CIELAB unit)
///   levels_at  by share: the glyph with the least texture (15 bits), whether this glyph's ink has the second
///              color (1 bit), and the lowest and highest perceived contrast of the glyphs with about this
///              share (8 bits each)
///   the other members of MixTables, and LightTables::root_at
///
/// Needs the tables of add_perceptual_tables(). `first`: palette colors before this index are not used.
/// `longest`: the result of add_perceptual_tables(). Distances are as in CIE94, but with less weight for
/// chroma and hue. Takes about 50 ms.
void add_mixes(const std::vector<std::uint32_t>& palette, std::size_t first, double longest,
               GlyphTables& made);

}  // namespace glyphreel::mapping
