#pragma once

#include <string>

#include "media/ffmpeg.h"
#include "media/writer.h"

namespace glyphreel::media {

/// A file format that recordings can have.
struct Container {
  const char* ending;         ///< of the file's name, without the dot
  const char* muxer;          ///< FFmpeg's name
  const char* video_encoder;  ///< the default
  const char* audio_encoder;  ///< for sound that cannot be copied
  bool is_iso = false;        ///< mp4 and mov: fragments while recording
};

/// By the ending of `path`, in any case. Errors: Usage, naming the endings.
[[nodiscard]] Result<Container> container_of(const std::string& path);

/// Whether players can be expected to play `codec` in `container`.
[[nodiscard]] bool takes_codec(const Container& container, AVCodecID codec);

/// The encoder by name, or the container's default. Errors: Usage, naming encoders that would do.
[[nodiscard]] Result<const AVCodec*> find_video_encoder(const WriterOptions& options,
                                                        const Container& container);

/// The format that `encoder` is fed with: BGR0 where it is lossless only, else YUV420P, else BGR0; NONE:
/// neither.
[[nodiscard]] AVPixelFormat encoder_format(const AVCodec& encoder);

}  // namespace glyphreel::media
