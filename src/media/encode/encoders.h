#pragma once

#include <array>
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

/// Returns the encoder by name, or the format's default. Errors: Usage, naming suitable encoders.
[[nodiscard]] Result<const AVCodec*> find_video_encoder(const WriterOptions& options,
                                                        const ExportFormat& format);

/// Returns the input format for `encoder`: BGR0 if it is lossless only, else YUV420P, else BGR0; NONE if it
/// accepts neither.
[[nodiscard]] AVPixelFormat encoder_format(const AVCodec& encoder);

/// Returns the pictures that are encoded in an encoder_format().
[[nodiscard]] PictureFormat picture_format_of(AVPixelFormat format);

}  // namespace glyphreel::media
