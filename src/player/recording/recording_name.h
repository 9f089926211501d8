#pragma once

#include <string>

namespace glyphreel::player {

/// Returns the first of the names glyphreel.mp4, glyphreel-2.mp4, glyphreel-3.mp4... that is free in the
/// current folder. NAME.mp4 is free if neither NAME.mp4 nor NAME.part.mp4 exists. Instead of "mp4", uses the
/// extension of the first export format that can contain the encoder's video. `codec`: FFmpeg's name of the
/// encoder; empty: the default encoder.
[[nodiscard]] std::string free_recording_name(const std::string& codec);

}  // namespace glyphreel::player
