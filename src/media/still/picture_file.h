#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace glyphreel::media {

/// What a GIF or PNG file says about its animation. FFmpeg's demuxers do not expose it.
struct Animation {
  bool has_several_pictures = false;
  int play_count = 1;  ///< 0: forever
  bool operator==(const Animation&) const = default;
};

/// `file`: the file's bytes from its start, the more the better. Returns empty if it is neither
/// format, or is damaged before anything can be determined.
[[nodiscard]] std::optional<Animation> read_animation(std::span<const std::uint8_t> file);

/// The same for a file on disk; reads its first 8 MiB.
[[nodiscard]] std::optional<Animation> read_animation_of(const std::string& path);

}  // namespace glyphreel::media
