#include "media/cells/sound_reader.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace glyphreel::media {
namespace {

constexpr int SoundBufferBytes = 32 * 1024;

}  // namespace

Result<std::unique_ptr<SoundReader>> SoundReader::open(const CellsFile& file) {
  std::unique_ptr<SoundReader> reader(new SoundReader(file));
  std::int64_t start = 0;
  for (const ChunkPlace& place : file.sound_chunks()) {
    reader->starts_.push_back(start);
    start += place.length;
  }
  reader->starts_.push_back(start);
  reader->format_ = checked(avformat_alloc_context());
  auto* buffer = static_cast<unsigned char*>(checked(av_malloc(SoundBufferBytes)));
  reader->format_->pb =
      avio_alloc_context(buffer, SoundBufferBytes, 0, reader.get(), read_bytes, nullptr, seek_bytes);
  check_memory(reader->format_->pb != nullptr);
  reader->format_->flags |= AVFMT_FLAG_CUSTOM_IO;
  AVIOContext* io = reader->format_->pb;
  int code = avformat_open_input(&reader->format_, nullptr, av_find_input_format("ogg"), nullptr);
  if (code < 0) {  // FFmpeg has freed the format context, but not the I/O context
    av_freep(&io->buffer);
    avio_context_free(&io);
    return bad_input(
        code,
        "The sound of the .cells file is damaged; use another copy of the file, or play it with --audio no.");
  }
  code = avformat_find_stream_info(reader->format_, nullptr);
  if (code < 0 || reader->format_->nb_streams != 1 ||
      reader->format_->streams[0]->codecpar->codec_id != AV_CODEC_ID_OPUS) {
    return bad_input(
        "The sound of the .cells file is damaged; use another copy of the file, or play it with --audio no.");
  }
  const AVStream& stream = *reader->format_->streams[0];
  auto description = std::make_shared<AudioStream>();
  description->parameters = copy_of(*stream.codecpar);
  description->time_base = stream.time_base;
  description->leading_samples = stream.codecpar->initial_padding;
  reader->stream_ = std::move(description);
  return reader;
}

SoundReader::~SoundReader() {
  if (format_ == nullptr) return;
  AVIOContext* io = format_->pb;
  avformat_close_input(&format_);
  av_freep(&io->buffer);
  avio_context_free(&io);
}

int SoundReader::read_bytes(void* opaque, std::uint8_t* buffer, int size) {
  auto& self = *static_cast<SoundReader*>(opaque);
  if (self.position_ >= self.starts_.back()) return AVERROR_EOF;
  const auto after = std::ranges::upper_bound(self.starts_, self.position_);
  const auto number = static_cast<std::size_t>(after - self.starts_.begin()) - 1;
  if (self.cached_ != number) {
    Result<std::string> payload = self.file_.read(self.file_.sound_chunks()[number]);
    if (!payload) return AVERROR_INVALIDDATA;
    self.cache_ = *std::move(payload);
    self.cached_ = number;
  }
  const auto offset = static_cast<std::size_t>(self.position_ - self.starts_[number]);
  const std::size_t count = std::min(static_cast<std::size_t>(size), self.cache_.size() - offset);
  std::memcpy(buffer, self.cache_.data() + offset, count);
  self.position_ += static_cast<std::int64_t>(count);
  return static_cast<int>(count);
}

std::int64_t SoundReader::seek_bytes(void* opaque, std::int64_t offset, int whence) {
  auto& self = *static_cast<SoundReader*>(opaque);
  const std::int64_t size = self.starts_.back();
  if ((whence & AVSEEK_SIZE) != 0) return size;
  switch (whence & ~AVSEEK_FORCE) {
    case SEEK_SET:
      break;
    case SEEK_CUR:
      offset += self.position_;
      break;
    case SEEK_END:
      offset += size;
      break;
    default:
      return AVERROR(EINVAL);
  }
  if (offset < 0 || offset > size) return AVERROR(EINVAL);
  return self.position_ = offset;
}

void SoundReader::fetch() {
  if (next_ != nullptr || has_ended_) return;
  PacketPtr packet = new_packet();
  if (av_read_frame(format_, packet.get()) < 0) {
    has_ended_ = true;
  } else {
    next_ = std::move(packet);
  }
}

std::shared_ptr<const AudioPacket> SoundReader::read(std::uint32_t epoch) {
  fetch();
  if (next_ == nullptr) return nullptr;
  return std::make_shared<const AudioPacket>(
      AudioPacket{.packet = std::exchange(next_, nullptr), .time_base = stream_->time_base, .epoch = epoch});
}

double SoundReader::next_seconds() {
  fetch();
  if (next_ == nullptr) return std::numeric_limits<double>::infinity();
  return next_->pts == AV_NOPTS_VALUE ? 0 : static_cast<double>(next_->pts) * av_q2d(stream_->time_base);
}

void SoundReader::seek(double seconds) {
  next_.reset();
  has_ended_ = false;
  const auto target = static_cast<std::int64_t>(std::max(0.0, seconds) / av_q2d(stream_->time_base));
  if (av_seek_frame(format_, 0, target, AVSEEK_FLAG_BACKWARD) < 0)
    av_seek_frame(format_, 0, 0, AVSEEK_FLAG_BACKWARD);
  // Skip the packets that end before the target.
  for (fetch(); next_ != nullptr && next_->pts != AV_NOPTS_VALUE && next_->pts + next_->duration <= target;
       fetch())
    next_.reset();
}

}  // namespace glyphreel::media
