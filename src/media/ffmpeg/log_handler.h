#pragma once

namespace glyphreel::media {

/// Routes FFmpeg's own messages to the debug log, so that the user sees only this program's messages.
void install_ffmpeg_log_handler();

}  // namespace glyphreel::media
