#include "media/cells/cells_muxer.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <thread>
#include <utility>

#include "base/io/byte_order.h"
#include "media/cells/ogg_opus.h"

namespace glyphreel::media {
namespace {

int chunks_at_once(const CellsMuxerOptions& options) {
  const int wanted = options.chunks_at_once > 0 ? options.chunks_at_once
                                                : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(wanted, 1, MaxChunksAtOnce);
}

}  // namespace

CellsMuxer::CellsMuxer(CellsMuxerOptions options, Output output)
    : options_(std::move(options)), output_(std::move(output)), glyphs_(options_.glyphs) {}
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
  end_chunk();
  TRY(write_ended(0));  // the encoders read glyphs_, which must not change meanwhile
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
  if (encoder_ != nullptr && !encoder_->accepts(shown.pts)) end_chunk();
  TRY(write_ended(static_cast<std::size_t>(chunks_at_once(options_)) - 1));
  if (encoder_ == nullptr) {
    const auto chunk_length = std::llround(ChunkSeconds / options_.header.time_base.value());
    encoder_ = std::make_unique<CellEncoder>(options_.header.grid, chunk_length, glyphs_);
  }
  encoder_->add(cells, shown);
  return {};
}

void CellsMuxer::end_chunk() {
  if (encoder_ != nullptr && encoder_->frames() == 0) encoder_.reset();  // its first frame could not be added
  if (encoder_ != nullptr) encoder_->end();
  std::string sound = sound_ != nullptr ? sound_->take_bytes() : std::string();
  ended_.push_back({.sound = std::move(sound), .encoder = std::move(encoder_)});
}

Result<void> CellsMuxer::write_ended(std::size_t most) {
  while (!failure_ && !ended_.empty()) {
    const bool is_done = ended_.front().encoder == nullptr || ended_.front().encoder->is_done();
    if (!is_done && ended_.size() <= most) return {};
    Ended next = std::move(ended_.front());
    ended_.pop_front();
    if (Result<void> written = write(std::move(next)); !written) failure_ = std::move(written.error());
  }
  return failure_ ? Result<void>(*failure_) : Result<void>();
}

Result<void> CellsMuxer::write(Ended ended) {
  if (!ended.sound.empty()) TRY(write_chunk(chunk::Sound, ended.sound));
  if (ended.encoder == nullptr) return {};
  TRY_ASSIGN(const std::string payload, ended.encoder->finish());
  TRY(write_chunk(chunk::Frames, payload));
  frames_written_ += ended.encoder->frames();
  return {};
}

Result<void> CellsMuxer::write_audio(const AudioPacket& packet) {
  return sound_ != nullptr ? sound_->write(packet) : Result<void>();
}

Result<void> CellsMuxer::finish() {
  end_chunk();
  TRY(write_ended(0));
  if (sound_ != nullptr) TRY(sound_->finish());
  end_chunk();
  TRY(write_ended(0));
  const std::uint64_t index_offset = offset_;
  TRY(write_chunk(chunk::Index, encode_index(places_)));
  std::string tail;
  append_little(tail, index_offset);
  return write_chunk(chunk::Tail, tail);
}

}  // namespace glyphreel::media
