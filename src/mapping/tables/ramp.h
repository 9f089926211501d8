#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "mapping/shared/parameters.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// The glyph for each tone, and the tone of each glyph.
struct Ramp {
  std::vector<std::uint32_t> entries;  ///< the table at RampTables::entries_at: 256 words
  std::vector<std::uint32_t>
      tones;          ///< the table at RampTables::tones_at: one word per glyph; all 0 if thresholds are set
  bool wide = false;  ///< true: glyph 0 in `entries` is the blank, and glyph n is the nth wide character
};

/// Makes a ramp from the user's ramp and thresholds. Without a user's ramp, uses all narrow glyphs or, if
/// none of them has ink, the blank and all wide characters. Without thresholds, a glyph's tone depends on its
/// measured ink. Errors: Usage if the ramp names a character that `glyphs` lacks or mixes narrow and wide
/// characters, or if the number of thresholds does not fit the ramp.
[[nodiscard]] Result<Ramp> make_ramp(const text::GlyphSet& glyphs, const Parameters& parameters);

}  // namespace glyphreel::mapping
