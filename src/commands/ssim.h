#pragma once

#include <cstdint>
#include <span>

#include "base/frame.h"

namespace glyphreel::commands {

/// Returns the structural similarity of a Bgra8 picture to its source, -1 to 1: the mean SSIM index of Wang,
/// Bovik, Sheikh and Simoncelli, "Image Quality Assessment: From Error Visibility to Structural Similarity",
/// 2004 (C1 = (0.01 * 255)^2, C2 = (0.03 * 255)^2), over all windows of 8 x 8 samples. A sample is the mean
/// BT.709 luma of a square as wide as a cell, because a viewer sees the tone of cells, not the strokes of
/// glyphs. `source`: one word 0xLLRRGGBB (L: luma) for each pixel. Returns 1 if the picture is smaller than a
/// window.
[[nodiscard]] double ssim(const Picture& picture, std::span<const std::uint32_t> source, CellSize cell);

}  // namespace glyphreel::commands
