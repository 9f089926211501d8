#pragma once

#include <string>

namespace glyphreel::player {

/// Returns the first of glyphreel.mp4, glyphreel-2.mp4... that is free in the current folder, with its
/// NAME.part.mp4 free too. The ending is that of the first format that can contain the encoder's video.
/// `codec`: FFmpeg's name of the encoder; empty: the default.
[[nodiscard]] std::string free_recording_name(const std::string& codec);

}  // namespace glyphreel::player
