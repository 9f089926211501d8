#include "media/cells/ogg_opus.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace glyphreel::media {
namespace {

constexpr int OggBufferBytes = 32 * 1024;
constexpr int PreSkipAt = 10;  // byte offset of the 16-bit field "pre-skip" in the Opus header

Error ogg_failure(int code) {
  return av_failure(ErrorCode::Failed, "The sound cannot be written as Ogg Opus; use --audio no.", code);
}

}  // namespace

Result<std::unique_ptr<OggOpusWriter>> OggOpusWriter::open(const AudioStream& audio, double origin_seconds) {
  std::unique_ptr<OggOpusWriter> writer(new OggOpusWriter());
  TRY(writer->start(audio));
  const int rate = writer->transcoder_->encoder().sample_rate;
  writer->origin_ = std::llround(origin_seconds * rate);
  writer->transcoder_->begin_at(writer->origin_);
  return writer;
}

Result<void> OggOpusWriter::start(const AudioStream& audio) {
  if (const int code = avformat_alloc_output_context2(&format_, nullptr, "ogg", nullptr); code < 0)
    return ogg_failure(code);
  auto* buffer = static_cast<unsigned char*>(checked(av_malloc(OggBufferBytes)));
  format_->pb = avio_alloc_context(buffer, OggBufferBytes, 1, this, nullptr, append, nullptr);
  check_memory(format_->pb != nullptr);
  // Without BITEXACT, the serial number of the stream would be random.
  format_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
  format_->flush_packets = 1;
  format_->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
  TRY_ASSIGN(transcoder_, AudioTranscoder::open(audio, "libopus", CodecHeaders::InContainer));
  const AVCodecContext& encoder = transcoder_->encoder();
  AVStream* stream = checked(avformat_new_stream(format_, nullptr));
  check_memory(avcodec_parameters_from_context(stream->codecpar, &encoder) >= 0);
  stream->time_base = encoder.time_base;
  return {};
}

/// Writes the header. `first_pts`: the pts of the first packet or the negated number of the encoder's padding
/// samples, whichever is lower.
Result<void> OggOpusWriter::write_header(std::int64_t first_pts) {
  AVCodecParameters& parameters = *format_->streams[0]->codecpar;
  // Players discard the samples before time 0. The header contains their number.
  const auto discarded = static_cast<std::uint16_t>(-first_pts);
  parameters.initial_padding = discarded;
  check_memory(parameters.extradata_size > PreSkipAt + 1);
  parameters.extradata[PreSkipAt] = static_cast<std::uint8_t>(discarded & 255);
  parameters.extradata[PreSkipAt + 1] = static_cast<std::uint8_t>(discarded >> 8);
  if (const int code = avformat_write_header(format_, nullptr); code < 0) return ogg_failure(code);
  has_header_ = true;
  return {};
}

OggOpusWriter::~OggOpusWriter() {
  if (format_ == nullptr) return;
  if (format_->pb != nullptr) {
    av_freep(&format_->pb->buffer);
    avio_context_free(&format_->pb);
  }
  avformat_free_context(format_);
}

int OggOpusWriter::append(void* opaque, WrittenByte* bytes, int size) {
  static_cast<OggOpusWriter*>(opaque)->bytes_.append(reinterpret_cast<const char*>(bytes),
                                                     static_cast<std::size_t>(size));
  return size;
}

Result<void> OggOpusWriter::write(const AudioPacket& packet) {
  TRY_ASSIGN(std::vector<PacketPtr> packets, transcoder_->transcode(packet.packet.get()));
  return mux(std::move(packets));
}

Result<void> OggOpusWriter::mux(std::vector<PacketPtr> packets) {
  const AVCodecContext& encoder = transcoder_->encoder();
  for (PacketPtr& packet : packets) {
    packet->pts -= origin_;
    packet->dts -= origin_;
    if (packet->pts + packet->duration <= -encoder.initial_padding) continue;
    if (!has_header_) TRY(write_header(std::min<std::int64_t>(packet->pts, -encoder.initial_padding)));
    av_packet_rescale_ts(packet.get(), encoder.time_base, format_->streams[0]->time_base);
    packet->stream_index = 0;
    if (const int code = av_write_frame(format_, packet.get()); code < 0) return ogg_failure(code);
  }
  return {};
}

Result<void> OggOpusWriter::finish() {
  TRY_ASSIGN(std::vector<PacketPtr> packets, transcoder_->transcode(nullptr));
  TRY(mux(std::move(packets)));
  if (!has_header_) TRY(write_header(-transcoder_->encoder().initial_padding));
  if (const int code = av_write_trailer(format_); code < 0) return ogg_failure(code);
  avio_flush(format_->pb);
  return {};
}

Result<std::unique_ptr<SoundWriter>> open_ogg_opus(const AudioStream& audio, double origin_seconds) {
  TRY_ASSIGN(std::unique_ptr<OggOpusWriter> writer, OggOpusWriter::open(audio, origin_seconds));
  return std::unique_ptr<SoundWriter>(std::move(writer));
}

}  // namespace glyphreel::media
