#pragma once

#include "media/ffmpeg.h"
#include "media/source.h"

namespace glyphreel::media {

/// What the container and the opened decoder say of a picture stream, before any of it is decoded.
[[nodiscard]] VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodecContext& decoder);

}  // namespace glyphreel::media
