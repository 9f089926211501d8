#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// Upper limits for a decoded picture, so that a few kilobytes of input cannot exhaust memory. Inputs with
/// larger pictures are rejected.
struct PictureLimits {
  static constexpr std::int64_t Pixels = std::int64_t{8192} * 8192;  ///< 67 million (8K video has 33 million)
  static constexpr std::int64_t Bytes = 4 * Pixels;                  ///< enough for 8K with 64 bits per pixel
  static constexpr std::int64_t SubtitlePixels = std::int64_t{4096} * 4096;
};

/// Whether a picture exceeds PictureLimits. `bytes`: size of the picture; 0 if unknown.
[[nodiscard]] bool is_too_large(Extent size, std::int64_t bytes);
/// Returns the BadInput error for an input `name` whose pictures are too large.
[[nodiscard]] Error too_large(const std::string& name, Extent size, std::int64_t bytes);

/// Returns how many bytes a decoded picture occupies in host memory. If the picture is in a hardware
/// decoder's memory, returns the bytes that it would occupy after a download.
[[nodiscard]] std::int64_t bytes_of(const FrameView& view);

/// Returns how many pictures of this size may wait in a queue: `wanted`, or as many as fit in 256 MiB if that
/// is less, but at least one.
[[nodiscard]] std::size_t max_queued(std::int64_t picture_bytes, std::size_t wanted);
/// Returns the number of decoder threads, each of which decodes one picture of this size at a time. It is at
/// least one, at most `wanted`, and small enough that one picture per thread and the last decoded picture fit
/// in 512 MiB.
[[nodiscard]] int max_decoder_threads(std::int64_t picture_bytes, int wanted);

}  // namespace glyphreel::media
