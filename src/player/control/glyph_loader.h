#pragma once

#include <memory>

#include "base/geometry.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "mapping/shared/parameters.h"
#include "mapping/tables/glyph_tables.h"
#include "text/glyph_set.h"

namespace glyphreel::player {

/// The results of the slow part of changing glyphs: what configure() needs besides the grid.
struct LoadedGlyphs {
  cli::Settings settings;  ///< that it was made for
  std::shared_ptr<const text::GlyphSet> glyphs;
  mapping::Parameters mapping;
  std::shared_ptr<const mapping::GlyphTables> tables;
};

/// Draws and measures the glyphs; takes milliseconds to seconds. `shown`: the current ones, whose glyph set
/// is reused if it is the requested one. Errors: Usage: charset, ramp, font.
[[nodiscard]] Result<LoadedGlyphs> load_glyphs(const cli::Settings& settings, CellSize cell,
                                               const LoadedGlyphs& shown = {});

}  // namespace glyphreel::player
