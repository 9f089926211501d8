#pragma once

#include "media/ffmpeg.h"
#include "media/source.h"

namespace glyphreel::media {

/// What the container and the decoder say of a picture stream, before any of it is decoded.
[[nodiscard]] VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodec& decoder);

}  // namespace glyphreel::media
