#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/geometry.h"
#include "text/glyph_set.h"

namespace glyphreel::mapping {

/// 16-bit linear light of an 8-bit sRGB code value (IEC 61966-2-1), rounded to nearest.
[[nodiscard]] std::uint32_t linear_from_code(int code);

/// 8-bit code values of 12-bit linear light, by nearest light: 4096 of them.
[[nodiscard]] std::vector<std::uint32_t> encode_table();

/// BT.709's weights on 0xRRGGBB code values: 0 to 255.
[[nodiscard]] double luma_of(std::uint32_t rgb);

/// The drawn ink of each glyph: mean linear light of its mask, 65535 = a full cell of ink.
[[nodiscard]] std::vector<std::uint32_t> measure_ink(const text::GlyphSet& glyphs);

/// The same for characters: both halves of a wide one have the mean of the two.
[[nodiscard]] std::vector<std::uint32_t> character_ink(const text::GlyphSet& glyphs);

/// A number for every coverage of 0 to 255.
using MaskCurve = std::array<double, 256>;

/// Linear luminance, 1 = white, of ink drawn over paper (both 0xRRGGBB) at every coverage, as the draw pass
/// blends them.
[[nodiscard]] MaskCurve blended_luminance(std::uint32_t ink, std::uint32_t paper);

/// Each glyph's mask, averaged under each of `samples` (across x down) areas of the cell, row by row, `curve`
/// applied to every pixel first.
[[nodiscard]] std::vector<std::vector<double>> sample_masks(const text::GlyphSet& glyphs, GridSize samples,
                                                            const MaskCurve& curve);

/// Samples low-passed by 1 2 1 along both axes, the ends repeated: as smooth_samples() in cell_samples.glsl.
[[nodiscard]] std::vector<double> smoothed(const std::vector<double>& vector, GridSize samples);

}  // namespace glyphreel::mapping
