#pragma once

#include <webp/demux.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

/// Upper limits for an animated WebP, which bound memory use. Files that exceed them are rejected.
struct WebpLimits {
  static constexpr std::size_t FileBytes = 256UL * 1024 * 1024;
  static constexpr int Side = 16383;  ///< the format's limit for width and height, in pixels
  static constexpr std::int64_t Pixels = std::int64_t{8192} * 8192;
  static constexpr std::size_t Pictures = 65536;
};

/// The number of bytes that is_animated_webp() needs from the start of a file.
inline constexpr std::size_t WebpHeadBytes = 21;
/// Whether a file is an animated WebP. `head`: its first WebpHeadBytes, or fewer if the file is shorter.
[[nodiscard]] bool is_animated_webp(std::span<const std::uint8_t> head);
/// Returns the file length in bytes that `head` declares; is_animated_webp(head) must be true.
/// Errors: BadInput if the length exceeds WebpLimits. `name`: the file's name, for messages.
[[nodiscard]] Result<std::size_t> webp_file_bytes(std::span<const std::uint8_t> head,
                                                  const std::string& name);

/// An animated WebP, for which FFmpeg has no decoder. Its pictures are decoded on request, in any order.
///
/// Memory: the file; a second copy of the part between two keyframes; two canvases of four bytes per pixel,
/// and a third while a losslessly coded picture is decoded; 32 bytes per picture. With WebpLimits that is
/// 1.3 GiB at most, and a few MiB for typical animations.
///
/// Thread-safety: one thread at a time.
class WebpAnimation {
 public:
  struct Picture {
    std::size_t offset = 0;         ///< position of the ANMF chunk's header, in bytes from the file's start
    std::size_t size = 0;           ///< size of the ANMF chunk in bytes, without padding
    std::int64_t pts_ms = 0;        ///< from the animation's start
    std::uint32_t duration_ms = 0;  ///< declared durations of 10 ms or less become 100 ms, as in browsers
    bool is_key = false;            ///< whether the picture does not depend on earlier pictures
  };
  /// Parses the chunks of a file (https://developers.google.com/speed/webp/docs/riff_container) without
  /// decoding any picture. Errors: BadInput if the file was cut short, is damaged or exceeds WebpLimits.
  [[nodiscard]] static Result<std::unique_ptr<WebpAnimation>> parse(std::vector<std::uint8_t> file,
                                                                    const std::string& name);

  [[nodiscard]] Extent size() const { return size_; }                               ///< in pixels
  [[nodiscard]] int play_count() const { return play_count_; }                      ///< 0: forever
  [[nodiscard]] const std::vector<Picture>& pictures() const { return pictures_; }  ///< at least one
  [[nodiscard]] std::int64_t duration_ms() const {
    return pictures_.back().pts_ms + pictures_.back().duration_ms;
  }

  /// Decodes pictures()[number], starting at the last keyframe at or before it. If the previous call decoded
  /// a picture between that keyframe and `number`, starts after that picture instead. Returns rows of size()
  /// pixels from the top, four bytes per pixel: R, G, B and alpha, not premultiplied; valid until the next
  /// call. Returns null if this picture or an earlier picture on which it depends is damaged. Also returns
  /// null when `should_stop`, which is called before each picture, returns true.
  [[nodiscard]] const std::uint8_t* decode(std::size_t number, const std::function<bool()>& should_stop);

 private:
  WebpAnimation() = default;
  void begin_group(std::size_t first);

  std::vector<std::uint8_t> file_;
  Extent size_;
  int play_count_ = 1;
  std::vector<Picture> pictures_;  ///< in file order

  /// A WebP file that contains one keyframe and the pictures before the next keyframe.
  std::vector<std::uint8_t> group_;
  std::optional<std::size_t> group_first_;  ///< index of the first picture of group_
  /// Decodes group_; null if picture next_ cannot be decoded.
  std::unique_ptr<WebPAnimDecoder, FreeDirect<WebPAnimDecoderDelete>> decoder_;
  std::size_t next_ = 0;  ///< index of the picture that decoder_ outputs next
  /// Picture next_ - 1, in decoder_'s memory; null if no picture has been decoded.
  const std::uint8_t* canvas_ = nullptr;
};

}  // namespace glyphreel::media
