#pragma once

#include <cstdint>
#include <vector>

namespace glyphreel::mapping {

/// A threshold table has a value of 0 to 255 for each cell of a DitherSize x DitherSize square, row by row
/// from the top. The square tiles the grid without visible seams. Every threshold occurs equally often.
/// Thresholds do not depend on time, so they do not flicker.

/// Returns Bayer's ordered dither (1973): a 16 x 16 matrix, repeated. It is made from Bayer's 8 x 8 matrix by
/// splitting each of the 64 steps into four.
[[nodiscard]] std::vector<std::uint32_t> bayer_thresholds();

/// Returns blue noise, which has no visible pattern and no clumps. It is made by the void-and-cluster method
/// (R. Ulichney, "The void-and-cluster method for dither array generation", 1993). The thresholds are the
/// same on every machine. The first call takes some milliseconds.
[[nodiscard]] const std::vector<std::uint32_t>& blue_noise_thresholds();

/// Returns a 2 x 2 ordered dither between forms: cells of one tone alternate between two forms, so that their
/// average is this tone even if no form has it. The table has 4096 words, indexed by relative light
/// (light.glsl). A cell's light is moved by the word's upper half (signed), plus -3/8, -1/8, 1/8 or 3/8 of
/// the word's lower half, depending on the cell's position. The table is made from the forms that match cells
/// of uniform light. A matching form's light may differ from the cell's light, since matching also compares
/// how light is distributed in the cell. `features`: per form, the compressed values of its pooled light and
/// of its mean light; for a wide form, the values of both cells. `means`: each form's mean relative light.
/// `compressed`: the table at LightTables::compress_at.
[[nodiscard]] std::vector<std::uint32_t> mono_dither(const std::vector<std::vector<int>>& features,
                                                     const std::vector<double>& means,
                                                     const std::vector<std::uint32_t>& compressed);

}  // namespace glyphreel::mapping
