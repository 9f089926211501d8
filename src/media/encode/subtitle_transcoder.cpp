#include "media/encode/subtitle_transcoder.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

namespace glyphreel::media {
namespace {

// Size of the buffer for an encoded packet; the ffmpeg program uses the same size.
constexpr std::size_t MaxPacketBytes = 1024 * 1024;
constexpr AVRational Milliseconds{1, 1000};
constexpr AVRational Microseconds{1, AV_TIME_BASE};

Error subtitle_failure(const char* action, const char* codec, int averror) {
  return av_failure(ErrorCode::Failed,
                    fmt::format("This FFmpeg cannot {} {} subtitles; use --sid no.", action, codec), averror);
}

}  // namespace

const char* text_subtitle_encoder(const VideoContainer& container) {
  switch (container.kind) {
    case VideoContainer::Kind::Mp4:
    case VideoContainer::Kind::Mov:
      return "mov_text";
    case VideoContainer::Kind::Matroska:
      return "ass";
    case VideoContainer::Kind::Webm:
      return "webvtt";
  }
  return "";  // unreachable: every container has a case
}

Result<std::unique_ptr<SubtitleTranscoder>> SubtitleTranscoder::open(const AudioStream& stream,
                                                                     const char* encoder) {
  std::unique_ptr<SubtitleTranscoder> self(new SubtitleTranscoder());
  const char* source_codec = avcodec_get_name(stream.parameters->codec_id);
  const AVCodec* decoder = avcodec_find_decoder(stream.parameters->codec_id);
  if (decoder == nullptr) return subtitle_failure("read", source_codec, 0);
  self->decoder_ = new_decoder(*decoder, *stream.parameters, stream.time_base);
  if (const int code = avcodec_open2(self->decoder_.get(), decoder, nullptr); code < 0)
    return subtitle_failure("read", source_codec, code);
  const AVCodec* target = avcodec_find_encoder_by_name(encoder);
  if (target == nullptr) return subtitle_failure("write", encoder, 0);
  self->encoder_.reset(checked(avcodec_alloc_context3(target)));
  AVCodecContext& context = *self->encoder_;
  context.time_base = stream.time_base;
  // The header contains the styles, which text encoders need.
  if (const int size = self->decoder_->subtitle_header_size; size > 0) {
    context.subtitle_header =
        static_cast<std::uint8_t*>(checked(av_mallocz(static_cast<std::size_t>(size) + 1)));
    std::memcpy(context.subtitle_header, self->decoder_->subtitle_header, static_cast<std::size_t>(size));
    context.subtitle_header_size = size;
  }
  if (const int code = avcodec_open2(self->encoder_.get(), target, nullptr); code < 0)
    return subtitle_failure("write", encoder, code);
  return self;
}

std::vector<PacketPtr> SubtitleTranscoder::transcode(const AVPacket& packet) {
  AVSubtitle subtitle{};
  int has_subtitle = 0;
  PacketPtr input(checked(av_packet_clone(&packet)));
  const int decoded = avcodec_decode_subtitle2(decoder_.get(), &subtitle, &has_subtitle, input.get());
  std::vector<PacketPtr> packets;
  if (decoded < 0 || has_subtitle == 0) return packets;
  const std::unique_ptr<AVSubtitle, FreeDirect<avsubtitle_free>> freed(&subtitle);
  if (subtitle.num_rects == 0 || subtitle.pts == AV_NOPTS_VALUE) return packets;
  // Encoders expect subtitles that start exactly at `pts`.
  const std::uint32_t start = std::exchange(subtitle.start_display_time, 0);
  subtitle.pts += av_rescale_q(start, Milliseconds, Microseconds);
  const bool has_end = subtitle.end_display_time != UINT32_MAX && subtitle.end_display_time > start;
  if (has_end) subtitle.end_display_time -= start;
  PacketPtr output = new_packet();
  check_memory(av_new_packet(output.get(), MaxPacketBytes) >= 0);
  const int size = avcodec_encode_subtitle(encoder_.get(), output->data, output->size, &subtitle);
  if (size <= 0) return packets;
  av_shrink_packet(output.get(), size);
  output->pts = output->dts = av_rescale_q(subtitle.pts, Microseconds, encoder_->time_base);
  output->duration =
      has_end ? av_rescale_q(subtitle.end_display_time, Milliseconds, encoder_->time_base) : packet.duration;
  packets.push_back(std::move(output));
  return packets;
}

}  // namespace glyphreel::media
