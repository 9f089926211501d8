#include "media/cells/cell_codec.h"

#include <libdeflate.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <new>
#include <optional>

#include "base/io/byte_order.h"
#include "media/cells/cell_model.h"

namespace glyphreel::media {
namespace {

constexpr std::int64_t PreferredChunkCells = 1 << 21;
// libdeflate's level, 1 to 12. A medium level suffices because only the frames' times can be compressed
// further; the cells are already arithmetic-coded.
constexpr int CompressionLevel = 6;
constexpr std::size_t MaxDeflateRatio = 1032;

Error damaged() {
  return Error{ErrorCode::BadInput, "A chunk of the .cells file is damaged; record the video again.", ""};
}

/// Returns the number of bits in a glyph number.
int bits_per_glyph(std::size_t glyphs) {
  return static_cast<int>(std::bit_width(std::max<std::size_t>(glyphs, 1) - 1));
}

}  // namespace

int max_chunk_frames(GridSize grid) {
  return static_cast<int>(
      std::clamp<std::int64_t>(PreferredChunkCells / std::max(1, grid.cells()), 1, MaxChunkFrames));
}

CellEncoder::CellEncoder(GridSize grid, std::int64_t chunk_length, std::span<const RecordedGlyph> glyphs)
    : grid_(grid),
      chunk_length_(chunk_length),
      glyphs_(glyphs),
      call_(
          "cells", [this](const std::stop_token&) -> Result<std::string> { return encode(); },
          [this] { is_done_ = true; }) {
  times_.reserve(MaxChunkFrames);  // so that add() cannot fail after it has queued a frame
}
CellEncoder::~CellEncoder() {
  waiting_.abort();
}

bool CellEncoder::accepts(std::int64_t pts) const {
  if (times_.empty()) return true;
  const bool has_room = frames() < MinChunkFrames || pts - times_.front().pts < chunk_length_;
  return has_room && frames() < max_chunk_frames(grid_) && pts >= times_.back().pts &&
         pts - times_.back().pts <= std::numeric_limits<std::uint32_t>::max();
}

void CellEncoder::add(std::span<const RecordedCell> cells, const FrameTimes& times) {
  waiting_.push({cells.begin(), cells.end()});
  times_.push_back(times);
}

std::string CellEncoder::encode() {
  CellModel model(grid_);
  model.begin_chunk(bits_per_glyph(glyphs_.size()));
  BitEncoder coder;
  while (std::optional<std::vector<RecordedCell>> cells = waiting_.pop())
    CHECK(model.code_frame(coder, *cells, glyphs_), "a recorded cell has an unknown glyph");
  return coder.finish();
}

Result<std::string> CellEncoder::finish() {
  end();
  TRY_ASSIGN(const std::string cells, call_.wait());
  std::string raw;
  std::int64_t last = times_.front().pts;
  for (const FrameTimes& times : times_) {
    append_little(raw, static_cast<std::uint32_t>(times.pts - last));
    append_little(raw, times.duration);
    last = times.pts;
  }
  raw += cells;

  std::string payload;
  append_little(payload, times_.front().pts);
  append_little(payload, static_cast<std::uint32_t>(times_.size()));
  append_little(payload, static_cast<std::uint32_t>(raw.size()));
  append_little(payload, static_cast<std::uint8_t>(bits_per_glyph(glyphs_.size())));
  append_deflated(payload, raw, CompressionLevel);
  return payload;
}

void append_deflated(std::string& payload, std::string_view bytes, int level) {
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (compressor == nullptr) throw std::bad_alloc();
  const std::size_t start = payload.size();
  payload.resize(start + libdeflate_deflate_compress_bound(compressor.get(), bytes.size()));
  payload.resize(start + libdeflate_deflate_compress(compressor.get(), bytes.data(), bytes.size(),
                                                     payload.data() + start, payload.size() - start));
}

Result<ChunkTimes> chunk_times(std::string_view payload) {
  ByteReader reader(payload);
  ChunkTimes times;
  times.first_pts = reader.get<std::int64_t>();
  times.frames = reader.get<std::uint32_t>();
  if (reader.failed() || times.frames == 0 || times.frames > MaxChunkFrames) return damaged();
  return times;
}

CellDecoder::CellDecoder(GridSize grid, const std::vector<RecordedGlyph>& glyphs)
    : grid_(grid), glyphs_(glyphs), model_(std::make_unique<CellModel>(grid)) {}
CellDecoder::~CellDecoder() = default;

Result<std::unique_ptr<CellDecoder>> CellDecoder::open(GridSize grid,
                                                       const std::vector<RecordedGlyph>& glyphs,
                                                       std::string_view payload) {
  TRY_ASSIGN(const ChunkTimes chunk, chunk_times(payload));
  ByteReader header(payload.substr(sizeof(std::int64_t) + sizeof(std::uint32_t)));
  const auto raw_bytes = header.get<std::uint32_t>();
  const int glyph_bits = header.get<std::uint8_t>();
  const std::string_view deflated = header.rest();
  const std::int64_t cells = grid.cells() * static_cast<std::int64_t>(chunk.frames);
  if (glyph_bits > CellModel::MaxGlyphBits || cells > MaxChunkCells ||
      raw_bytes > MaxDeflateRatio * deflated.size())
    return damaged();

  std::unique_ptr<CellDecoder> decoder(new CellDecoder(grid, glyphs));
  decoder->model_->begin_chunk(glyph_bits);
  decoder->inflated_.resize(raw_bytes);
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (decompressor == nullptr) throw std::bad_alloc();
  if (libdeflate_deflate_decompress(decompressor.get(), deflated.data(), deflated.size(),
                                    decoder->inflated_.data(), raw_bytes, nullptr) != LIBDEFLATE_SUCCESS)
    return damaged();

  ByteReader raw(decoder->inflated_);
  std::int64_t pts = chunk.first_pts;
  for (std::uint32_t i = 0; i < chunk.frames; ++i) {
    // Unsigned addition wraps; a malicious file could overflow a signed sum, which is undefined behavior.
    pts = static_cast<std::int64_t>(static_cast<std::uint64_t>(pts) + raw.get<std::uint32_t>());
    decoder->times_.push_back({.pts = pts, .duration = raw.get<std::uint32_t>()});
  }
  if (raw.failed()) return damaged();
  decoder->coder_ = BitDecoder(raw.rest());
  return decoder;
}

Result<void> CellDecoder::read(std::span<RecordedCell> cells) {
  ++next_;
  if (!model_->code_frame(coder_, cells, glyphs_) || coder_.failed()) {
    next_ = static_cast<int>(times_.size());
    return damaged();
  }
  return {};
}

}  // namespace glyphreel::media
