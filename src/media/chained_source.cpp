#include "media/chained_source.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <deque>
#include <new>
#include <span>
#include <utility>
#include <variant>

#include "base/io/log.h"
#include "base/mutex.h"
#include "media/decode/audio_decoder.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/ffmpeg/pts_range.h"
#include "media/stream/audio_stream.h"

namespace glyphreel::media {
namespace {

constexpr int AudioRate = 48000;
// At the common frame rates, a frame's duration is a whole multiple of this unit. These rates are 24, 25, 30,
// 50 and 60 fps, and 24, 30 and 60 fps times 1000/1001.
constexpr Rational ChainTimeBase{1, 120'000};
constexpr std::int64_t SilencePiece = AudioRate / 10;  // sample frames
constexpr std::int64_t JitterFrames = AudioRate / 50;  // smaller timestamp jumps are rounding errors

std::shared_ptr<const AudioStream> pcm_stream() {
  auto stream = std::make_shared<AudioStream>();
  stream->parameters.reset(checked(avcodec_parameters_alloc()));
  AVCodecParameters& parameters = *stream->parameters;
  parameters.codec_type = AVMEDIA_TYPE_AUDIO;
  parameters.codec_id = AV_CODEC_ID_PCM_F32LE;
  parameters.format = AV_SAMPLE_FMT_FLT;
  parameters.sample_rate = AudioRate;
  parameters.ch_layout = AV_CHANNEL_LAYOUT_STEREO;
  stream->time_base = {1, AudioRate};
  return stream;
}

/// Builds the chain's audio as a gapless sequence of PCM packets. Positions are sample frames since the
/// chain's start.
class PcmTimeline {
 public:
  using Packets = std::deque<SourceItem>;

  /// Adds samples that start at `frame`. Fills a gap with silence, and drops samples that overlap earlier
  /// ones.
  void add(std::int64_t frame, std::span<const float> samples, Packets& packets) {
    if (std::abs(frame - end_) < JitterFrames) frame = end_;
    const auto late = std::max<std::int64_t>(0, end_ - frame) * AudioBlock::Channels;
    if (late >= std::ssize(samples)) return;
    fill(frame, packets);
    append(samples.subspan(static_cast<std::size_t>(late)), packets);
  }
  /// Adds silence until `frame`.
  void fill(std::int64_t frame, Packets& packets) {
    while (end_ < frame) {
      const std::vector<float> silence(
          static_cast<std::size_t>(std::min(SilencePiece, frame - end_) * AudioBlock::Channels));
      append(silence, packets);
    }
  }
  [[nodiscard]] std::int64_t end() const { return end_; }

 private:
  void append(std::span<const float> samples, Packets& packets) {
    auto packet = std::make_shared<AudioPacket>();
    packet->packet = new_packet();
    const auto bytes = static_cast<int>(samples.size_bytes());
    if (av_new_packet(packet->packet.get(), bytes) < 0) throw std::bad_alloc();
    std::memcpy(packet->packet->data, samples.data(), samples.size_bytes());
    packet->time_base = {1, AudioRate};
    packet->packet->pts = packet->packet->dts = end_;
    packet->packet->duration = std::ssize(samples) / AudioBlock::Channels;
    end_ += packet->packet->duration;
    packets.emplace_back(std::shared_ptr<const AudioPacket>(std::move(packet)));
  }

  std::int64_t end_ = 0;  ///< sample frames so far
};

class ChainedSource final : public Source {
 public:
  ChainedSource(std::unique_ptr<Source> first, OpenNextSource open_next)
      : facts_(first->facts()),
        input_(first->input()),
        audio_(first->audio() != nullptr ? pcm_stream() : nullptr),
        open_next_(std::move(open_next)),
        current_(std::move(first)) {
    facts_.time_base = ChainTimeBase;
    facts_.start_pts = 0;
    facts_.frame_count = 0;
    facts_.duration_seconds.reset();
    facts_.chapters.clear();
  }

  /// Starts the current input at the end of the previous input.
  [[nodiscard]] Result<void> begin();

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }
  [[nodiscard]] const InputFacts& input() const override { return input_; }
  [[nodiscard]] std::shared_ptr<const AudioStream> audio() const override { return audio_; }
  [[nodiscard]] Result<SourceItem> read() override;
  [[nodiscard]] Result<SourceItem> read_audio() override { return SourceItem(EndOfStream{}); }
  [[nodiscard]] Result<void> seek(double /*seconds*/, SeekMode /*mode*/, std::uint32_t /*epoch*/) override {
    return Error{ErrorCode::Failed,
                 "Seeking is not supported when several inputs are read as one; open only one."};
  }
  [[nodiscard]] ReadAhead read_ahead() const override {
    const MutexLock lock(mutex_);
    return current_->read_ahead();
  }
  [[nodiscard]] const std::vector<SubtitleTrackInfo>& subtitle_tracks() const override { return no_tracks_; }
  [[nodiscard]] Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int /*stream_index*/, const std::string& /*charset*/) const override {
    return bad_input("Subtitles are not supported when several inputs are read as one; open only one.");
  }
  [[nodiscard]] std::shared_ptr<const SubtitlePacket> try_read_subtitle(int /*stream_index*/) override {
    return nullptr;
  }
  void set_background(std::uint32_t rgb) override {
    const MutexLock lock(mutex_);
    current_->set_background(rgb);
  }
  void interrupt() override;
  [[nodiscard]] std::uint64_t damaged_packets() const override {
    return damaged_ + current_->damaged_packets();
  }
  [[nodiscard]] HwDecodeStatus hardware_use() const override {
    const MutexLock lock(mutex_);
    return current_->hardware_use();
  }

 private:
  [[nodiscard]] Result<bool> advance();
  void end_current();
  void add_frame(Frame frame);
  void add_audio(const std::vector<AudioBlock>& blocks);
  [[nodiscard]] bool fills_audio() const { return audio_ != nullptr && decoder_ == nullptr; }

  VideoFacts facts_;
  const InputFacts input_;
  const std::shared_ptr<const AudioStream> audio_;
  const OpenNextSource open_next_;
  const std::vector<SubtitleTrackInfo> no_tracks_;
  std::stop_source stop_;
  mutable Mutex mutex_;                    ///< held by read() to change current_, by other threads to use it
  std::unique_ptr<Source> current_;        ///< changed by read() only
  std::unique_ptr<AudioDecoder> decoder_;  ///< null: the current input has no audio, or the chain has none
  double origin_seconds_ = 0;              ///< the time in the current input that maps to offset_seconds_
  double offset_seconds_ = 0;              ///< the chain's time at which the current input starts
  /// The chain's time at which the last frame or, if it ends later, the audio of a finished input ends.
  double end_seconds_ = 0;
  std::uint32_t epoch_ = 0;
  std::uint64_t damaged_ = 0;  ///< damaged packets in earlier inputs
  PcmTimeline pcm_;
  PcmTimeline::Packets ready_;  ///< to be returned by read()
};

Result<void> ChainedSource::begin() {
  const VideoFacts& facts = current_->facts();
  const double start = current_->range().start_seconds.value_or(0);
  const std::int64_t first =
      start > 0 ? tick_at_or_after(start, facts.start_pts, facts.time_base) : facts.start_pts;
  origin_seconds_ = static_cast<double>(first) * facts.time_base.value();
  offset_seconds_ = end_seconds_;
  decoder_.reset();
  if (audio_ != nullptr && current_->audio() != nullptr) {
    TRY_ASSIGN(decoder_, AudioDecoder::open(*current_->audio(), AudioRate));
  } else if (current_->audio() != nullptr) {
    log::warn("The recording has no sound because its first input has none; put an input with sound first.");
  }
  return {};
}

Result<SourceItem> ChainedSource::read() {
  while (ready_.empty()) {
    TRY_ASSIGN(SourceItem item, current_->read());
    if (auto* frame = std::get_if<Frame>(&item)) {
      add_frame(std::move(*frame));
    } else if (const auto* packet = std::get_if<std::shared_ptr<const AudioPacket>>(&item)) {
      if (decoder_ != nullptr && (*packet)->track < 0) add_audio(decoder_->decode(**packet));
    } else if (std::holds_alternative<EndOfStream>(item)) {
      end_current();
      TRY_ASSIGN(const bool goes_on, advance());
      if (!goes_on && ready_.empty()) return SourceItem(EndOfStream{});
    }
  }
  SourceItem item = std::move(ready_.front());
  ready_.pop_front();
  return item;
}

void ChainedSource::add_frame(Frame frame) {
  const double unit = frame.time_base.value();
  const double seconds = static_cast<double>(frame.pts) * unit - origin_seconds_ + offset_seconds_;
  frame.pts = std::llround(seconds / ChainTimeBase.value());
  frame.duration = std::llround(static_cast<double>(frame.duration) * unit / ChainTimeBase.value());
  frame.time_base = ChainTimeBase;
  frame.epoch = epoch_;
  const double rate = current_->facts().frame_rate.value();
  const double length = frame.duration > 0 ? static_cast<double>(frame.duration) * ChainTimeBase.value()
                        : rate > 0         ? 1 / rate
                                           : 0;
  end_seconds_ = std::max(end_seconds_, seconds + length);
  ready_.emplace_back(std::move(frame));
  if (fills_audio()) pcm_.fill(std::llround(end_seconds_ * AudioRate), ready_);
}

void ChainedSource::add_audio(const std::vector<AudioBlock>& blocks) {
  for (const AudioBlock& block : blocks) {
    const double seconds = block.media_seconds - origin_seconds_ + offset_seconds_;
    pcm_.add(std::llround(seconds * AudioRate), block.samples, ready_);
  }
}

/// Completes the current input's audio. The next input starts after the last frame and the last sample of
/// the current input.
void ChainedSource::end_current() {
  if (audio_ == nullptr) return;
  if (decoder_ != nullptr) add_audio(decoder_->drain());
  pcm_.fill(std::llround(end_seconds_ * AudioRate), ready_);
  end_seconds_ = std::max(end_seconds_, static_cast<double>(pcm_.end()) / AudioRate);
}

/// Opens the next input. Returns false at the end of the chain.
Result<bool> ChainedSource::advance() {
  if (stop_.stop_requested()) return false;
  TRY_ASSIGN(std::unique_ptr<Source> next, open_next_(stop_.get_token()));
  if (next == nullptr) return false;
  damaged_ += current_->damaged_packets();
  {
    const MutexLock lock(mutex_);
    current_ = std::move(next);
  }
  ++epoch_;
  TRY(begin());
  return !stop_.stop_requested();
}

void ChainedSource::interrupt() {
  stop_.request_stop();
  const MutexLock lock(mutex_);
  current_->interrupt();
}

}  // namespace

Result<std::unique_ptr<Source>> make_chained_source(std::unique_ptr<Source> first, OpenNextSource open_next) {
  auto chain = std::make_unique<ChainedSource>(std::move(first), std::move(open_next));
  TRY(chain->begin());
  return std::unique_ptr<Source>(std::move(chain));
}

}  // namespace glyphreel::media
