#pragma once

#include <optional>

extern "C" {
#include <libavutil/pixfmt.h>
}

#include "base/frame.h"

namespace glyphreel::media {

/// Returns where the samples of an FFmpeg format lie, or nothing if PixelLayout cannot describe it:
/// palettes, bit streams, Bayer mosaics, floats, XYZ, foreign byte order, fewer than 8 or more than 16
/// bits, hardware surfaces. Alpha is left out.
[[nodiscard]] std::optional<PixelLayout> layout_of(AVPixelFormat format);

/// Returns where a format of layout_of() stores its alpha, which has as many bits as the components and is
/// not subsampled. Nothing if the format has none.
[[nodiscard]] std::optional<ComponentLayout> alpha_of(AVPixelFormat format);

/// Returns the format with a PixelLayout that loses the least of `format`, alpha included; AV_PIX_FMT_NONE
/// if swscale cannot read `format`.
[[nodiscard]] AVPixelFormat nearest_native_format(AVPixelFormat format);

/// True for AV_PIX_FMT_YUVJ*, where the name itself implies full range.
[[nodiscard]] bool is_full_range_by_name(AVPixelFormat format);

}  // namespace glyphreel::media
