#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/io/file_descriptor.h"
#include "base/result.h"
#include "media/encode/encoded_picture.h"
#include "media/segment/segment_writer.h"

namespace glyphreel::media {

// The file that a segment writer (segment_writer.h) writes: a signature, then chunks like those of a .cells
// file (cells_format.h).
//   SEGH  version, SegmentStart, encoder_identity()
//   PICT  one encoded picture: pts, dts, duration, flags, bytes; in decoding order
//   SEGE  number of pictures, pts of the last picture

namespace segment {
inline constexpr std::string_view Signature(
    "\x89"
    "REELSEG",
    8);
inline constexpr std::uint16_t Version = 1;
inline constexpr std::string_view Head = "SEGH", Picture = "PICT", End = "SEGE";
inline constexpr std::size_t EndPayload = 2 * sizeof(std::int64_t);
}  // namespace segment

/// Reads the pictures of a segment in decoding order. Thread-safety: one thread at a time.
class SegmentFile {
 public:
  /// Errors: Failed if the file cannot be read, is damaged, or was cut short.
  [[nodiscard]] static Result<std::unique_ptr<SegmentFile>> open(const std::string& path);

  [[nodiscard]] const SegmentFacts& facts() const { return facts_; }
  /// Returns the encoder_identity() of the encoder that wrote the segment.
  [[nodiscard]] const std::string& encoder() const { return encoder_; }
  /// Returns the next picture. At the end, its packet is null. Errors: Failed if the file is damaged.
  [[nodiscard]] Result<EncodedPicture> next();

 private:
  explicit SegmentFile(std::string path) : path_(std::move(path)) {}
  struct Chunk {
    std::string type, payload;
  };
  [[nodiscard]] Result<Chunk> read_chunk();
  [[nodiscard]] Result<std::string> read_bytes(std::size_t size);
  [[nodiscard]] Result<void> read_end();
  [[nodiscard]] Error damaged(const char* what) const;

  const std::string path_;
  FileDescriptor file_;
  std::uint64_t offset_ = 0;
  std::uint64_t size_ = 0;
  SegmentFacts facts_;
  std::string encoder_;
};

/// Returns what must be equal for all segments of a recording: the encoder's name, libavcodec's version, and
/// the codec header (extradata).
[[nodiscard]] std::string encoder_identity(const AVCodecContext& encoder);

}  // namespace glyphreel::media
