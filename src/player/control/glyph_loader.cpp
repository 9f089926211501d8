#include "player/control/glyph_loader.h"

#include <utility>

#include "mapping/tables/sample_plan.h"
#include "session/setup.h"

namespace glyphreel::player {
namespace {

/// Whether both use the same characters of the same font.
bool same_characters(const cli::Settings& a, const cli::Settings& b) {
  const auto own_ramp = [](const cli::Settings& settings) {
    return settings.mode == Mode::Ramp ? settings.ramp : std::string();
  };
  return a.font == b.font && a.charset == b.charset && own_ramp(a) == own_ramp(b);
}

}  // namespace

Result<LoadedGlyphs> load_glyphs(const cli::Settings& settings, CellSize cell, const LoadedGlyphs& shown) {
  LoadedGlyphs loaded{.settings = settings, .mapping = session::mapping_parameters(settings)};
  if (shown.glyphs && shown.glyphs->cell() == cell && same_characters(shown.settings, settings)) {
    loaded.glyphs = shown.glyphs;
  } else {
    TRY_ASSIGN(loaded.glyphs, session::make_glyphs(settings, cell));
  }
  TRY_ASSIGN(mapping::GlyphTables tables,
             mapping::make_glyph_tables(*loaded.glyphs, loaded.mapping,
                                        mapping::samples_per_cell(cell, loaded.mapping.sampling)));
  loaded.tables = std::make_shared<const mapping::GlyphTables>(std::move(tables));
  return loaded;
}

}  // namespace glyphreel::player
