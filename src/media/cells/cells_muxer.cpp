#include "media/cells/cells_muxer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/io/byte_order.h"
#include "media/cells/ogg_opus.h"

namespace glyphreel::media {

CellsMuxer::CellsMuxer(CellsMuxerOptions options, Output output)
    : options_(std::move(options)),
      output_(std::move(output)),
      glyphs_(options_.glyphs),
      encoder_(options_.header.grid, std::llround(ChunkSeconds / options_.header.time_base.value()),
               glyphs_) {}
CellsMuxer::~CellsMuxer() = default;

Result<std::unique_ptr<CellsMuxer>> CellsMuxer::open(CellsMuxerOptions options, Output output) {
  std::unique_ptr<CellsMuxer> muxer(new CellsMuxer(std::move(options), std::move(output)));
  TRY(muxer->begin());
  return muxer;
}

Result<void> CellsMuxer::begin() {
  if (options_.audio != nullptr) {
    TRY_ASSIGN(sound_, OggOpusWriter::open(*options_.audio, options_.origin_seconds));
  }
  TRY(output_(CellsSignature));
  offset_ = CellsSignature.size();
  CellsHeader header = options_.header;
  header.has_sound = sound_ != nullptr;
  TRY(write_chunk(chunk::Head, encode_header(header)));
  return write_glyphs(0, options_.masks);
}

Result<void> CellsMuxer::write_glyphs(std::size_t first, std::string_view masks) {
  TRY(write_chunk(chunk::Glyphs, encode_glyphs(glyphs_, first)));
  return write_chunk(chunk::Masks, encode_masks(masks));
}

Result<std::uint32_t> CellsMuxer::add_glyphs(std::span<const RecordedGlyph> glyphs, std::string_view masks) {
  TRY(write_frames_chunk());
  const std::size_t first = glyphs_.size();
  glyphs_.insert(glyphs_.end(), glyphs.begin(), glyphs.end());
  TRY(write_glyphs(first, masks));
  return static_cast<std::uint32_t>(first);
}

Result<void> CellsMuxer::write_chunk(std::string_view type, std::string_view payload) {
  ChunkPlace place{.length = static_cast<std::uint32_t>(payload.size()), .offset = offset_};
  std::ranges::copy(type, place.type.begin());
  if (type == chunk::Frames) {
    TRY_ASSIGN(const ChunkTimes times, chunk_times(payload));
    place.first_pts = times.first_pts;
    place.frames = times.frames;
  }
  const std::string bytes = make_chunk(type, payload);
  TRY(output_(bytes));
  offset_ += bytes.size();
  places_.push_back(place);
  return {};
}

Result<void> CellsMuxer::write(std::span<const RecordedCell> cells, const FrameTimes& times) {
  FrameTimes shown = times;
  shown.pts = std::max(shown.pts, last_pts_);
  last_pts_ = shown.pts;
  if (!encoder_.accepts(shown.pts)) TRY(write_frames_chunk());
  encoder_.add(cells, shown);
  return {};
}

Result<void> CellsMuxer::write_frames_chunk() {
  TRY(write_sound_chunk());
  if (encoder_.frames() == 0) return {};
  const int frames = encoder_.frames();
  TRY(write_chunk(chunk::Frames, encoder_.finish()));
  frames_written_ += frames;
  return {};
}

Result<void> CellsMuxer::write_sound_chunk() {
  if (sound_ == nullptr) return {};
  const std::string bytes = sound_->take_bytes();
  return bytes.empty() ? Result<void>() : write_chunk(chunk::Sound, bytes);
}

Result<void> CellsMuxer::write_audio(const AudioPacket& packet) {
  return sound_ != nullptr ? sound_->write(packet) : Result<void>();
}

Result<void> CellsMuxer::finish() {
  TRY(write_frames_chunk());
  if (sound_ != nullptr) TRY(sound_->finish());
  TRY(write_sound_chunk());
  const std::uint64_t index_offset = offset_;
  TRY(write_chunk(chunk::Index, encode_index(places_)));
  std::string tail;
  append_little(tail, index_offset);
  return write_chunk(chunk::Tail, tail);
}

}  // namespace glyphreel::media
