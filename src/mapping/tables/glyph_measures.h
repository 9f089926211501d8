#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// 16-bit linear light of an 8-bit sRGB code value (IEC 61966-2-1), rounded to nearest.
[[nodiscard]] std::uint32_t linear_from_code(int code);

/// 8-bit code values for the 4096 values of 12-bit linear light, by nearest light.
[[nodiscard]] std::vector<std::uint32_t> encode_table();

/// Luma of 0xRRGGBB code values with BT.709's weights: 0 to 255.
[[nodiscard]] double luma_of(std::uint32_t rgb);

/// The ink of each glyph as drawn: mean linear light of its mask, 65535 = a full cell of ink.
[[nodiscard]] std::vector<std::uint32_t> measure_ink(const text::GlyphSet& glyphs);

/// The same for characters: both halves of a wide one have their common mean.
[[nodiscard]] std::vector<std::uint32_t> character_ink(const text::GlyphSet& glyphs);

/// A value for each coverage from 0 to 255.
using MaskCurve = std::array<double, 256>;

/// Coverage itself, from 0 to 1.
[[nodiscard]] MaskCurve coverage_curve();

/// Linear luminance, 1 = white, of a foreground over a background (both 0xRRGGBB) at
/// every coverage, as the draw pass blends them.
[[nodiscard]] MaskCurve blended_luminance(std::uint32_t foreground, std::uint32_t background);

/// Each glyph's mask, with `curve` applied to every pixel, averaged under each of `samples` (across x down)
/// areas of the cell, row by row.
[[nodiscard]] std::vector<std::vector<double>> sample_masks(const text::GlyphSet& glyphs, GridSize samples,
                                                            const MaskCurve& curve);

/// Each glyph's ink as eyes perceive it: its mask blurred twice by a Gaussian of 1.5/16 of the cell's
/// height, with nothing beyond the cell (the head of fit.glsl). 1 = all of a cell full of ink.
struct PerceptualMasks {
  std::vector<std::vector<double>> samples;  ///< per glyph, summed under each sample, row by row
  std::vector<double> squares;               ///< per glyph, the sum of its products with the unblurred mask
  std::vector<double> full;                  ///< `samples` of a cell full of ink: they sum to 1
};
[[nodiscard]] PerceptualMasks perceptual_masks(const text::GlyphSet& glyphs, GridSize samples);

}  // namespace glyphreel::mapping
