#pragma once

namespace glyphreel::media {

/// Sends FFmpeg's messages to the debug log, so that users see only messages of this program.
void install_ffmpeg_log_handler();

}  // namespace glyphreel::media
