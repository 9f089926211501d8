#pragma once

#include <cstdint>
#include <string>

#include "base/frame.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

/// A stream's or frame's declared colors, in FFmpeg's terms.
struct DeclaredColor {
  AVPixelFormat format = AV_PIX_FMT_NONE;
  AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
  AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
  AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
  AVColorTransferCharacteristic transfer = AVCOL_TRC_UNSPECIFIED;
  Extent size;
  AVChromaLocation siting = AVCHROMA_LOC_UNSPECIFIED;
  int peak_nits = 0;  ///< see stream_peak_nits() and frame_peak_nits()
};
[[nodiscard]] DeclaredColor declared_color(const AVCodecParameters& parameters);
[[nodiscard]] DeclaredColor declared_color(const AVFrame& frame);

/// Returns the color tags to use for decoding. Defaults for unspecified values: as in most video players, the
/// matrix is BT.2020 for HDR and for BT.2020 primaries, else BT.709 for videos of at least 1280 columns or
/// 720 rows, else BT.601. As in swscale, the range is full for RGB, gray and YUVJ formats, else limited.
/// Chroma siting is center for YUVJ formats, else left.
[[nodiscard]] ColorTags color_tags(const DeclaredColor& declared);

/// Returns the peak luminance of a PQ video in cd/m2 from its metadata: the peak of the content (MaxCLL in
/// CTA-861.3), else the peak of the mastering display (SMPTE ST 2086); 0 if the metadata has neither.
[[nodiscard]] int stream_peak_nits(const AVStream& stream);
/// Returns the peak luminance in the frame's metadata if it has one, else `of_stream`.
[[nodiscard]] int frame_peak_nits(const AVFrame& frame, int of_stream);

/// Returns the rotation of the stream's display matrix, rounded to the nearest quarter turn. Mirroring is
/// ignored.
[[nodiscard]] Rotation stream_rotation(const AVStream& stream);
/// Returns the rotation of the frame's display matrix if the frame has one, else `of_stream`.
[[nodiscard]] Rotation frame_rotation(const AVFrame& frame, Rotation of_stream);

/// Returns the sample aspect ratio with which a frame has the display aspect ratio `shown`. `size` is the
/// frame's stored size, before the rotation; `shown` is the aspect ratio after the rotation.
[[nodiscard]] Rational sample_aspect_for(Rational shown, Extent size, Rotation rotation);

/// Returns a one-sentence warning if a stream is Dolby Vision without a backward-compatible base layer;
/// otherwise empty.
[[nodiscard]] std::string color_warning(const AVStream& stream);

/// Returns the facts that the container and the decoder report about a video stream before it is decoded.
[[nodiscard]] VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodec& decoder);

}  // namespace glyphreel::media
