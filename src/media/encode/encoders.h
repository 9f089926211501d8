#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/export_formats.h"
#include "media/encode/writer.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// The settings with which a video encoder keeps pace with rendering.
struct EncoderProfile {
  const char* encoder;         ///< FFmpeg's name
  bool is_suggested;           ///< whether messages suggest this encoder if this FFmpeg has it
  const char* quality_option;  ///< option for constant quality; null: none
  int default_quality;
  std::array<std::pair<const char*, const char*>, 3> options;
};
/// Returns the encoder's profile; null if the encoder is used with FFmpeg's defaults.
[[nodiscard]] const EncoderProfile* find_encoder_profile(std::string_view encoder);

/// Returns the format for the extension of `path`. Errors: Usage if it is not a video format.
[[nodiscard]] Result<ExportFormat> video_format_of(const std::string& path);

/// Whether players can be expected to play `codec` in `container`.
[[nodiscard]] bool takes_codec(const VideoContainer& container, AVCodecID codec);

/// Returns the encoder named by `options`, an encoder for the codec named there, or the format's default.
/// Errors: Usage; the message names suitable encoders.
[[nodiscard]] Result<const AVCodec*> find_video_encoder(const WriterOptions& options,
                                                        const ExportFormat& format);

[[nodiscard]] bool is_lossless_only(const AVCodec& encoder);

/// Returns the pixel format that `encoder` receives. Lossless-only encoders receive BGR0 if they support it.
/// All others receive YUV420P or, if they do not support it, BGR0. Returns AV_PIX_FMT_NONE if `encoder`
/// supports neither.
[[nodiscard]] AVPixelFormat encoder_format(const AVCodec& encoder);

/// Returns the picture format for a pixel format that encoder_format() returned.
[[nodiscard]] PictureFormat picture_format_of(AVPixelFormat format);

}  // namespace glyphreel::media
