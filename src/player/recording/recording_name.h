#pragma once

#include <string>

namespace glyphreel::player {

/// Returns the first of glyphreel.mp4, glyphreel-2.mp4... for which neither that file nor its NAME.part.mp4
/// exists in the current folder. The extension is that of the first format that can contain the encoder's
/// video. `codec`: FFmpeg's name of the encoder; empty: the default encoder.
[[nodiscard]] std::string free_recording_name(const std::string& codec);

}  // namespace glyphreel::player
