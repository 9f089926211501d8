#include "media/audio_encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

extern "C" {
#include <libavutil/audio_fifo.h>
#include <libavutil/channel_layout.h>
#include <libavutil/samplefmt.h>
#include <libswresample/swresample.h>
}

namespace glyphreel::media {
namespace {

constexpr int OpusRate = 48000;
constexpr std::int64_t BitsPerChannel = 80'000;
constexpr int FrameWithoutSize = 1024;  // samples, for encoders that take any number
constexpr int GapsPerSecond = 20;       // a gap counts from 1/20 s on: timestamps of 1 ms ticks jitter below
constexpr std::int64_t MaxSilence = 3600;  // seconds; a longer gap is a broken timestamp

Error cannot(const char* what, const char* name, int averror) {
  return av_failure(
      ErrorCode::Failed,
      fmt::format("The sound cannot be {} ({}): record with --audio no, or to .mkv.", what, name), averror);
}

/// The sample rate that `encoder` takes and is nearest.
int rate_for(const AVCodec& encoder, int source_rate) {
  if (encoder.id == AV_CODEC_ID_OPUS) return OpusRate;
  return std::clamp(source_rate, 8000, 96000);
}

}  // namespace

Result<std::unique_ptr<AudioTranscoder>> AudioTranscoder::open(const AudioStream& stream, const char* encoder,
                                                               bool has_global_header) {
  std::unique_ptr<AudioTranscoder> self(new AudioTranscoder());
  const char* source_codec = avcodec_get_name(stream.parameters->codec_id);
  const AVCodec* decoder = avcodec_find_decoder(stream.parameters->codec_id);
  if (decoder == nullptr) return cannot("decoded", source_codec, 0);
  self->decoder_.reset(avcodec_alloc_context3(decoder));
  CHECK(self->decoder_ != nullptr, "out of memory");
  int code = avcodec_parameters_to_context(self->decoder_.get(), stream.parameters.get());
  self->decoder_->pkt_timebase = stream.time_base;
  if (code >= 0) code = avcodec_open2(self->decoder_.get(), decoder, nullptr);
  if (code < 0) return cannot("decoded", source_codec, code);

  const AVCodec* codec = avcodec_find_encoder_by_name(encoder);
  if (codec == nullptr) return cannot("encoded", encoder, 0);
  AVChannelLayout layout{};
  const int channels = std::max(1, stream.parameters->ch_layout.nb_channels);
  av_channel_layout_default(&layout, channels);
  const AVChannelLayout stereo = AV_CHANNEL_LAYOUT_STEREO;
  if (!self->open_encoder(*codec, layout, has_global_header) &&
      !self->open_encoder(*codec, stereo, has_global_header)) {
    return cannot("encoded", encoder, 0);
  }
  const AVCodecContext& target = *self->encoder_;
  self->fifo_ = av_audio_fifo_alloc(target.sample_fmt, target.ch_layout.nb_channels, FrameWithoutSize);
  CHECK(self->fifo_ != nullptr, "out of memory");
  return self;
}

AudioTranscoder::~AudioTranscoder() {
  swr_free(&resampler_);
  if (fifo_ != nullptr) av_audio_fifo_free(fifo_);
}

bool AudioTranscoder::open_encoder(const AVCodec& codec, const AVChannelLayout& layout,
                                   bool has_global_header) {
  encoder_.reset(avcodec_alloc_context3(&codec));
  CHECK(encoder_ != nullptr, "out of memory");
  encoder_->sample_rate = rate_for(codec, decoder_->sample_rate);
  encoder_->sample_fmt = codec.id == AV_CODEC_ID_OPUS ? AV_SAMPLE_FMT_FLT : AV_SAMPLE_FMT_FLTP;
  encoder_->time_base = {1, encoder_->sample_rate};
  encoder_->bit_rate = BitsPerChannel * layout.nb_channels;
  if (has_global_header) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  return av_channel_layout_copy(&encoder_->ch_layout, &layout) >= 0 &&
         avcodec_open2(encoder_.get(), &codec, nullptr) >= 0;
}

Result<std::vector<PacketPtr>> AudioTranscoder::transcode(const AVPacket* packet) {
  std::vector<PacketPtr> packets;
  avcodec_send_packet(decoder_.get(), packet);  // damage shows as a gap
  FramePtr decoded = new_frame();
  while (avcodec_receive_frame(decoder_.get(), decoded.get()) >= 0) {
    if (decoded->best_effort_timestamp != AV_NOPTS_VALUE) {
      align_to(av_rescale_q(decoded->best_effort_timestamp, decoder_->pkt_timebase, encoder_->time_base));
    }
    if (!next_pts_) next_pts_ = 0;
    if (!convert(decoded.get())) return cannot("resampled", decoder_->codec->name, 0);
    TRY(encode_buffered(packets, false));
  }
  if (packet == nullptr) {
    if (resampler_ != nullptr) static_cast<void>(convert(nullptr));
    TRY(encode_buffered(packets, true));
    TRY(encode(nullptr, packets));
  }
  return packets;
}

/// Lets the next sample be at `pts`: silence where it is late. One that is early follows what there is.
void AudioTranscoder::align_to(std::int64_t pts) {
  if (!next_pts_) {
    next_pts_ = pts;
    return;
  }
  const std::int64_t waiting = resampler_ != nullptr ? swr_get_delay(resampler_, encoder_->sample_rate) : 0;
  const std::int64_t gap = pts - (*next_pts_ + waiting);
  if (gap > encoder_->sample_rate / GapsPerSecond && gap < MaxSilence * encoder_->sample_rate)
    add_silence(gap);
}

void AudioTranscoder::add_silence(std::int64_t samples) {
  while (samples > 0) {
    FramePtr silence = new_frame();
    silence->nb_samples = static_cast<int>(std::min<std::int64_t>(samples, FrameWithoutSize));
    silence->format = encoder_->sample_fmt;
    if (av_channel_layout_copy(&silence->ch_layout, &encoder_->ch_layout) < 0) return;
    if (av_frame_get_buffer(silence.get(), 0) < 0) return;
    av_samples_set_silence(silence->extended_data, 0, silence->nb_samples, encoder_->ch_layout.nb_channels,
                           encoder_->sample_fmt);
    av_audio_fifo_write(fifo_, reinterpret_cast<void**>(silence->extended_data), silence->nb_samples);
    *next_pts_ += silence->nb_samples;
    samples -= silence->nb_samples;
  }
}

/// Resamples into fifo_; null drains the resampler. The source may change its form on the way.
bool AudioTranscoder::convert(const AVFrame* decoded) {
  FramePtr converted = new_frame();
  converted->format = encoder_->sample_fmt;
  converted->sample_rate = encoder_->sample_rate;
  if (av_channel_layout_copy(&converted->ch_layout, &encoder_->ch_layout) < 0) return false;
  if (resampler_ == nullptr) resampler_ = swr_alloc();
  CHECK(resampler_ != nullptr, "out of memory");
  int code = swr_convert_frame(resampler_, converted.get(), decoded);
  if (code == AVERROR_INPUT_CHANGED || code == AVERROR_OUTPUT_CHANGED ||
      code == (AVERROR_INPUT_CHANGED | AVERROR_OUTPUT_CHANGED)) {
    swr_free(&resampler_);
    resampler_ = swr_alloc();
    CHECK(resampler_ != nullptr, "out of memory");
    code = swr_convert_frame(resampler_, converted.get(), decoded);
  }
  if (code < 0) return false;
  if (converted->nb_samples == 0) return true;
  av_audio_fifo_write(fifo_, reinterpret_cast<void**>(converted->extended_data), converted->nb_samples);
  *next_pts_ += converted->nb_samples;
  return true;
}

Result<void> AudioTranscoder::encode_buffered(std::vector<PacketPtr>& packets, bool is_last) {
  const int frame_size = encoder_->frame_size > 0 ? encoder_->frame_size : FrameWithoutSize;
  while (av_audio_fifo_size(fifo_) >= frame_size || (is_last && av_audio_fifo_size(fifo_) > 0)) {
    const int waiting = av_audio_fifo_size(fifo_);
    FramePtr frame = new_frame();
    frame->nb_samples = std::min(waiting, frame_size);
    frame->format = encoder_->sample_fmt;
    frame->sample_rate = encoder_->sample_rate;
    frame->pts = *next_pts_ - waiting;
    if (av_channel_layout_copy(&frame->ch_layout, &encoder_->ch_layout) < 0 ||
        av_frame_get_buffer(frame.get(), 0) < 0) {
      return cannot("encoded", encoder_->codec->name, AVERROR(ENOMEM));
    }
    av_audio_fifo_read(fifo_, reinterpret_cast<void**>(frame->extended_data), frame->nb_samples);
    TRY(encode(frame.get(), packets));
  }
  return {};
}

Result<void> AudioTranscoder::encode(const AVFrame* frame, std::vector<PacketPtr>& packets) {
  int code = avcodec_send_frame(encoder_.get(), frame);
  if (code < 0 && code != AVERROR_EOF) return cannot("encoded", encoder_->codec->name, code);
  for (;;) {
    PacketPtr packet = new_packet();
    code = avcodec_receive_packet(encoder_.get(), packet.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return {};
    if (code < 0) return cannot("encoded", encoder_->codec->name, code);
    packets.push_back(std::move(packet));
  }
}

}  // namespace glyphreel::media
