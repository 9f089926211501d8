#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace glyphreel::media {

/// Properties of the animation in a GIF or PNG file. FFmpeg's demuxers do not provide these properties.
struct Animation {
  bool has_several_pictures = false;
  int play_count = 1;  ///< 0: forever
  bool operator==(const Animation&) const = default;
};

/// Parses the start of a file; more bytes give a more reliable result. Returns empty if the file is neither
/// GIF nor PNG, or is a GIF file shorter than its header.
[[nodiscard]] std::optional<Animation> read_animation(std::span<const std::uint8_t> file);

/// Same as read_animation(), for the first 8 MiB of a file on disk.
[[nodiscard]] std::optional<Animation> read_animation_of(const std::string& path);

}  // namespace glyphreel::media
