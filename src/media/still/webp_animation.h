#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/ffmpeg/ffmpeg.h"
#include "media/still/picture_file.h"
#include "media/still/webp_layout.h"

struct WebPAnimDecoder;

namespace glyphreel::media {

/// Presents an animated WebP, for which FFmpeg has no decoder, as a file that FFmpeg can read: a video of
/// uncompressed pictures (see raw_film_head()) that are decoded when they are read. Alpha and times are the
/// animation's own. Seeking back decodes again from the preceding key picture.
///
/// Memory: the file; a second copy of the part between two of its key pictures; two canvases of four bytes
/// per pixel, and a third while a losslessly coded picture is decoded; about 100 bytes of tables per
/// picture. With WebpLimits that is 1.3 GiB at most, and a few MiB for typical animations.
///
/// Thread-safety: one thread at a time.
class WebpAnimation {
 public:
  struct Options {
    std::string name;  ///< the file's name, for messages
    /// Returns the error to report when reading the file fails with an AVERROR.
    std::function<Error(int averror)> io_failure;
    /// Called before each picture is decoded; true ends a read from io() with AVERROR_EXIT.
    std::function<bool()> should_stop;
  };
  /// Reads a whole animated WebP from `from`, which must be at its start. The object keeps the functions of
  /// `options` for its lifetime. Blocks on `from`. Errors: BadInput if the file was cut short, is damaged
  /// or exceeds WebpLimits; those of io_failure.
  [[nodiscard]] static Result<std::unique_ptr<WebpAnimation>> read(AVIOContext& from, Options options);
  ~WebpAnimation();
  WebpAnimation(const WebpAnimation&) = delete;
  WebpAnimation& operator=(const WebpAnimation&) = delete;

  /// The video, to be opened as format(). Owned by this object, which must outlive its readers. A picture
  /// that cannot be decoded gives AVERROR_INVALIDDATA, as do those after it up to the next key picture.
  [[nodiscard]] AVIOContext& io() { return *io_; }
  /// FFmpeg's QuickTime demuxer.
  [[nodiscard]] static const AVInputFormat* format();
  [[nodiscard]] Animation facts() const;

 private:
  struct DeleteDecoder {
    void operator()(WebPAnimDecoder* decoder) const;
  };

  WebpAnimation(std::vector<std::uint8_t> file, WebpLayout layout, Options options);
  [[nodiscard]] int read(std::uint8_t* buffer, int size);
  [[nodiscard]] std::int64_t seek(std::int64_t offset, int whence);
  [[nodiscard]] int decode(std::size_t number);
  void forget_damage();
  void begin_group(std::size_t first);
  [[nodiscard]] std::int64_t film_bytes() const;

  std::vector<std::uint8_t> file_;
  WebpLayout layout_;
  Options options_;
  std::vector<std::uint8_t> head_;  ///< of the QuickTime file
  std::int64_t picture_bytes_ = 0;
  std::int64_t position_ = 0;  ///< in the QuickTime file
  bool told_damage_ = false;   ///< the picture at position_ was reported as damaged
  AVIOContext* io_ = nullptr;

  std::vector<std::uint8_t> group_;         ///< from a key picture to the next, as a separate WebP file
  std::optional<std::size_t> group_first_;  ///< number of the first picture of group_
  /// Decodes group_; null: picture next_ cannot be decoded.
  std::unique_ptr<WebPAnimDecoder, DeleteDecoder> decoder_;
  std::size_t next_ = 0;  ///< number of the picture that decoder_ outputs next
  /// Picture next_ - 1, in decoder_'s memory; null: none was decoded yet.
  const std::uint8_t* canvas_ = nullptr;
};

}  // namespace glyphreel::media
