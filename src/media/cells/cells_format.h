#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/cell_frame.h"
#include "base/rational.h"
#include "base/result.h"

namespace glyphreel::media {

// The container of .cells files, as docs/cells-format.md describes it: a signature, then chunks of
//   type (4 letters), length of the payload (u32), payload, CRC-32 of type and payload (u32),
// with all integers in little-endian order.

inline constexpr std::string_view CellsSignature(
    "\x89"
    "CELLS\n\x1a",
    8);
inline constexpr std::uint16_t CellsVersion = 2;
inline constexpr std::size_t ChunkHeadBytes = 8;
inline constexpr std::size_t ChunkOverhead = ChunkHeadBytes + 4;
inline constexpr std::uint32_t MaxPayload = 1U << 28;
inline constexpr int MaxGridSide = 16384;

namespace chunk {
inline constexpr std::string_view Head = "HEAD";    ///< CellsHeader
inline constexpr std::string_view Glyphs = "GLYF";  ///< glyphs, numbered consecutively across all GLYF chunks
inline constexpr std::string_view Masks = "MASK";   ///< pixels of the glyphs
inline constexpr std::string_view Frames = "FRAM";  ///< see cell_codec.h
inline constexpr std::string_view Sound = "SOND";   ///< the next bytes of an Ogg Opus file
inline constexpr std::string_view Index = "INDX";   ///< a ChunkPlace for each chunk before this one
inline constexpr std::string_view Tail = "TAIL";    ///< the position of the index in the file, in bytes
}  // namespace chunk

/// The content of the HEAD chunk.
struct CellsHeader {
  GridSize grid;
  CellSize cell;
  Rational time_base{1, 1000};
  Rational frame_rate{0, 1};  ///< 0/1: unknown
  bool has_sound = false;
  std::string font;               ///< see RecordedGlyphs
  std::uint32_t fingerprint = 0;  ///< see RecordedGlyphs
};

/// Where a chunk is, and what it contains.
struct ChunkPlace {
  std::array<char, 4> type{};
  std::uint32_t length = 0;    ///< of the payload, in bytes
  std::uint64_t offset = 0;    ///< position of the chunk in the file, in bytes
  std::int64_t first_pts = 0;  ///< pts of the first frame; 0 unless the chunk contains frames
  std::uint32_t frames = 0;    ///< number of frames
  [[nodiscard]] bool is(std::string_view name) const {
    return std::string_view(type.data(), type.size()) == name;
  }
  bool operator==(const ChunkPlace&) const = default;
};

/// Returns a complete chunk: type, length, payload and CRC-32.
[[nodiscard]] std::string make_chunk(std::string_view type, std::string_view payload);
/// Returns the CRC-32 at the end of a chunk.
[[nodiscard]] std::uint32_t chunk_crc(std::string_view type, std::string_view payload);
/// Returns the CRC-32 of `size` bytes, with the polynomial of PNG and zlib.
[[nodiscard]] std::uint32_t crc32_of(const void* bytes, std::size_t size);

[[nodiscard]] std::string encode_header(const CellsHeader& header);
/// Errors: BadInput if the payload is damaged or has a different version.
[[nodiscard]] Result<CellsHeader> decode_header(std::string_view payload);

[[nodiscard]] std::string encode_glyphs(const std::vector<RecordedGlyph>& glyphs, std::size_t first);
/// Decodes the glyphs in `payload` and appends them to `glyphs`. Errors: BadInput if the payload is damaged.
[[nodiscard]] Result<void> decode_glyphs(std::string_view payload, std::vector<RecordedGlyph>& glyphs);

/// `masks`: one byte per pixel, see text::GlyphSet::masks().
[[nodiscard]] std::string encode_masks(std::string_view masks);

[[nodiscard]] std::string encode_index(const std::vector<ChunkPlace>& places);
/// Errors: BadInput if the payload is damaged.
[[nodiscard]] Result<std::vector<ChunkPlace>> decode_index(std::string_view payload);

}  // namespace glyphreel::media
