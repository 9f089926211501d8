#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/ffmpeg.h"
#include "media/picture_file.h"
#include "media/webp_layout.h"

struct WebPAnimDecoder;

namespace glyphreel::media {

/// An animated WebP as a file that FFmpeg, which has no decoder for them, can read: a film of uncompressed
/// pictures (see raw_film_head()) that are made when they are read. Opacity and times are the animation's
/// own. Going back decodes again from the key picture before.
///
/// Memory: the file; once more what lies between two of its key pictures; two canvases of four bytes a
/// pixel, and a third while a picture coded without loss is decoded; some 100 bytes a picture of tables. By
/// WebpLimits that is 1.3 GiB at most, and a few MiB for animations as they are met.
///
/// Thread-safety: one thread at a time.
class WebpAnimation {
 public:
  struct Options {
    std::string name;  ///< of the file, for messages
    /// The error to return where reading the file fails with an AVERROR.
    std::function<Error(int averror)> io_failure;
    /// Asked before each picture is decoded; true ends a read from io() with AVERROR_EXIT.
    std::function<bool()> should_stop;
  };
  /// Reads the whole of an animated WebP from `from`, which stands at its start. The functions of `options`
  /// live as long as the object. Blocks on `from`. Errors: BadInput where the file was cut short, is damaged
  /// or is larger than WebpLimits; io_failure's.
  [[nodiscard]] static Result<std::unique_ptr<WebpAnimation>> read(AVIOContext& from, Options options);
  ~WebpAnimation();
  WebpAnimation(const WebpAnimation&) = delete;
  WebpAnimation& operator=(const WebpAnimation&) = delete;

  /// The film, to be opened as format(). Belongs to this object, which outlives who reads it. A picture that
  /// cannot be decoded is AVERROR_INVALIDDATA, and so are those after it up to the next key picture.
  [[nodiscard]] AVIOContext& io() { return *io_; }
  /// QuickTime's demultiplexer.
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
  std::vector<std::uint8_t> head_;  ///< of the film
  std::int64_t picture_bytes_ = 0;
  std::int64_t position_ = 0;  ///< in the film
  bool told_damage_ = false;   ///< of the picture at position_
  AVIOContext* io_ = nullptr;

  std::vector<std::uint8_t> group_;         ///< from a key picture to the next, as a WebP file of their own
  std::optional<std::size_t> group_first_;  ///< number of the first picture of group_
  /// Of group_; null: picture next_ cannot be decoded.
  std::unique_ptr<WebPAnimDecoder, DeleteDecoder> decoder_;
  std::size_t next_ = 0;  ///< number of the picture that decoder_ gives next
  /// Picture next_ - 1, in decoder_'s memory; null: none was given yet.
  const std::uint8_t* canvas_ = nullptr;
};

}  // namespace glyphreel::media
