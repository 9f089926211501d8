#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// Upper limits for an animated WebP, so that memory stays bounded. Larger ones are refused.
struct WebpLimits {
  static constexpr std::size_t FileBytes = 256UL * 1024 * 1024;
  static constexpr int Side = 16383;  ///< the format's own limit for a picture, in pixels
  static constexpr std::int64_t Pixels = std::int64_t{8192} * 8192;
  static constexpr std::size_t Pictures = 65536;
};

/// Where the parts of an animated WebP file lie.
struct WebpLayout {
  struct Picture {
    std::size_t offset = 0;         ///< of its ANMF chunk, header included, in bytes from the file's start
    std::size_t size = 0;           ///< of that chunk, without padding
    std::uint32_t duration_ms = 0;  ///< as shown, see read_webp_layout()
    bool is_key = false;            ///< nothing of the pictures before it shows through
  };
  Extent canvas;       ///< in pixels
  int play_count = 1;  ///< 0: forever
  bool has_alpha = false;
  std::vector<Picture> pictures;  ///< in file order, at least one
};

/// How many bytes of a file is_animated_webp() needs.
inline constexpr std::size_t WebpHeadBytes = 21;
/// `head`: the first WebpHeadBytes of a file, or fewer if the file is shorter.
[[nodiscard]] bool is_animated_webp(std::span<const std::uint8_t> head);

/// Returns the length that a WebP file declares in its head, in bytes. `head` must be is_animated_webp().
[[nodiscard]] std::uint64_t webp_file_bytes(std::span<const std::uint8_t> head);

/// Reads the chunks of an animated WebP (https://developers.google.com/speed/webp/docs/riff_container)
/// without decoding any picture. Durations of 10 ms or less become 100 ms, as in browsers. `name`: the
/// file's name, for messages. Errors: BadInput if the file was cut short, is damaged, or exceeds
/// WebpLimits.
[[nodiscard]] Result<WebpLayout> read_webp_layout(std::span<const std::uint8_t> file,
                                                  const std::string& name);

/// Returns a WebP file with only the pictures from `first` up to `end` (excluded) of `file`; `first` must
/// be a key picture.
[[nodiscard]] std::vector<std::uint8_t> webp_excerpt(std::span<const std::uint8_t> file,
                                                     const WebpLayout& layout, std::size_t first,
                                                     std::size_t end);

/// The error for an animation that exceeds WebpLimits.
[[nodiscard]] Error webp_too_large(const std::string& name);
/// The error for a file that does not hold what it declares.
[[nodiscard]] Error webp_damaged(const std::string& name);

}  // namespace glyphreel::media
