#pragma once

#include <optional>

extern "C" {
#include <libavutil/pixfmt.h>
}

#include "base/frame.h"

namespace glyphreel::media {

/// Where the samples of an FFmpeg format lie, or nothing where PixelLayout cannot tell: palettes, bit
/// streams, Bayer mosaics, floats, XYZ, foreign byte order, fewer than 8 or more than 16 bits, hardware
/// surfaces. Alpha is left out.
[[nodiscard]] std::optional<PixelLayout> layout_of(AVPixelFormat format);

/// Where a format of layout_of() keeps its opacity: as many bits as its components have, not subsampled.
/// Nothing where it has none.
[[nodiscard]] std::optional<ComponentLayout> alpha_of(AVPixelFormat format);

/// The format with a PixelLayout that loses least of `format`, opacity included; AV_PIX_FMT_NONE where
/// swscale cannot read `format`.
[[nodiscard]] AVPixelFormat nearest_native_format(AVPixelFormat format);

/// True for AV_PIX_FMT_YUVJ*, whose name alone says full range.
[[nodiscard]] bool is_full_range_by_name(AVPixelFormat format);

}  // namespace glyphreel::media
