#include "media/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>

#include "base/log.h"
#include "media/audio_stream.h"
#include "media/direct_buffers.h"
#include "media/frame_maker.h"
#include "media/input.h"
#include "media/pixel_layout.h"
#include "media/play_window.h"
#include "media/stream_tags.h"
#include "media/video_decoder.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace glyphreel::media {
namespace {

constexpr int MaxReadFailures =
    16;  // damaged stretches that a demultiplexer may report before it is given up
constexpr int MaxSeekAttempts = 8;
constexpr double FirstStepBack = 0.5;  // seconds; doubled at each further attempt
constexpr double AudioTailSeconds =
    1;  // how far other streams may run behind the video at the end of the window

using AudioPacketPtr = std::shared_ptr<const AudioPacket>;
/// What the decoder gives, before the window is applied and before anything is converted.
using RawItem = std::variant<FramePtr, AudioPacketPtr, EndOfStream>;

VideoFacts facts_of(AVFormatContext& format, AVStream& stream, const AVCodecContext& decoder) {
  const AVCodecParameters& parameters = *stream.codecpar;
  VideoFacts facts;
  facts.codec = avcodec_get_name(parameters.codec_id);
  facts.decoder = decoder.codec->name;
  const auto pixel_format = static_cast<AVPixelFormat>(parameters.format);
  const char* pixel_format_name = av_get_pix_fmt_name(pixel_format);
  facts.pixel_format = pixel_format_name != nullptr ? pixel_format_name : "unknown";
  facts.native_layout = layout_of(pixel_format).has_value();
  facts.size = {parameters.width, parameters.height};
  const AVRational rate =
      stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : av_guess_frame_rate(&format, &stream, nullptr);
  facts.frame_rate = rate.num > 0 && rate.den > 0 ? to_rational(rate) : Rational{0, 1};
  facts.time_base = to_rational(stream.time_base);
  const AVRational aspect = av_guess_sample_aspect_ratio(&format, &stream, nullptr);
  if (aspect.num > 0 && aspect.den > 0) facts.sample_aspect_ratio = to_rational(aspect);
  facts.rotation = stream_rotation(stream);
  DeclaredColor declared = declared_color(parameters);
  declared.peak_nits = stream_peak_nits(stream);
  facts.color = color_tags(declared);
  if (stream.duration != AV_NOPTS_VALUE) {
    facts.duration_seconds = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  } else if (format.duration != AV_NOPTS_VALUE) {
    facts.duration_seconds = static_cast<double>(format.duration) / AV_TIME_BASE;
  }
  facts.start_pts = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  facts.frame_count = stream.nb_frames;
  if (facts.frame_count == 0 && facts.duration_seconds) {
    facts.frame_count = std::llround(*facts.duration_seconds * facts.frame_rate.value());
  }
  return facts;
}

/// Priming as the container tells it: as a number (Matroska), or by an index that starts before zero (mp4).
int leading_samples(AVStream& stream) {
  const AVCodecParameters& parameters = *stream.codecpar;
  if (parameters.initial_padding > 0) return parameters.initial_padding;
  const AVIndexEntry* first = avformat_index_get_entry(&stream, 0);
  if (first == nullptr || first->timestamp >= 0 || parameters.sample_rate <= 0) return 0;
  return static_cast<int>(av_rescale_q(-first->timestamp, stream.time_base, {1, parameters.sample_rate}));
}

class FfmpegSource final : public Source {
 public:
  FfmpegSource(const SourceOptions& options, std::unique_ptr<Input> input, AVStream& video)
      : options_(options), input_(std::move(input)), video_(video), background_(options.background) {}

  [[nodiscard]] Result<void> start();

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }
  [[nodiscard]] std::shared_ptr<const AudioStream> audio() const override { return audio_; }
  [[nodiscard]] Result<SourceItem> read() override;
  [[nodiscard]] Result<void> seek(double seconds) override;
  void set_background(std::uint32_t rgb) override { background_.store(rgb, std::memory_order_relaxed); }
  void interrupt() override { input_->interrupt(); }
  [[nodiscard]] std::uint64_t damaged_packets() const override {
    return damaged_reads_ + decoder_->damaged_packets();
  }

 private:
  enum class Position { Playing, VideoDone, Ended };

  void find_audio();
  void set_window(double from_seconds);
  [[nodiscard]] Result<RawItem> advance();
  [[nodiscard]] Result<void> feed_decoder(RawItem& item, bool& has_item);
  [[nodiscard]] Result<RawItem> end_of_input();
  [[nodiscard]] bool is_wanted(const AudioPacket& audio) const;
  [[nodiscard]] int jump_before(std::int64_t target);
  [[nodiscard]] Result<bool> find_frame_at_or_before(std::int64_t target);
  [[nodiscard]] std::int64_t ticks(double seconds) const {
    return static_cast<std::int64_t>(seconds / facts_.time_base.value());
  }
  [[nodiscard]] bool demuxer_is_past_window(const AVPacket& packet) const;

  SourceOptions options_;
  std::unique_ptr<Input> input_;
  AVStream& video_;
  std::atomic<std::uint32_t> background_;
  AVStream* audio_source_ = nullptr;
  std::shared_ptr<const AudioStream> audio_;
  std::unique_ptr<DirectBuffers> direct_;  // before the decoder: its threads call in until it is closed
  std::unique_ptr<VideoDecoder> decoder_;
  std::unique_ptr<FrameMaker> maker_;
  VideoFacts facts_;

  PacketPtr packet_ = new_packet();
  FramePtr decoded_ = new_frame();
  bool packet_is_pending_ = false;  ///< the decoder was full when packet_ was offered
  bool input_ended_ = false;
  std::optional<Error> read_error_;  ///< told once the frames before it are out
  std::deque<RawItem> found_by_seek_;
  PlayWindow video_window_;
  PlayWindow audio_window_;
  Position position_ = Position::Playing;
  std::int64_t last_pts_ = std::numeric_limits<std::int64_t>::min();
  std::uint32_t epoch_ = 0;
  int read_failures_ = 0;
  std::uint64_t damaged_reads_ = 0;
};

Result<void> FfmpegSource::start() {
  if (options_.want_audio) find_audio();
  AVFormatContext& format = input_->format();
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    AVStream* stream = format.streams[i];
    if (stream != &video_ && stream != audio_source_) stream->discard = AVDISCARD_ALL;
  }
  if (options_.memory != nullptr) direct_ = std::make_unique<DirectBuffers>(*options_.memory);
  TRY_ASSIGN(decoder_, VideoDecoder::open(format, video_, options_.threads, direct_.get(), options_.times));
  maker_ = std::make_unique<FrameMaker>(format, video_, options_.memory, direct_.get());
  facts_ = facts_of(format, video_, decoder_->context());
  set_window(-std::numeric_limits<double>::infinity());
  if (options_.start_seconds && *options_.start_seconds > 0) TRY(seek(*options_.start_seconds));
  epoch_ = 0;
  return {};
}

void FfmpegSource::find_audio() {
  AVStream* found = input_->best_audio(video_);
  if (found == nullptr) return;
  auto stream = std::make_shared<AudioStream>();
  stream->parameters.reset(avcodec_parameters_alloc());
  CHECK(stream->parameters != nullptr, "out of memory");
  if (avcodec_parameters_copy(stream->parameters.get(), found->codecpar) < 0) return;
  stream->time_base = found->time_base;
  stream->leading_samples = leading_samples(*found);
  audio_source_ = found;
  audio_ = std::move(stream);
}

void FfmpegSource::set_window(double from_seconds) {
  // Sound is cut at the same instants as the picture: both count from the video's first tick.
  const double start_seconds = static_cast<double>(facts_.start_pts) * facts_.time_base.value();
  const auto window = [&](std::int64_t origin, double origin_seconds, Rational time_base) {
    PlayWindow result;
    const double shift = start_seconds - origin_seconds;
    if (std::isfinite(from_seconds)) result.from = tick_at_or_after(from_seconds + shift, origin, time_base);
    if (options_.end_seconds) result.end = tick_at_or_after(*options_.end_seconds + shift, origin, time_base);
    return result;
  };
  video_window_ = window(facts_.start_pts, start_seconds, facts_.time_base);
  if (audio_source_ != nullptr) audio_window_ = window(0, 0, to_rational(audio_source_->time_base));
}

Result<SourceItem> FfmpegSource::read() {
  while (position_ != Position::Ended && !input_->interrupted()) {
    RawItem item = EndOfStream{};
    if (!found_by_seek_.empty()) {
      item = std::move(found_by_seek_.front());
      found_by_seek_.pop_front();
    } else {
      TRY_ASSIGN(item, advance());
    }
    if (std::holds_alternative<EndOfStream>(item)) break;
    if (auto* audio = std::get_if<AudioPacketPtr>(&item)) {
      if (is_wanted(**audio)) return SourceItem(std::move(*audio));
      continue;
    }
    auto& frame = std::get<FramePtr>(item);
    last_pts_ = frame->pts;
    if (position_ == Position::VideoDone || frame->pts < video_window_.from) continue;
    if (frame->pts >= video_window_.end) {
      position_ = audio_source_ != nullptr ? Position::VideoDone : Position::Ended;
      continue;
    }
    TRY_ASSIGN(Frame made,
               maker_->make(std::move(frame), epoch_, background_.load(std::memory_order_relaxed)));
    return SourceItem(std::move(made));
  }
  position_ = Position::Ended;
  return SourceItem(EndOfStream{});
}

bool FfmpegSource::is_wanted(const AudioPacket& audio) const {
  const AVPacket& packet = *audio.packet;
  if (packet.pts == AV_NOPTS_VALUE) return true;
  return packet.pts < audio_window_.end &&
         packet.pts + std::max<std::int64_t>(packet.duration, 1) > audio_window_.from;
}

/// The decoder's next frame or the demultiplexer's next audio packet, whichever comes first.
Result<RawItem> FfmpegSource::advance() {
  while (!input_->interrupted()) {
    TRY_ASSIGN(const auto received, decoder_->receive(*decoded_));
    if (received == VideoDecoder::Received::Frame) return RawItem(std::exchange(decoded_, new_frame()));
    if (received == VideoDecoder::Received::End || (input_ended_ && position_ == Position::VideoDone)) {
      return end_of_input();
    }
    RawItem item = EndOfStream{};
    bool has_item = false;
    TRY(feed_decoder(item, has_item));
    if (has_item) return item;
  }
  return RawItem(EndOfStream{});
}

Result<RawItem> FfmpegSource::end_of_input() {
  if (read_error_) return *std::exchange(read_error_, std::nullopt);
  if (decoder_->frames() == 0 && !input_->interrupted()) {
    return Error{
        ErrorCode::BadInput,
        fmt::format("Not one frame of {} could be decoded: it is damaged or was cut short.", input_->name()),
        ""};
  }
  return RawItem(EndOfStream{});
}

/// Reads packets until the decoder took one or an audio packet came.
Result<void> FfmpegSource::feed_decoder(RawItem& item, bool& has_item) {
  if (!packet_is_pending_) {
    const int code = input_ended_ ? AVERROR_EOF : av_read_frame(&input_->format(), packet_.get());
    if (code == AVERROR(EAGAIN)) return {};
    if (code < 0) {
      if (code == AVERROR_INVALIDDATA && ++read_failures_ <= MaxReadFailures) {
        ++damaged_reads_;
        return {};
      }
      if (!input_ended_ && code != AVERROR_EOF && code != AVERROR_EXIT && code != AVERROR_INVALIDDATA) {
        read_error_ = av_failure(ErrorCode::Failed,
                                 fmt::format("Reading {} stopped before its end.", input_->name()), code);
      }
      input_ended_ = true;
      static_cast<void>(decoder_->send(nullptr));
      return {};
    }
    read_failures_ = 0;
    if (audio_source_ != nullptr && packet_->stream_index == audio_source_->index) {
      if (position_ == Position::VideoDone && demuxer_is_past_window(*packet_)) input_ended_ = true;
      auto audio = std::make_shared<AudioPacket>();
      audio->packet = std::exchange(packet_, new_packet());
      audio->time_base = audio_source_->time_base;
      item = AudioPacketPtr(std::move(audio));
      has_item = true;
      return {};
    }
    if (packet_->stream_index != video_.index || position_ == Position::VideoDone) {
      if (position_ == Position::VideoDone && demuxer_is_past_window(*packet_)) input_ended_ = true;
      av_packet_unref(packet_.get());
      return {};
    }
  }
  packet_is_pending_ = decoder_->send(packet_.get()) == VideoDecoder::Sent::Full;
  if (!packet_is_pending_) av_packet_unref(packet_.get());
  return {};
}

/// True for audio at the window's end, and for video far enough after it that audio before it would have
/// come.
bool FfmpegSource::demuxer_is_past_window(const AVPacket& packet) const {
  if (packet.stream_index != video_.index)
    return packet.pts != AV_NOPTS_VALUE && packet.pts >= audio_window_.end;
  return packet.dts != AV_NOPTS_VALUE && packet.dts - ticks(AudioTailSeconds) >= video_window_.end;
}

Result<void> FfmpegSource::seek(double seconds) {
  const std::int64_t target = tick_at_or_after(seconds, facts_.start_pts, facts_.time_base);
  // Where key frames are found by decoding time, the first one's lies before the stream's start.
  const std::int64_t floor = facts_.start_pts - ticks(1.0);
  double back = 0;
  for (int attempt = 0; attempt < MaxSeekAttempts; ++attempt) {
    const std::int64_t position = std::max(target - ticks(back), floor);
    if (const int code = jump_before(position); code < 0) {
      // An input that cannot move may still play on to the target; and what an attempt before this one found
      // holds.
      const bool lies_ahead = target > last_pts_ && position_ == Position::Playing;
      if (attempt > 0 || lies_ahead) break;
      return av_failure(ErrorCode::Failed,
                        fmt::format("{} cannot be played from another place.", input_->name()), code);
    }
    // A key frame that is decoded before the target but shown after it is one group of pictures too late.
    TRY_ASSIGN(const bool is_early_enough, find_frame_at_or_before(target));
    if (is_early_enough || position == floor || input_->interrupted()) break;
    back = back == 0 ? FirstStepBack : 2 * back;
  }
  set_window(seconds);
  ++epoch_;
  return {};
}

/// Decodes one frame after a jump and keeps all that came up to it for read().
Result<bool> FfmpegSource::find_frame_at_or_before(std::int64_t target) {
  for (;;) {
    TRY_ASSIGN(RawItem item, advance());
    if (std::holds_alternative<EndOfStream>(item)) return false;
    const auto* frame = std::get_if<FramePtr>(&item);
    const bool is_early_enough = frame != nullptr && (*frame)->pts <= target;
    const bool is_frame = frame != nullptr;
    found_by_seek_.push_back(std::move(item));
    if (is_frame) return is_early_enough;
  }
}

/// Moves the demultiplexer to a key frame at or before `target`, where it can: an AVERROR else, and nothing
/// changes.
int FfmpegSource::jump_before(std::int64_t target) {
  constexpr std::int64_t Any = std::numeric_limits<std::int64_t>::min();
  if (const int code = avformat_seek_file(&input_->format(), video_.index, Any, target, target, 0); code < 0)
    return code;
  av_packet_unref(packet_.get());
  packet_is_pending_ = false;
  input_ended_ = false;
  read_error_.reset();
  read_failures_ = 0;
  found_by_seek_.clear();
  position_ = Position::Playing;
  decoder_->flush(target);
  return 0;
}

}  // namespace

Result<std::unique_ptr<Source>> Source::open(const SourceOptions& options) {
  TRY_ASSIGN(auto input, Input::open(options.url));
  TRY_ASSIGN(AVStream * video, input->best_video());
  auto source = std::make_unique<FfmpegSource>(options, std::move(input), *video);
  TRY(source->start());
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace glyphreel::media
