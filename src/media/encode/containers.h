#pragma once

#include <string>

#include "media/ffmpeg/ffmpeg.h"
#include "media/encode/writer.h"

namespace glyphreel::media {

/// A file format for recordings.
struct Container {
  const char* ending;         ///< file extension, without the dot
  const char* muxer;          ///< FFmpeg's name
  const char* video_encoder;  ///< the default
  const char* audio_encoder;  ///< for sound that cannot be copied
  bool is_iso = false;        ///< mp4 and mov: fragments while recording
};

/// Returns the container for the extension of `path`, in any case. Errors: Usage, naming the extensions.
[[nodiscard]] Result<Container> container_of(const std::string& path);

/// Whether players can be expected to play `codec` in `container`.
[[nodiscard]] bool takes_codec(const Container& container, AVCodecID codec);

/// Returns the encoder by name, or the container's default. Errors: Usage, naming suitable encoders.
[[nodiscard]] Result<const AVCodec*> find_video_encoder(const WriterOptions& options,
                                                        const Container& container);

/// Returns the input format for `encoder`: BGR0 if it is lossless only, else YUV420P, else BGR0; NONE if it
/// accepts neither.
[[nodiscard]] AVPixelFormat encoder_format(const AVCodec& encoder);

}  // namespace glyphreel::media
