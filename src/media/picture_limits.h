#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// What a decoded picture may be at most, so that a few kilobytes of input cannot take all memory. Inputs
/// with larger pictures are refused.
struct PictureLimits {
  static constexpr std::int64_t Pixels = std::int64_t{8192} * 8192;  ///< 67 million: 8K video has 33 million
  static constexpr std::int64_t Bytes = 4 * Pixels;                  ///< 8K with 64 bits for each pixel
  static constexpr std::int64_t SubtitlePixels = std::int64_t{4096} * 4096;
};

/// `bytes`: of one picture; 0: unknown.
[[nodiscard]] bool is_too_large(Extent size, std::int64_t bytes);
/// Why the input `name` with such pictures is refused. BadInput.
[[nodiscard]] Error too_large(const std::string& name, Extent size, std::int64_t bytes);

/// Bytes of a decoded picture in host memory, whether it is there or in a hardware decoder.
[[nodiscard]] std::int64_t bytes_of(const FrameView& view);

/// How many pictures of so many bytes may wait in a queue: at most `wanted`, at most what fits in 256 MiB, at
/// least one.
[[nodiscard]] std::size_t most_queued(std::int64_t picture_bytes, std::size_t wanted);
/// How many threads may each decode one of them at a time: at most `wanted`, at most what fits in 512 MiB
/// with the picture that was decoded last, at least one.
[[nodiscard]] int most_decoder_threads(std::int64_t picture_bytes, int wanted);

}  // namespace glyphreel::media
