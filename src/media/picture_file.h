#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace glyphreel::media {

/// What a GIF, PNG or WebP file tells of its animation. FFmpeg's demultiplexers keep it to themselves.
struct Animation {
  bool has_several_pictures = false;
  int play_count = 1;  ///< 0: for ever
  bool operator==(const Animation&) const = default;
};

/// `file`: the file's bytes from its start, the more the better. Empty where it is none of the three, or is
/// damaged before anything can be told.
[[nodiscard]] std::optional<Animation> read_animation(std::span<const std::uint8_t> file);

/// The same of a file on disk; its first 8 MiB are read.
[[nodiscard]] std::optional<Animation> read_animation_of(const std::string& path);

}  // namespace glyphreel::media
