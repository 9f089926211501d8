#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/color/oklab.h"

namespace glyphreel::mapping {

/// A color that a palette should be able to show.
struct WantedColor {
  LinearRgb light{};
  Oklab place{};  ///< `light` in Oklab
  double weight = 0;
};

/// The largest palette that fitted_to_mixes() changes: the time grows with the square of the number of
/// colors.
inline constexpr std::size_t MaxMixPaletteColors = 32;

/// Returns a palette whose mixes are closer to the wanted colors than those of `palette`. A mix blends the
/// light of two palette colors, as a cell does if a glyph's ink has one color and its background the other.
/// Alternates between two steps: first chooses the best mix for each wanted color, then the palette with
/// which these mixes have the smallest squared error in linear light. Colors are 0xRRGGBB.
[[nodiscard]] std::vector<std::uint32_t> fitted_to_mixes(std::span<const std::uint32_t> palette,
                                                         std::span<const WantedColor> wanted);

}  // namespace glyphreel::mapping
