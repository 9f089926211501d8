#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/frame.h"

namespace glyphreel::media {

/// The start of a QuickTime film of uncompressed pictures: all of the file but the pictures, which follow one
/// after the other, rows from the top, four bytes a pixel: R, G, B and opacity, not premultiplied. FFmpeg
/// finds each by its number. `size`: at most 65535 pixels a side. `durations_ms`: of each picture; the film's
/// time base is 1/1000 s.
[[nodiscard]] std::vector<std::uint8_t> raw_film_head(Extent size,
                                                      std::span<const std::uint32_t> durations_ms);

}  // namespace glyphreel::media
