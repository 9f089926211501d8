#include "media/decode/audio_decoder.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <utility>

#include "media/decode/tempo_graph.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {
namespace {

constexpr double JitterSeconds = 0.020;  // smaller timestamp jumps are rounding errors and are ignored
constexpr double WarmUpSeconds = 0.250;  // length of past audio fed to a new graph after a speed change
constexpr double FadeSeconds = 0.005;    // length of the crossfade from the old speed to the new one

class FfmpegAudioDecoder final : public AudioDecoder {
 public:
  FfmpegAudioDecoder(CodecContextPtr decoder, AVRational time_base, int rate)
      : decoder_(std::move(decoder)), time_base_(time_base), rate_(rate) {}

  [[nodiscard]] std::vector<AudioBlock> decode(const AudioPacket& packet) override;
  [[nodiscard]] std::vector<AudioBlock> drain() override;
  void flush() override;
  void set_speed(double speed) override { wanted_speed_ = std::clamp(speed, MinAudioSpeed, MaxAudioSpeed); }
  [[nodiscard]] std::uint64_t damaged_packets() const override { return damaged_packets_; }
  [[nodiscard]] std::string codec() const override { return avcodec_get_name(decoder_->codec_id); }

 private:
  [[nodiscard]] bool receive_all(std::vector<AudioBlock>& blocks);
  void take(const AVFrame& frame, std::vector<AudioBlock>& blocks);
  void open_graph(const AVFrame& like, double media_seconds);
  void close_graph(std::vector<AudioBlock>& blocks);
  void change_speed(const AVFrame& next, std::vector<AudioBlock>& blocks);
  void feed(const AVFrame* frame, std::vector<AudioBlock>& blocks);
  void emit(std::size_t frames_kept, std::vector<AudioBlock>& blocks);
  [[nodiscard]] double media_out() const;
  void remember(const AVFrame& frame);

  CodecContextPtr decoder_;
  AVRational time_base_;
  int rate_;
  std::uint32_t epoch_ = 0;
  double wanted_speed_ = 1;
  std::uint64_t damaged_packets_ = 0;
  FramePtr decoded_ = new_frame();

  std::unique_ptr<TempoGraph> graph_;  ///< null: nothing is buffered
  double graph_speed_ = 1;
  double graph_start_ = 0;       ///< media time of the first sample fed to the graph
  std::int64_t frames_out_ = 0;  ///< number of sample frames in the graph's output before those in pending_
  std::vector<float> pending_;   ///< the end of the graph's output, held back for a crossfade
  double next_in_ = 0;           ///< media time at which the graph's input ends
  std::deque<FramePtr> recent_;  ///< the last WarmUpSeconds of audio that the graph received
  /// After a speed change: the media time at which the crossfade from the old graph's output to the new
  /// graph's output starts. old_tail_ is the old graph's output from that time on.
  std::optional<double> takeover_seconds_;
  std::vector<float> old_tail_;
};

bool FfmpegAudioDecoder::receive_all(std::vector<AudioBlock>& blocks) {
  for (;;) {
    const int code = avcodec_receive_frame(decoder_.get(), decoded_.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return true;
    if (code < 0) return false;
    if (decoded_->nb_samples > 0 && decoded_->sample_rate > 0 && decoded_->ch_layout.nb_channels > 0) {
      take(*decoded_, blocks);
    }
    av_frame_unref(decoded_.get());
  }
}

std::vector<AudioBlock> FfmpegAudioDecoder::decode(const AudioPacket& packet) {
  if (packet.epoch != epoch_) flush();
  epoch_ = packet.epoch;
  std::vector<AudioBlock> blocks;
  const int code = avcodec_send_packet(decoder_.get(), packet.packet.get());
  const bool is_received = receive_all(blocks);
  if (code < 0 || !is_received) ++damaged_packets_;
  return blocks;
}

std::vector<AudioBlock> FfmpegAudioDecoder::drain() {
  std::vector<AudioBlock> blocks;
  avcodec_send_packet(decoder_.get(), nullptr);
  static_cast<void>(receive_all(blocks));
  close_graph(blocks);
  return blocks;
}

void FfmpegAudioDecoder::flush() {
  avcodec_flush_buffers(decoder_.get());
  graph_.reset();
  recent_.clear();
  pending_.clear();
  takeover_seconds_.reset();
}

void FfmpegAudioDecoder::take(const AVFrame& frame, std::vector<AudioBlock>& blocks) {
  double start = next_in_;
  if (frame.best_effort_timestamp != AV_NOPTS_VALUE) {
    start = static_cast<double>(frame.best_effort_timestamp) * av_q2d(time_base_);
  } else if (graph_ == nullptr && recent_.empty()) {
    start = 0;
  }
  const bool is_jump = graph_ != nullptr && std::abs(start - next_in_) > JitterSeconds;
  if (graph_ != nullptr && (is_jump || !graph_->supports(frame))) close_graph(blocks);
  if (graph_ == nullptr) {
    open_graph(frame, start);
  } else if (graph_speed_ != wanted_speed_) {
    change_speed(frame, blocks);
  }
  if (graph_ == nullptr) {
    ++damaged_packets_;
    return;
  }
  feed(&frame, blocks);
  remember(frame);
}

void FfmpegAudioDecoder::open_graph(const AVFrame& like, double media_seconds) {
  graph_ = TempoGraph::make(like, rate_, wanted_speed_);
  graph_speed_ = wanted_speed_;
  graph_start_ = media_seconds;
  next_in_ = media_seconds;
  frames_out_ = 0;
  recent_.clear();
}

void FfmpegAudioDecoder::close_graph(std::vector<AudioBlock>& blocks) {
  if (graph_ == nullptr) return;
  feed(nullptr, blocks);
  emit(0, blocks);
  graph_.reset();
  pending_.clear();
  takeover_seconds_.reset();
}

/// Replaces the graph with one for the new speed. Rubber Band drops some audio at the start and at the end of
/// its input. Therefore, the new graph first receives the last WarmUpSeconds of the old graph's input, and
/// the old graph's output is crossfaded into the new graph's output.
void FfmpegAudioDecoder::change_speed(const AVFrame& next, std::vector<AudioBlock>& blocks) {
  feed(nullptr, blocks);
  // If takeover_seconds_ is set, the current graph has not taken over yet, and none of its output was used.
  // In that case, the next graph must take over from the same tail, so keep old_tail_.
  if (!takeover_seconds_) {
    takeover_seconds_ = media_out();
    old_tail_ = std::move(pending_);
  }
  pending_.clear();
  const std::deque<FramePtr> warm_up = std::exchange(recent_, {});
  double start = next_in_;
  for (const FramePtr& frame : warm_up) start -= static_cast<double>(frame->nb_samples) / frame->sample_rate;
  open_graph(next, start);
  if (graph_ == nullptr) return;
  for (const FramePtr& frame : warm_up) {
    feed(frame.get(), blocks);
    remember(*frame);
  }
}

/// Returns the media time of the first frame in pending_.
double FfmpegAudioDecoder::media_out() const {
  return graph_start_ + (static_cast<double>(frames_out_) / rate_ - graph_->offset_seconds()) * graph_speed_;
}

/// Runs `frame` through the graph; a null `frame` drains the graph.
void FfmpegAudioDecoder::feed(const AVFrame* frame, std::vector<AudioBlock>& blocks) {
  if (!graph_->filter(frame, pending_)) ++damaged_packets_;
  if (frame != nullptr) next_in_ += static_cast<double>(frame->nb_samples) / frame->sample_rate;
  emit(static_cast<std::size_t>(FadeSeconds * rate_), blocks);
}

/// Moves all sample frames in pending_ except the last `frames_kept` to `blocks`. After a speed change, first
/// crossfades old_tail_ into pending_, or does nothing if pending_ is still too short.
void FfmpegAudioDecoder::emit(std::size_t frames_kept, std::vector<AudioBlock>& blocks) {
  constexpr std::size_t Channels = AudioBlock::Channels;
  if (takeover_seconds_) {
    const double early = (*takeover_seconds_ - media_out()) / graph_speed_ * rate_;
    const auto skipped = std::min<std::int64_t>(static_cast<std::int64_t>(pending_.size() / Channels),
                                                std::max<std::int64_t>(0, std::llround(early)));
    pending_.erase(pending_.begin(), pending_.begin() + skipped * std::int64_t{Channels});
    frames_out_ += skipped;
    if (pending_.size() < old_tail_.size()) return;
    for (std::size_t i = 0; i < old_tail_.size(); ++i) {
      const auto part = static_cast<float>(i + 1) / static_cast<float>(old_tail_.size() + 1);
      pending_[i] = std::lerp(old_tail_[i], pending_[i], part);
    }
    takeover_seconds_.reset();
  }
  const std::size_t frames = pending_.size() / Channels;
  if (frames <= frames_kept) return;
  const auto end = pending_.begin() + static_cast<std::ptrdiff_t>((frames - frames_kept) * Channels);
  blocks.push_back({.samples = {pending_.begin(), end},
                    .media_seconds = media_out(),
                    .speed = graph_speed_,
                    .epoch = epoch_});
  pending_.erase(pending_.begin(), end);
  frames_out_ += static_cast<std::int64_t>(frames - frames_kept);
}

void FfmpegAudioDecoder::remember(const AVFrame& frame) {
  recent_.emplace_back(checked(av_frame_clone(&frame)));
  double seconds = 0;
  for (const FramePtr& kept : recent_) seconds += static_cast<double>(kept->nb_samples) / kept->sample_rate;
  while (recent_.size() > 1) {
    const double oldest = static_cast<double>(recent_.front()->nb_samples) / recent_.front()->sample_rate;
    if (seconds - oldest < WarmUpSeconds) break;
    seconds -= oldest;
    recent_.pop_front();
  }
}

}  // namespace

std::uint32_t epoch_of(const AudioPacket& packet) {
  return packet.epoch;
}

Result<std::unique_ptr<AudioDecoder>> AudioDecoder::open(const AudioStream& stream, int rate) {
  const auto cannot = [&stream](int averror) {
    return bad_input(
        averror,
        "This FFmpeg cannot decode {} audio; install an FFmpeg with that decoder, or use --audio no.",
        avcodec_get_name(stream.parameters->codec_id));
  };
  const AVCodec* codec = avcodec_find_decoder(stream.parameters->codec_id);
  if (codec == nullptr) return cannot(0);
  CodecContextPtr context = new_decoder(*codec, *stream.parameters, stream.time_base);
  context->thread_count = 1;
  if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0) return cannot(code);
  return std::unique_ptr<AudioDecoder>(
      std::make_unique<FfmpegAudioDecoder>(std::move(context), stream.time_base, rate));
}

}  // namespace glyphreel::media
