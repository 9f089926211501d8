#pragma once

#include <string>

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
  AVChromaLocation siting = AVCHROMA_LOC_UNSPECIFIED;
  int peak_nits = 0;  ///< as stream_peak_nits() and frame_peak_nits() tell it
};
[[nodiscard]] DeclaredColor declared_color(const AVCodecParameters& parameters);
[[nodiscard]] DeclaredColor declared_color(const AVFrame& frame);

/// The tags to decode by. An unspecified matrix is BT.2020's for HDR and for BT.2020's primaries, else
/// BT.709's from 1280 columns or 720 rows on and BT.601's below, as players have it; an unspecified range is
/// full for RGB, gray and YUVJ formats, else limited, as swscale has it; an unspecified chroma siting is amid
/// the pixels for YUVJ formats, else left.
[[nodiscard]] ColorTags color_tags(const DeclaredColor& declared);

/// The brightest light of a PQ programme in cd/m2 by its metadata: the content's own (MaxCLL, CTA-861.3),
/// else the mastering display's (SMPTE ST 2086); 0 where there is neither.
[[nodiscard]] int stream_peak_nits(const AVStream& stream);
/// The frame's own where it has one, else `of_stream`.
[[nodiscard]] int frame_peak_nits(const AVFrame& frame, int of_stream);

/// The turn that a display matrix asks for, to the nearest quarter; null: none. Mirroring is not told.
[[nodiscard]] Rotation rotation_of_matrix(const std::int32_t* matrix);
[[nodiscard]] Rotation stream_rotation(const AVStream& stream);
/// The frame's own display matrix where it has one, else `of_stream`.
[[nodiscard]] Rotation frame_rotation(const AVFrame& frame, Rotation of_stream);

/// What a user should know of a stream's colours, in a sentence: Dolby Vision's own, where no base layer
/// stands in for them. Empty: nothing.
[[nodiscard]] std::string color_warning(const AVStream& stream);

}  // namespace glyphreel::media
