#pragma once

#include <string>

namespace glyphreel::player {

/// The first of glyphreel.mp4, glyphreel-2.mp4... that is free in the current folder, its NAME.part.mp4 too.
/// An encoder (FFmpeg's name; empty: the usual one) whose video has no place in mp4 gets .mkv.
[[nodiscard]] std::string free_recording_name(const std::string& codec);

/// "0:12, 3.1 MB" of a recording.
[[nodiscard]] std::string recording_facts(const std::string& path, double seconds);

}  // namespace glyphreel::player
