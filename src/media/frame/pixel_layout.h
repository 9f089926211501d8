#pragma once

#include <optional>

extern "C" {
#include <libavutil/pixfmt.h>
}

#include "base/frame.h"

namespace glyphreel::media {

/// Returns where the samples of an FFmpeg format are stored; empty if PixelLayout cannot describe the format.
/// PixelLayout cannot describe palettes, bit streams, Bayer mosaics, floats, XYZ, non-native byte order,
/// samples of fewer than 8 or more than 16 bits, or hardware surfaces. The result does not include alpha.
[[nodiscard]] std::optional<PixelLayout> layout_of(AVPixelFormat format);

/// Returns where a format stores its alpha, which is not subsampled. Empty if layout_of() does not support
/// the format, if the format has no alpha, or if its alpha and color components differ in bit depth.
[[nodiscard]] std::optional<ComponentLayout> alpha_of(AVPixelFormat format);

/// Returns a format that layout_of() supports and to which `format`, including its alpha, can be converted
/// with the least loss. Returns AV_PIX_FMT_NONE if swscale cannot read `format`.
[[nodiscard]] AVPixelFormat nearest_native_format(AVPixelFormat format);

/// Whether the format is one of AV_PIX_FMT_YUVJ*, whose names imply full range.
[[nodiscard]] bool is_full_range_by_name(AVPixelFormat format);

}  // namespace glyphreel::media
