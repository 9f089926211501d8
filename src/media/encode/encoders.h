#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/export_formats.h"
#include "media/encode/writer.h"
#include "media/ffmpeg/ffmpeg.h"

extern "C" {
#include <libavutil/hwcontext.h>
}

namespace glyphreel::media {

/// Settings that make a video encoder fast enough to keep pace with rendering.
struct EncoderProfile {
  const char* encoder;         ///< FFmpeg's name
  bool is_suggested;           ///< whether messages suggest this encoder if this FFmpeg has it
  const char* quality_option;  ///< option for constant quality; null: none
  int default_quality;
  std::array<std::pair<const char*, const char*>, 3> options;
};
/// Returns the encoder's profile; null if the encoder is used with FFmpeg's defaults.
[[nodiscard]] const EncoderProfile* find_encoder_profile(std::string_view encoder);

/// Returns the format of the output. Errors: Usage if it is not a video format.
[[nodiscard]] Result<ExportFormat> video_format_of(const WriterOptions& options);

/// Whether players can be expected to play `codec` in `container`.
[[nodiscard]] bool takes_codec(const VideoContainer& container, AVCodecID codec);

/// An encoder, and the pixel format of the pictures that it receives.
struct ChosenEncoder {
  const AVCodec* codec = nullptr;
  AVPixelFormat format = AV_PIX_FMT_NONE;
  /// For an encoder that reads only GPU memory: the API, and the pixel format of the surfaces to which
  /// pictures are uploaded. NONE for all other encoders.
  AVHWDeviceType device = AV_HWDEVICE_TYPE_NONE;
  AVPixelFormat surface = AV_PIX_FMT_NONE;
};
/// Chooses the encoder. WriterOptions::codec names an encoder or a codec; if it is empty, the default encoder
/// of `format` is used. The pixel format is WriterOptions::pixel_format. If `pixel_format` is empty,
/// lossless-only encoders receive BGR0 if they support it, encoders that read only GPU memory receive NV12,
/// and all other encoders receive the first of YUV420P, NV12 and BGR0 that they support.
/// Errors: Usage; the message names suitable encoders or pixel formats.
[[nodiscard]] Result<ChosenEncoder> find_video_encoder(const WriterOptions& options,
                                                       const ExportFormat& format);

[[nodiscard]] bool is_lossless_only(const AVCodec& encoder);

/// Returns `size`, rounded up to whole chroma samples of `format`.
[[nodiscard]] Extent encodable_size(AVPixelFormat format, Extent size);

/// Returns the picture format to draw for an encoder that receives `format`: Yuv420p for YUV420P and NV12,
/// otherwise Bgra8. VideoEncoder converts the pictures if necessary.
[[nodiscard]] PictureFormat picture_format_of(AVPixelFormat format);

}  // namespace glyphreel::media
