#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/export_formats.h"
#include "media/encode/writer.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// The settings that let a video encoder keep pace with rendering.
struct EncoderProfile {
  const char* encoder;         ///< FFmpeg's name
  bool is_suggested;           ///< named in messages, if this FFmpeg has it
  const char* quality_option;  ///< for constant quality; null: none
  int default_quality;
  std::array<std::pair<const char*, const char*>, 3> options;
};
/// Returns the encoder's profile. Null: it is used with FFmpeg's defaults.
[[nodiscard]] const EncoderProfile* find_encoder_profile(std::string_view encoder);

/// Returns the format for the ending of `path`. Errors: Usage if it is not a video's.
[[nodiscard]] Result<ExportFormat> video_format_of(const std::string& path);

/// Whether players can be expected to play `codec` in `container`.
[[nodiscard]] bool takes_codec(const VideoContainer& container, AVCodecID codec);

/// Returns the encoder by name, or the format's default. Errors: Usage, naming suitable encoders.
[[nodiscard]] Result<const AVCodec*> find_video_encoder(const WriterOptions& options,
                                                        const ExportFormat& format);

[[nodiscard]] bool is_lossless_only(const AVCodec& encoder);

/// Returns the input format for `encoder`: BGR0 if it is lossless only, else YUV420P, else BGR0; NONE if it
/// accepts neither.
[[nodiscard]] AVPixelFormat encoder_format(const AVCodec& encoder);

/// Returns the pictures that are encoded in an encoder_format().
[[nodiscard]] PictureFormat picture_format_of(AVPixelFormat format);

}  // namespace glyphreel::media
