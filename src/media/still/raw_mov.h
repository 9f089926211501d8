#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/frame.h"

namespace glyphreel::media {

/// Returns the head of a QuickTime video of uncompressed pictures: the whole file except the pictures,
/// which follow one after another, rows from the top, four bytes per pixel: R, G, B and alpha, not
/// premultiplied. FFmpeg finds each picture by its number. `size`: at most 65535 pixels per side.
/// `durations_ms`: of each picture; the video's time base is 1/1000 s.
[[nodiscard]] std::vector<std::uint8_t> raw_film_head(Extent size,
                                                      std::span<const std::uint32_t> durations_ms);

}  // namespace glyphreel::media
