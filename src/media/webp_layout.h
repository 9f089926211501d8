#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"

namespace glyphreel::media {

/// What an animated WebP may be at most, so that memory stays bounded. Larger ones are refused.
struct WebpLimits {
  static constexpr std::size_t FileBytes = 256UL * 1024 * 1024;
  static constexpr int Side = 16383;  ///< the format's own for a picture, in pixels
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
  int play_count = 1;  ///< 0: for ever
  bool has_alpha = false;
  std::vector<Picture> pictures;  ///< in the file's order, one at least
};

/// How much of a file must be read to tell whether it is an animated WebP.
inline constexpr std::size_t WebpHeadBytes = 21;
/// `head`: the first WebpHeadBytes of a file, or fewer where it has no more.
[[nodiscard]] bool is_animated_webp(std::span<const std::uint8_t> head);

/// The length that a WebP file tells of itself in its head, in bytes. `head` is_animated_webp().
[[nodiscard]] std::uint64_t webp_file_bytes(std::span<const std::uint8_t> head);

/// Reads the chunks of an animated WebP (https://developers.google.com/speed/webp/docs/riff_container); no
/// picture is decoded. Pictures that ask for 10 ms or less are shown for 100 ms, as browsers do. `name`: of
/// the file, for messages. Errors: BadInput where the file was cut short, is damaged, or is larger than
/// WebpLimits.
[[nodiscard]] Result<WebpLayout> read_webp_layout(std::span<const std::uint8_t> file,
                                                  const std::string& name);

/// A WebP file of the pictures from `first` up to `end` (excluded) of `file` alone; `first` is a key picture.
[[nodiscard]] std::vector<std::uint8_t> webp_excerpt(std::span<const std::uint8_t> file,
                                                     const WebpLayout& layout, std::size_t first,
                                                     std::size_t end);

/// In the place of an animation that is larger than WebpLimits.
[[nodiscard]] Error webp_too_large(const std::string& name);
/// In the place of one that does not hold what it says it holds.
[[nodiscard]] Error webp_damaged(const std::string& name);

}  // namespace glyphreel::media
