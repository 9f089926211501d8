#pragma once

#include "media/ffmpeg/ffmpeg.h"
#include "media/stream/video_facts.h"

namespace glyphreel::media {

/// Returns what the container and the decoder report about a video stream before any of it is decoded.
[[nodiscard]] VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodec& decoder);

}  // namespace glyphreel::media
