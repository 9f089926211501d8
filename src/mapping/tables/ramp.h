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
      tones;          ///< the table at RampTables::tones_at: one word per glyph; all 0 with thresholds
  bool wide = false;  ///< if true, entries number the wide characters from 1, and 0 is the blank
};

/// Makes a ramp from the user's ramp and thresholds. Without a user's ramp, uses all narrow glyphs by
/// measured ink or, if none of them has ink, the blank and all wide characters. Errors: Usage if the ramp
/// names a character that `glyphs` lacks or mixes narrow and wide characters, or if the number of thresholds
/// does not fit the ramp.
[[nodiscard]] Result<Ramp> make_ramp(const text::GlyphSet& glyphs, const Parameters& parameters);

}  // namespace glyphreel::mapping
