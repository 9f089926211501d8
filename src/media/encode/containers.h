#pragma once

#include <string>

#include "base/export_formats.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Returns the format for the ending of `path`. Errors: Usage if it is not a video's.
[[nodiscard]] Result<ExportFormat> video_format_of(const std::string& path);

/// Whether players can be expected to play `codec` in `container`.
[[nodiscard]] bool takes_codec(const VideoContainer& container, AVCodecID codec);

}  // namespace glyphreel::media
