#pragma once

#include <cstdint>

#include "base/frame.h"
#include "base/geometry.h"
#include "mapping/shared_types.h"

namespace glyphreel::render {

/// What plays with the picture's cells after mapping, under any text: see shaders/shared/effect.glsl.
enum class Effect : std::uint32_t {
  None = mapping::shared::EffectNone,
  Rain = mapping::shared::EffectRain,
  Tube = mapping::shared::EffectTube,
  Glitch = mapping::shared::EffectGlitch,
  Ripple = mapping::shared::EffectRipple,
};

using EffectParameters = mapping::shared::EffectParameters;

/// The time of a frame as effects see it: milliseconds of the film, rounded down; they wrap after 49 days.
[[nodiscard]] std::uint32_t effect_time(const Frame& frame);

/// `map`: what the cells were mapped with, with their grid in it.
[[nodiscard]] EffectParameters effect_parameters(Effect effect, std::uint32_t time, CellSize cell,
                                                 const mapping::shared::MapParameters& map);

/// One row of the effect's cells. `mapped`: the whole grid, another place than `played`, the whole grid too.
/// `tables`: GlyphTables::words of what the cells were mapped with.
void play_row(const EffectParameters& parameters, const std::uint32_t* tables,
              const mapping::shared::Cell* mapped, int row, mapping::shared::Cell* played);

}  // namespace glyphreel::render
