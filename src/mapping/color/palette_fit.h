#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glyphreel::mapping {

/// Returns a palette of up to `count` colors (at least 2) for an image's pixels, from dark to light. Pixels
/// and colors are 0xRRGGBB. The palette is made by k-means in Oklab (MacQueen 1967; Lloyd 1982). A color
/// counts by the square root of its frequency, so that small objects with a rare hue get a palette color. If
/// the image has fewer colors than `count`, black and white are added. If it has more, and `count` is at most
/// MaxMixPaletteColors, fitted_to_mixes() then improves the palette. The result depends only on the pixels.
[[nodiscard]] std::vector<std::uint32_t> fit_palette(std::span<const std::uint32_t> pixels,
                                                     std::size_t count);

}  // namespace glyphreel::mapping
