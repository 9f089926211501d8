#pragma once

#include <cstdint>

#include "base/frame.h"
#include "media/ffmpeg.h"

namespace glyphreel::media {

/// What a stream or a frame says of its colours, in FFmpeg's terms.
struct DeclaredColor {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  Extent size;
};
[[nodiscard]] DeclaredColor declared_color(const AVCodecParameters& parameters);
[[nodiscard]] DeclaredColor declared_color(const AVFrame& frame);

/// The tags to decode by. An unspecified matrix is BT.709 from 1280 columns or 720 rows on, else BT.601, as
/// players have it; an unspecified range is full for RGB, gray and YUVJ formats, else limited, as swscale has
/// it.
[[nodiscard]] ColorTags color_tags(const DeclaredColor& declared);

/// The turn that a display matrix asks for, to the nearest quarter; null: none. Mirroring is not told.
[[nodiscard]] Rotation rotation_of_matrix(const std::int32_t* matrix);
[[nodiscard]] Rotation stream_rotation(const AVStream& stream);
/// The frame's own display matrix where it has one, else `of_stream`.
[[nodiscard]] Rotation frame_rotation(const AVFrame& frame, Rotation of_stream);

}  // namespace glyphreel::media
