#include "media/encode/sample_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

extern "C" {
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
}

namespace glyphreel::media {
namespace {

constexpr int OpusRate = 48000;
constexpr std::int64_t BitsPerChannel = 80'000;
constexpr int FrameWithoutSize = 1024;  // samples per packet, for encoders that accept any number

/// The sample rates of AAC (ISO/IEC 14496-3, samplingFrequencyIndex).
constexpr std::array AacRates = {8000,  11025, 12000, 16000, 22050, 24000,
                                 32000, 44100, 48000, 64000, 88200, 96000};

/// Returns the sample rate in Hz at which to encode sound with the sample rate `rate`: 48000 for Opus; for
/// AAC, the lowest supported rate that is at least `rate`, or 96000 if `rate` is higher.
int rate_for(const AVCodec& encoder, int rate) {
  if (encoder.id == AV_CODEC_ID_OPUS) return OpusRate;
  if (encoder.id != AV_CODEC_ID_AAC) return std::clamp(rate, AacRates.front(), AacRates.back());
  const auto lowest = std::ranges::lower_bound(AacRates, rate);
  return lowest != AacRates.end() ? *lowest : AacRates.back();
}

}  // namespace

Error audio_failure(const char* what, const char* name, int averror) {
  return av_failure(
      ErrorCode::Failed,
      fmt::format("The sound cannot be {} with {}; record to a .mkv file, or use --audio no.", what, name),
      averror);
}

Result<std::unique_ptr<SampleEncoder>> SampleEncoder::open(const char* encoder, int rate,
                                                           const AVChannelLayout& layout,
                                                           CodecHeaders headers) {
  const AVCodec* codec = avcodec_find_encoder_by_name(encoder);
  if (codec == nullptr) return audio_failure("encoded", encoder, 0);
  std::unique_ptr<SampleEncoder> self(new SampleEncoder());
  self->context_.reset(checked(avcodec_alloc_context3(codec)));
  AVCodecContext& context = *self->context_;
  context.sample_rate = rate_for(*codec, rate);
  context.sample_fmt = codec->id == AV_CODEC_ID_OPUS ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP;
  context.time_base = {1, context.sample_rate};
  context.bit_rate = BitsPerChannel * layout.nb_channels;
  if (headers == CodecHeaders::InContainer) context.flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  int code = av_channel_layout_copy(&context.ch_layout, &layout);
  if (code >= 0) code = avcodec_open2(&context, codec, nullptr);
  if (code < 0) return audio_failure("encoded", encoder, code);
  self->fifo_.reset(
      checked(av_audio_fifo_alloc(context.sample_fmt, context.ch_layout.nb_channels, FrameWithoutSize)));
  return self;
}

int SampleEncoder::frame_size() const {
  return context_->frame_size > 0 ? context_->frame_size : FrameWithoutSize;
}

void SampleEncoder::add(std::uint8_t** planes, int samples) {
  av_audio_fifo_write(fifo_.get(), reinterpret_cast<void**>(planes), samples);
  next_pts_ = next_pts_.value_or(0) + samples;
}

void SampleEncoder::add(const AVFrame& samples) {
  add(samples.extended_data, samples.nb_samples);
}

void SampleEncoder::add(std::span<const float> samples) {
  const auto channels = static_cast<std::size_t>(context_->ch_layout.nb_channels);
  std::vector<float> apart;
  std::vector<std::uint8_t*> planes(channels);
  const std::size_t count = samples.size() / channels;
  apart.assign(samples.begin(), samples.end());
  if (av_sample_fmt_is_planar(context_->sample_fmt) != 0) {
    for (std::size_t c = 0; c < channels; ++c) {
      for (std::size_t i = 0; i < count; ++i) apart[c * count + i] = samples[i * channels + c];
    }
  }
  for (std::size_t c = 0; c < channels; ++c)
    planes[c] = reinterpret_cast<std::uint8_t*>(apart.data() + c * count);
  add(planes.data(), static_cast<int>(count));
}

void SampleEncoder::add_silence(std::int64_t samples) {
  while (samples > 0) {
    FramePtr silence = new_frame();
    silence->nb_samples = static_cast<int>(std::min<std::int64_t>(samples, FrameWithoutSize));
    silence->format = context_->sample_fmt;
    if (av_channel_layout_copy(&silence->ch_layout, &context_->ch_layout) < 0) return;
    if (av_frame_get_buffer(silence.get(), 0) < 0) return;
    av_samples_set_silence(silence->extended_data, 0, silence->nb_samples, context_->ch_layout.nb_channels,
                           context_->sample_fmt);
    add(*silence);
    samples -= silence->nb_samples;
  }
}

Result<void> SampleEncoder::encode(std::vector<PacketPtr>& packets) {
  while (av_audio_fifo_size(fifo_.get()) >= frame_size()) TRY(encode_next(frame_size(), packets));
  return {};
}

Result<void> SampleEncoder::finish(std::vector<PacketPtr>& packets) {
  TRY(encode(packets));
  if (const int left = av_audio_fifo_size(fifo_.get()); left > 0) TRY(encode_next(left, packets));
  return send(nullptr, packets);
}

Result<void> SampleEncoder::encode_next(int samples, std::vector<PacketPtr>& packets) {
  FramePtr frame = new_frame();
  frame->nb_samples = samples;
  frame->format = context_->sample_fmt;
  frame->sample_rate = context_->sample_rate;
  frame->pts = *next_pts_ - av_audio_fifo_size(fifo_.get());
  if (av_channel_layout_copy(&frame->ch_layout, &context_->ch_layout) < 0 ||
      av_frame_get_buffer(frame.get(), 0) < 0) {
    return audio_failure("encoded", context_->codec->name, AVERROR(ENOMEM));
  }
  av_audio_fifo_read(fifo_.get(), reinterpret_cast<void**>(frame->extended_data), samples);
  return send(frame.get(), packets);
}

Result<void> SampleEncoder::send(const AVFrame* frame, std::vector<PacketPtr>& packets) {
  int code = avcodec_send_frame(context_.get(), frame);
  if (code < 0 && code != AVERROR_EOF) return audio_failure("encoded", context_->codec->name, code);
  for (;;) {
    PacketPtr packet = new_packet();
    code = avcodec_receive_packet(context_.get(), packet.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return {};
    if (code < 0) return audio_failure("encoded", context_->codec->name, code);
    packets.push_back(std::move(packet));
  }
}

}  // namespace glyphreel::media
