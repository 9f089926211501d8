#include "media/encode/audio_transcoder.h"

#include <algorithm>

namespace glyphreel::media {
namespace {

constexpr int GapsPerSecond = 20;          // gaps below 1/20 s are ignored, since rounded timestamps jitter
constexpr std::int64_t MaxSilence = 3600;  // seconds; a longer gap means a wrong timestamp and is ignored

}  // namespace

Result<std::unique_ptr<AudioTranscoder>> AudioTranscoder::open(const AudioStream& stream, const char* encoder,
                                                               CodecHeaders headers) {
  std::unique_ptr<AudioTranscoder> self(new AudioTranscoder());
  const char* source_codec = avcodec_get_name(stream.parameters->codec_id);
  const AVCodec* decoder = avcodec_find_decoder(stream.parameters->codec_id);
  if (decoder == nullptr) return audio_failure("decoded", source_codec, 0);
  self->decoder_ = new_decoder(*decoder, *stream.parameters, stream.time_base);
  if (const int code = avcodec_open2(self->decoder_.get(), decoder, nullptr); code < 0) {
    return audio_failure("decoded", source_codec, code);
  }

  AVChannelLayout layout{};
  av_channel_layout_default(&layout, std::max(1, stream.parameters->ch_layout.nb_channels));
  auto opened = SampleEncoder::open(encoder, self->decoder_->sample_rate, layout, headers);
  if (!opened) {
    const AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
    opened = SampleEncoder::open(encoder, self->decoder_->sample_rate, stereo, headers);
  }
  TRY_ASSIGN(self->encoder_, std::move(opened));
  return self;
}

Result<std::vector<PacketPtr>> AudioTranscoder::transcode(const AVPacket* packet) {
  std::vector<PacketPtr> packets;
  avcodec_send_packet(decoder_.get(), packet);  // a damaged packet leaves a gap, which align_to() fills
  FramePtr decoded = new_frame();
  while (avcodec_receive_frame(decoder_.get(), decoded.get()) >= 0) {
    if (decoded->best_effort_timestamp != AV_NOPTS_VALUE) {
      align_to(av_rescale_q(decoded->best_effort_timestamp, decoder_->pkt_timebase, encoder().time_base));
    }
    if (!convert(decoded.get())) return audio_failure("resampled", decoder_->codec->name, 0);
    TRY(encoder_->encode(packets));
  }
  if (packet == nullptr) {
    if (resampler_ != nullptr) static_cast<void>(convert(nullptr));
    TRY(encoder_->finish(packets));
  }
  return packets;
}

/// Prepares for samples that start at `pts`: inserts silence if `pts` is later than the end of the previous
/// samples. If `pts` is earlier, the new samples directly follow the previous ones.
void AudioTranscoder::align_to(std::int64_t pts) {
  const int rate = encoder().sample_rate;
  if (!encoder_->next_pts()) {
    const std::int64_t missing = beginning_ ? pts - *beginning_ : 0;
    const bool needs_silence = missing > 0 && missing < MaxSilence * rate;
    encoder_->begin_at(needs_silence ? *beginning_ : pts);
    if (needs_silence) encoder_->add_silence(missing);
    return;
  }
  const std::int64_t waiting = resampler_ != nullptr ? swr_get_delay(resampler_.get(), rate) : 0;
  const std::int64_t gap = pts - (*encoder_->next_pts() + waiting);
  if (gap > rate / GapsPerSecond && gap < MaxSilence * rate) encoder_->add_silence(gap);
}

/// Resamples `decoded` and adds the samples to the encoder; null drains the resampler. The source's audio
/// format may change between calls. Returns false if the samples cannot be converted.
bool AudioTranscoder::convert(const AVFrame* decoded) {
  FramePtr converted = new_frame();
  converted->format = encoder().sample_fmt;
  converted->sample_rate = encoder().sample_rate;
  if (av_channel_layout_copy(&converted->ch_layout, &encoder().ch_layout) < 0) return false;
  if (resampler_ == nullptr) resampler_.reset(checked(swr_alloc()));
  int code = swr_convert_frame(resampler_.get(), converted.get(), decoded);
  if (code == AVERROR_INPUT_CHANGED || code == AVERROR_OUTPUT_CHANGED ||
      code == (AVERROR_INPUT_CHANGED | AVERROR_OUTPUT_CHANGED)) {
    resampler_.reset(checked(swr_alloc()));
    code = swr_convert_frame(resampler_.get(), converted.get(), decoded);
  }
  if (code < 0) return false;
  if (converted->nb_samples > 0) encoder_->add(*converted);
  return true;
}

}  // namespace glyphreel::media
