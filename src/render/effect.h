#pragma once

#include <cstdint>

#include "base/frame.h"
#include "base/geometry.h"
#include "base/picture_choices.h"
#include "mapping/shared/shared_types.h"
#include "text/glyph_set.h"

namespace glyphreel::render {

using EffectParameters = mapping::shared::EffectParameters;

/// Returns a frame's time for effects: its pts in milliseconds, rounded down; wraps after 49 days.
[[nodiscard]] std::uint32_t effect_time(const Frame& frame);

/// Returns the parameters of an effect. `map`: the parameters that the cells were mapped with, including
/// their grid.
[[nodiscard]] EffectParameters effect_parameters(Effect effect, std::uint32_t time, CellSize cell,
                                                 const mapping::shared::MapParameters& map);

/// Computes one row of cells with the effect applied. `mapped` (input) and `played` (output): whole grids
/// that do not overlap. `tables`: the GlyphTables::words that the cells were mapped with.
void apply_effect_row(const EffectParameters& parameters, const std::uint32_t* tables,
                      const mapping::shared::Cell* mapped, int row, mapping::shared::Cell* played);

/// Light effects on drawn pixels, 0 to 100 each. Text output has no light effects.
struct PixelLight {
  int glow = 0;       ///< how strongly bright pixels light their surroundings
  int scanlines = 0;  ///< how dark the gaps between the scan lines of a cathode-ray tube are
  [[nodiscard]] bool is_on() const { return glow > 0 || scanlines > 0; }
  bool operator==(const PixelLight&) const = default;
};

/// Returns the DrawParameters for glow and scan lines; the fields that they do not need are 0. `map`: the
/// parameters that the cells were mapped with.
[[nodiscard]] mapping::shared::DrawParameters light_parameters(PixelLight light,
                                                               const mapping::shared::MapParameters& map,
                                                               const text::GlyphSet& glyphs);

}  // namespace glyphreel::render
