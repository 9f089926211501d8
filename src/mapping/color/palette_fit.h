#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace glyphreel::mapping {

/// Returns a palette of `count` colors, 2 or more, for a picture's pixels, dark to light; both are 0xRRGGBB.
/// The palette is the result of k-means in Oklab (MacQueen 1967; Lloyd 1982), where a color counts by the
/// square root of its frequency, so that small objects of another hue get a color of their own. Black and
/// white fill a palette that has more colors than the pixels. The result depends on the pixels alone.
[[nodiscard]] std::vector<std::uint32_t> fit_palette(std::span<const std::uint32_t> pixels,
                                                     std::size_t count);

}  // namespace glyphreel::mapping
