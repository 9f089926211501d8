#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// Returns the 16-bit linear light of an 8-bit sRGB code value (IEC 61966-2-1), rounded to nearest.
[[nodiscard]] std::uint32_t linear_from_code(int code);

/// Returns, for each of the 4096 values of 12-bit linear light, the 8-bit code value whose light is nearest.
[[nodiscard]] std::vector<std::uint32_t> encode_table();

/// Returns the luma, 0 to 255, of 0xRRGGBB code values, with BT.709's weights.
[[nodiscard]] double luma_of(std::uint32_t rgb);

/// Returns the ink of each glyph as drawn: the mean linear light of its mask, 65535 = all pixels covered.
[[nodiscard]] std::vector<std::uint32_t> measure_ink(const text::GlyphSet& glyphs);

/// Like measure_ink(), but both halves of a wide character get the mean of the two halves' ink.
[[nodiscard]] std::vector<std::uint32_t> character_ink(const text::GlyphSet& glyphs);

/// Returns the table at MapParameters::glow_at, which glow.glsl describes.
[[nodiscard]] std::vector<std::uint32_t> glow_table(const text::GlyphSet& glyphs);

/// A value for each coverage from 0 to 255.
using MaskCurve = std::array<double, 256>;

/// Returns the identity curve: the coverages, scaled to 0 to 1.
[[nodiscard]] MaskCurve coverage_curve();

/// Returns the linear luminance, 1 = white, of a foreground over a background (both 0xRRGGBB) at every
/// coverage, as the draw pass blends them.
[[nodiscard]] MaskCurve blended_luminance(std::uint32_t foreground, std::uint32_t background);

/// Applies `curve` to every pixel of each glyph's mask and returns the averages over the cell's sample areas,
/// row by row. `samples`: number of areas across and down.
[[nodiscard]] std::vector<std::vector<double>> sample_masks(const text::GlyphSet& glyphs, GridSize samples,
                                                            const MaskCurve& curve);

/// Each glyph's ink as eyes perceive it: the glyph's mask, blurred twice by a Gaussian with a sigma of 1.5/16
/// of the cell's height (see the top of fit.glsl). Pixels beyond the cell count as 0. 1 = all pixels of a
/// cell covered.
struct PerceptualMasks {
  /// Per glyph, the sum of the blurred mask under each sample, row by row.
  std::vector<std::vector<double>> samples;
  std::vector<double> squares;  ///< per glyph, the sum over pixels of the blurred times the unblurred mask
  std::vector<double> full;     ///< `samples` of a fully covered cell: they sum to 1
};
[[nodiscard]] PerceptualMasks perceptual_masks(const text::GlyphSet& glyphs, GridSize samples);

}  // namespace glyphreel::mapping
