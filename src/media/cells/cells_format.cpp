#include "media/cells/cells_format.h"

#include <libdeflate.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/io/byte_order.h"
#include "media/cells/cell_codec.h"

namespace glyphreel::media {
namespace {

constexpr std::uint16_t HasSound = 1;  // flag of the header
constexpr int PartShift = 24;          // a glyph's word: code point in bits 0 to 23, part above them
constexpr std::size_t IndexEntryBytes = 28;

Error damaged(const char* part) {
  return Error{ErrorCode::BadInput,
               fmt::format("The {} of the .cells file is damaged; use another copy.", part), ""};
}

}  // namespace

std::uint32_t crc32_of(const void* bytes, std::size_t size) {
  return libdeflate_crc32(0, bytes, size);
}

std::uint32_t chunk_crc(std::string_view type, std::string_view payload) {
  return libdeflate_crc32(libdeflate_crc32(0, type.data(), type.size()), payload.data(), payload.size());
}

std::string make_chunk(std::string_view type, std::string_view payload) {
  std::string chunk(type);
  chunk.reserve(payload.size() + ChunkOverhead);
  append_little(chunk, static_cast<std::uint32_t>(payload.size()));
  chunk += payload;
  append_little(chunk, chunk_crc(type, payload));
  return chunk;
}

std::string encode_header(const CellsHeader& header) {
  std::string payload;
  append_little(payload, CellsVersion);
  append_little(payload, header.has_sound ? HasSound : std::uint16_t{0});
  for (const int number : {header.grid.columns, header.grid.rows}) append_little(payload, number);
  for (const int number : {header.cell.width, header.cell.height})
    append_little(payload, static_cast<std::uint8_t>(number));
  for (const Rational& ratio : {header.time_base, header.frame_rate}) {
    append_little(payload, ratio.numerator);
    append_little(payload, ratio.denominator);
  }
  append_little(payload, header.fingerprint);
  const std::string_view font = std::string_view(header.font).substr(0, 0xffff);
  append_little(payload, static_cast<std::uint16_t>(font.size()));
  payload += font;
  return payload;
}

Result<CellsHeader> decode_header(std::string_view payload) {
  ByteReader reader(payload);
  const auto version = reader.get<std::uint16_t>();
  if (!reader.failed() && version != CellsVersion) {
    return Error{
        ErrorCode::BadInput,
        fmt::format("The .cells file has version {}, but this glyphreel reads only version {}: {}.", version,
                    CellsVersion, version < CellsVersion ? "record the video again" : "update glyphreel"),
        ""};
  }
  CellsHeader header;
  header.has_sound = (reader.get<std::uint16_t>() & HasSound) != 0;
  for (int* number : {&header.grid.columns, &header.grid.rows}) *number = reader.get<std::int32_t>();
  for (int* number : {&header.cell.width, &header.cell.height}) *number = reader.get<std::uint8_t>();
  for (Rational* ratio : {&header.time_base, &header.frame_rate}) {
    ratio->numerator = reader.get<std::int64_t>();
    ratio->denominator = reader.get<std::int64_t>();
  }
  header.fingerprint = reader.get<std::uint32_t>();
  header.font = reader.text(reader.get<std::uint16_t>());
  const auto is_side = [](int side) { return side > 0 && side <= MaxGridSide; };
  const bool is_valid = !reader.failed() && is_side(header.grid.columns) && is_side(header.grid.rows) &&
                        header.grid.cells() <= MaxChunkCells && header.cell.width > 0 &&
                        header.cell.height > 0 && header.time_base.is_positive() &&
                        header.frame_rate.numerator >= 0 && header.frame_rate.denominator > 0;
  if (!is_valid) return damaged("header");
  return header;
}

std::string encode_glyphs(const std::vector<RecordedGlyph>& glyphs, std::size_t first) {
  std::string payload;
  append_little(payload, static_cast<std::uint32_t>(glyphs.size() - first));
  for (std::size_t i = first; i < glyphs.size(); ++i) {
    append_little(payload, static_cast<std::uint32_t>(glyphs[i].code_point) |
                               static_cast<std::uint32_t>(glyphs[i].part) << PartShift);
    append_little(payload, glyphs[i].coverage);
  }
  return payload;
}

Result<void> decode_glyphs(std::string_view payload, std::vector<RecordedGlyph>& glyphs) {
  ByteReader reader(payload);
  const auto count = reader.get<std::uint32_t>();
  if (count > static_cast<std::uint32_t>(MaxGlyphs) - glyphs.size()) return damaged("list of glyphs");
  for (std::uint32_t i = 0; i < count && !reader.failed(); ++i) {
    const auto word = reader.get<std::uint32_t>();
    const std::uint32_t part = word >> PartShift;
    const char32_t code_point = word & ((1U << PartShift) - 1);
    const bool is_character = code_point <= 0x10ffff && (code_point < 0xd800 || code_point > 0xdfff);
    if (part > static_cast<std::uint32_t>(RecordedGlyph::Part::Right) || !is_character)
      return damaged("list of glyphs");
    glyphs.push_back({.code_point = code_point,
                      .part = static_cast<RecordedGlyph::Part>(part),
                      .coverage = reader.get<std::uint8_t>()});
  }
  if (reader.failed()) return damaged("list of glyphs");
  return {};
}

std::string encode_masks(std::string_view masks) {
  constexpr int Level = 12;
  std::string payload;
  append_deflated(payload, masks, Level);
  return payload;
}

std::string encode_index(const std::vector<ChunkPlace>& places) {
  std::string payload;
  for (const ChunkPlace& place : places) {
    payload.append(place.type.data(), place.type.size());
    append_little(payload, place.length);
    append_little(payload, place.offset);
    append_little(payload, place.first_pts);
    append_little(payload, place.frames);
  }
  return payload;
}

Result<std::vector<ChunkPlace>> decode_index(std::string_view payload) {
  if (payload.size() % IndexEntryBytes != 0) return damaged("index");
  ByteReader reader(payload);
  std::vector<ChunkPlace> places(payload.size() / IndexEntryBytes);
  for (ChunkPlace& place : places) {
    std::ranges::copy(reader.text(place.type.size()), place.type.begin());
    place.length = reader.get<std::uint32_t>();
    place.offset = reader.get<std::uint64_t>();
    place.first_pts = reader.get<std::int64_t>();
    place.frames = reader.get<std::uint32_t>();
  }
  return places;
}

}  // namespace glyphreel::media
