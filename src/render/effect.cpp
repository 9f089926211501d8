#include "render/effect.h"

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::render {

static_assert(static_cast<std::uint32_t>(Effect::Rain) == mapping::shared::EffectRain);
static_assert(static_cast<std::uint32_t>(Effect::Tube) == mapping::shared::EffectTube);
static_assert(static_cast<std::uint32_t>(Effect::Glitch) == mapping::shared::EffectGlitch);
static_assert(static_cast<std::uint32_t>(Effect::Ripple) == mapping::shared::EffectRipple);

std::uint32_t effect_time(const Frame& frame) {
  const Rational& base = frame.time_base;
  if (!base.is_positive()) return 0;
  // Converts whole multiples of the denominator separately, so that the product does not overflow for long
  // videos.
  const std::int64_t whole = frame.pts / base.denominator;
  const std::int64_t rest = frame.pts % base.denominator;
  const std::int64_t milliseconds =
      whole * base.numerator * 1000 + rest * base.numerator * 1000 / base.denominator;
  return static_cast<std::uint32_t>(milliseconds);
}

EffectParameters effect_parameters(Effect effect, std::uint32_t time, CellSize cell,
                                   const mapping::shared::MapParameters& map) {
  return {.effect = static_cast<std::uint32_t>(effect),
          .time = time,
          .cell_width = static_cast<std::uint32_t>(cell.width),
          .cell_height = static_cast<std::uint32_t>(cell.height),
          .map = map};
}

void apply_effect_row(const EffectParameters& parameters, const std::uint32_t* tables,
                      const mapping::shared::Cell* mapped, int row, mapping::shared::Cell* played) {
  const std::uint32_t columns = parameters.map.columns;
  const auto at = static_cast<std::uint32_t>(row);
  for (std::uint32_t column = 0; column < columns; ++column) {
    played[at * columns + column] =
        mapping::shared::scalar::effect_cell(column, at, parameters, mapped, tables);
  }
}

mapping::shared::DrawParameters light_parameters(PixelLight light, const mapping::shared::MapParameters& map,
                                                 const text::GlyphSet& glyphs) {
  const auto of_256 = [](int percent) { return static_cast<std::uint32_t>((percent * 256 + 50) / 100); };
  return {.cell_width = static_cast<std::uint32_t>(glyphs.cell().width),
          .cell_height = static_cast<std::uint32_t>(glyphs.cell().height),
          .glow = of_256(light.glow),
          .scanlines = of_256(light.scanlines),
          .glow_at = map.glow_at,
          .glow_glyphs = static_cast<std::uint32_t>(glyphs.size())};
}

}  // namespace glyphreel::render
