#pragma once

#include "mapping/tables/glyph_tables.h"
#include "mapping/tables/table_writer.h"

namespace glyphreel::mapping {

/// Adds the tables with which shaders/shared/mix.glsl chooses two palette colors and a glyph for a cell:
///
///   mix_at         MixesPerColor words for each palette_key(): the mixes nearest to the color, the first for
///                  cells of one color, the others for cells of increasing contrast. Two palette indices of 8
///                  bits, the first one's share (7 bits, MixOne = 1) and the distance (9 bits, 8 = 1 CIELAB)
///   mix_levels_at  by share: the glyph with the least texture (15 bits), whether its ink has the second
///                  color (1 bit), and the least and the greatest perceived contrast of the glyphs with
///                  about this share (8 bits each)
///   mix_forms_at, root_at, mix_scale   see MapParameters
///
/// Needs the tables of add_perceptual_tables(). `longest`: its result. Distances weigh chroma and hue as
/// CIE94 does, and lightness less. Takes some 50 ms.
void add_mixes(const std::vector<std::uint32_t>& palette, std::size_t first, double longest,
               GlyphTables& made);

}  // namespace glyphreel::mapping
