#pragma once

namespace glyphreel::media {

/// Sends FFmpeg's messages to the debug log, and silences encoders that print messages themselves, so that
/// users see only messages of this program. Call it before starting threads, because it sets an environment
/// variable.
void install_ffmpeg_log_handler();

}  // namespace glyphreel::media
