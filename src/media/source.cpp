#include "media/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <mutex>

#include "base/io/log.h"
#include "media/decode/audio_stream.h"
#include "media/decode/deinterlacer.h"
#include "media/demux/demuxer.h"
#include "media/frame/direct_buffers.h"
#include "media/decode/frame_builder.h"
#include "media/hwdec/hw_decode_report.h"
#include "media/input/input.h"
#include "media/ffmpeg/pts_range.h"
#include "media/stream/stream_tags.h"
#include "media/subtitle/subtitle_stream.h"
#include "media/decode/video_decoder.h"
#include "media/stream/stream_facts.h"
#include "media/webp_source.h"

namespace glyphreel::media {
namespace {

constexpr int MaxSeekAttempts = 8;
constexpr double FirstStepBack = 0.5;  // seconds; doubled at each further attempt
constexpr double AudioTailSeconds =
    1;  // how far other streams may lag behind the video at the end of the window
constexpr double SteadySeconds =
    4;  // of new frames after a reconnect, until the next break counts as the first
constexpr double UnseenSeconds =
    0.25;  // non-reference frames this far before a seek's target are not decoded

using AudioPacketPtr = std::shared_ptr<const AudioPacket>;
/// Decoder output before the window is applied and before any conversion.
using RawItem = std::variant<FramePtr, AudioPacketPtr, EndOfStream>;

class FfmpegSource final : public Source {
 public:
  FfmpegSource(const SourceOptions& options, std::unique_ptr<Input> input, AVStream& video)
      : options_(options), input_(std::move(input)), video_(&video), background_(options.background) {}

  [[nodiscard]] Result<void> start();

  [[nodiscard]] const VideoFacts& facts() const override { return facts_; }
  [[nodiscard]] const InputFacts& input() const override { return input_facts_; }
  [[nodiscard]] std::shared_ptr<const AudioStream> audio() const override { return audio_; }
  [[nodiscard]] Result<SourceItem> read() override;
  [[nodiscard]] Result<SourceItem> read_audio() override;
  [[nodiscard]] Result<void> seek(double seconds, SeekMode mode, std::uint32_t epoch) override;
  [[nodiscard]] ReadAhead read_ahead() const override;
  [[nodiscard]] const std::vector<SubtitleTrackInfo>& subtitle_tracks() const override {
    return subtitle_tracks_;
  }
  [[nodiscard]] Result<std::unique_ptr<SubtitleDecoder>> open_subtitles(
      int stream_index, const std::string& charset) const override;
  [[nodiscard]] std::shared_ptr<const SubtitlePacket> try_read_subtitle(int stream_index) override;
  void set_background(std::uint32_t rgb) override { background_.store(rgb, std::memory_order_relaxed); }
  void interrupt() override { input_->interrupt(); }
  [[nodiscard]] std::uint64_t damaged_packets() const override {
    return demuxer_->damaged_reads() + decoder_->damaged_packets();
  }
  [[nodiscard]] HwDecodeStatus hardware_use() const override { return hardware_report_.use(); }

 private:
  enum class Position { Playing, VideoDone, Ended };

  [[nodiscard]] Result<void> open_decoder();
  void set_window(double from_seconds, SeekMode mode);
  [[nodiscard]] Result<RawItem> advance();
  [[nodiscard]] Result<void> feed_decoder(RawItem& item, bool& has_item);
  [[nodiscard]] Result<RawItem> end_of_input();
  [[nodiscard]] bool is_wanted(const AudioPacket& audio) const;
  [[nodiscard]] std::int64_t audio_window_from() const {
    const std::lock_guard lock(audio_window_mutex_);
    return audio_window_.from;
  }
  [[nodiscard]] std::shared_ptr<const AudioPacket> audio_packet(Demuxer::Packet read) const;
  [[nodiscard]] bool is_before_target(const FramePtr& frame);
  [[nodiscard]] Result<bool> retry_earlier_keyframe();
  [[nodiscard]] Result<SourceItem> make_frame(FramePtr frame);
  [[nodiscard]] Result<bool> skip_ahead(std::int64_t target);
  void restart_decoder(std::int64_t target);
  [[nodiscard]] int jump(const Demuxer::JumpTarget& target);
  [[nodiscard]] int jump_before(std::int64_t target);
  [[nodiscard]] Result<void> seek_back_to(std::int64_t target);
  [[nodiscard]] Result<std::optional<std::int64_t>> find_frame();
  [[nodiscard]] std::int64_t ticks(double seconds) const {
    return static_cast<std::int64_t>(seconds / facts_.time_base.value());
  }
  [[nodiscard]] Result<bool> reconnect();
  void resume_window(std::int64_t audio_until);
  void note_progress(std::int64_t pts);
  [[nodiscard]] bool is_skippable(const AVPacket& packet) const;
  [[nodiscard]] bool demuxer_is_past_window(const AVPacket& packet) const;

  SourceOptions options_;
  std::unique_ptr<Input> input_;
  AVStream* video_;
  std::atomic<std::uint32_t> background_;
  int video_index_ = video_->index;
  int audio_index_ = -1;  ///< -1: no audio is delivered
  AVRational audio_time_base_{0, 1};
  std::vector<SubtitleTrackInfo> subtitle_tracks_;
  std::vector<SubtitleStream> subtitle_streams_;  ///< parallel to subtitle_tracks_
  std::shared_ptr<const AudioStream> audio_;
  std::unique_ptr<DirectBuffers> direct_;  // declared before decoder_: its threads call in until it is closed
  HwDecodeReport hardware_report_;
  std::unique_ptr<VideoDecoder> decoder_;
  Deinterlacer deinterlacer_{options_.deinterlace, options_.threads};
  std::unique_ptr<FrameBuilder> maker_;
  VideoFacts facts_;
  InputFacts input_facts_;
  std::atomic<bool> is_reconnecting_ = false;
  int failed_reopens_ = 0;                   ///< since playback was last steady
  std::optional<std::int64_t> steady_from_;  ///< pts from which frames are new since the last reconnect()

  PacketPtr packet_;           ///< one that the decoder had no room for
  bool is_encrypted_ = false;  ///< the video is, from the current read position
  FramePtr decoded_ = new_frame();
  bool input_ended_ = false;
  std::deque<RawItem> found_by_seek_;
  PtsRange video_window_;
  FramePtr before_;  ///< for SeekMode::FrameBefore: the last frame before the target so far
  bool wants_frame_before_ = false;
  std::optional<std::int64_t> sought_from_;  ///< first frame's pts in a seek whose target is not found yet
  mutable std::mutex audio_window_mutex_;
  PtsRange audio_window_;
  Position position_ = Position::Playing;
  std::int64_t last_pts_ = std::numeric_limits<std::int64_t>::min();  ///< of the frame decoded last
  std::uint32_t epoch_ = 0;
  std::vector<int> read_streams_;     ///< those whose packets read() takes
  std::unique_ptr<Demuxer> demuxer_;  // destroyed first: reads from the input on its own thread
};

Result<void> FfmpegSource::start() {
  AVFormatContext& format = input_->format();
  if (options_.memory != nullptr) direct_ = std::make_unique<DirectBuffers>(*options_.memory);
  TRY(open_decoder());
  maker_ = std::make_unique<FrameBuilder>(format, *video_, options_.memory, direct_.get());
  if (const std::string warning = color_warning(*video_); !warning.empty()) log::warn("{}", warning);
  facts_ = facts_of(format, *video_, decoder_->codec());
  input_facts_ = input_->facts();
  if (options_.audio != AudioDelivery::None) {
    if (AVStream* found = choose_audio(*input_, *video_, options_.audio_track, facts_)) {
      audio_index_ = found->index;
      audio_time_base_ = found->time_base;
      audio_ = describe_audio(*found);
    }
  }
  Demuxer::Options read{.streams = {video_index_}};
  read_streams_ = read.streams;
  if (audio_index_ >= 0) {
    read.streams.push_back(audio_index_);
    if (options_.audio == AudioDelivery::WithFrames) read_streams_ = read.streams;
  }
  if (options_.want_subtitles) {
    subtitle_tracks_ = list_subtitle_streams(format);
    for (const SubtitleTrackInfo& track : subtitle_tracks_) {
      read.streams.push_back(track.stream_index);
      subtitle_streams_.push_back(describe_subtitles(*format.streams[track.stream_index], facts_.size));
    }
  }
  set_window(-std::numeric_limits<double>::infinity(), SeekMode::Exact);
  demuxer_ = std::make_unique<Demuxer>(*input_, std::move(read));
  if (demuxer_->has_failed()) return demuxer_->take_error().value_or(Error{});
  if (options_.start_seconds && *options_.start_seconds > 0) {
    TRY(seek(*options_.start_seconds, SeekMode::Exact, 0));
    epoch_ = 0;
    demuxer_->relabel(0);
  }
  return {};
}

Result<void> FfmpegSource::open_decoder() {
  TRY_ASSIGN(decoder_, VideoDecoder::open(input_->format(), *video_,
                                          {.threads = options_.threads,
                                           .direct = direct_.get(),
                                           .times = options_.times,
                                           .hwdec = options_.hwdec,
                                           .hardware = options_.hardware,
                                           .hw_decode_backend = options_.hw_decode_backend,
                                           .takes_interlaced = options_.deinterlace == Deinterlacing::No,
                                           .report = &hardware_report_}));
  deinterlacer_.flush();
  return {};
}

void FfmpegSource::set_window(double from_seconds, SeekMode mode) {
  const bool from_any_frame = mode == SeekMode::KeyframeBefore || mode == SeekMode::KeyframeAfter;
  std::optional<double> from;
  if (std::isfinite(from_seconds) && !from_any_frame) from = from_seconds;
  video_window_ = window_between(from, options_.end_seconds, facts_.start_pts, facts_.time_base);
  wants_frame_before_ = mode == SeekMode::FrameBefore;
  before_.reset();
  if (audio_index_ < 0) return;
  // Audio is cut at the same times as the video: both count from the video's first tick.
  const double shift = static_cast<double>(facts_.start_pts) * facts_.time_base.value();
  const auto shifted = [shift](std::optional<double> time) {
    return time ? std::optional(*time + shift) : time;
  };
  const std::lock_guard lock(audio_window_mutex_);
  audio_window_ =
      window_between(shifted(from), shifted(options_.end_seconds), 0, to_rational(audio_time_base_));
  if (wants_frame_before_) audio_window_.from = std::numeric_limits<std::int64_t>::min();
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
    if (std::holds_alternative<EndOfStream>(item)) {
      TRY_ASSIGN(const bool goes_on, retry_earlier_keyframe());
      if (goes_on) continue;
      // The target is past the last frame, so the frame before it is the last one.
      if (before_ != nullptr) return make_frame(std::exchange(before_, nullptr));
      break;
    }
    if (auto* audio = std::get_if<AudioPacketPtr>(&item)) {
      if (is_wanted(**audio)) return SourceItem(std::move(*audio));
      continue;
    }
    auto& frame = std::get<FramePtr>(item);
    if (is_before_target(frame)) {
      if (options_.tells_skipped) return SourceItem(Skipped{});
      continue;
    }
    if (before_ != nullptr) {
      found_by_seek_.emplace_front(std::move(frame));
      return make_frame(std::exchange(before_, nullptr));
    }
    if (frame->pts >= video_window_.end) {
      position_ = options_.audio == AudioDelivery::WithFrames && audio_index_ >= 0 ? Position::VideoDone
                                                                                   : Position::Ended;
      continue;
    }
    return make_frame(std::move(frame));
  }
  position_ = Position::Ended;
  return SourceItem(EndOfStream{});
}

/// Whether a frame precedes the wanted ones. Keeps it if the last such frame is wanted.
bool FfmpegSource::is_before_target(const FramePtr& frame) {
  if (position_ == Position::VideoDone) return true;
  if (frame->pts >= video_window_.from) {
    wants_frame_before_ = false;
    return false;
  }
  if (wants_frame_before_) {
    if (before_ == nullptr) before_ = new_frame();
    av_frame_unref(before_.get());
    check_memory(av_frame_ref(before_.get(), frame.get()) == 0);
  }
  return true;
}

/// Retries a seek that reached the end without finding its frame, from the preceding group of pictures.
/// FFmpeg 5.1 loses the frames after an H.264 keyframe that is not an IDR picture when the stream ends soon
/// after it. False if this does not apply.
Result<bool> FfmpegSource::retry_earlier_keyframe() {
  if (!sought_from_ || input_->interrupted()) return false;
  const std::int64_t earlier = *std::exchange(sought_from_, std::nullopt) - 1;
  if (earlier < facts_.start_pts || jump_before(earlier) < 0) return false;
  TRY(find_frame());
  sought_from_.reset();  // once is enough
  return true;
}

Result<SourceItem> FfmpegSource::make_frame(FramePtr frame) {
  sought_from_.reset();
  TRY_ASSIGN(Frame made, maker_->make(std::move(frame), epoch_, background_.load(std::memory_order_relaxed)));
  return SourceItem(std::move(made));
}

std::shared_ptr<const AudioPacket> FfmpegSource::audio_packet(Demuxer::Packet read) const {
  return std::make_shared<const AudioPacket>(
      AudioPacket{std::move(read.packet), audio_time_base_, read.epoch});
}

Result<SourceItem> FfmpegSource::read_audio() {
  CHECK(options_.audio == AudioDelivery::Apart, "sound is not delivered separately from the frames");
  while (audio_index_ >= 0) {
    std::optional<Demuxer::Packet> read = demuxer_->next({audio_index_}, Demuxer::Freeze::Respected);
    if (!read) break;
    AudioPacketPtr audio = audio_packet(*std::move(read));
    if (is_wanted(*audio)) return SourceItem(std::move(audio));
  }
  return SourceItem(EndOfStream{});
}

bool FfmpegSource::is_wanted(const AudioPacket& audio) const {
  const AVPacket& packet = *audio.packet;
  if (packet.pts == AV_NOPTS_VALUE) return true;
  const std::lock_guard lock(audio_window_mutex_);
  return packet.pts < audio_window_.end &&
         packet.pts + std::max<std::int64_t>(packet.duration, 1) > audio_window_.from;
}

/// Returns the decoder's next frame or the demuxer's next audio packet, whichever comes first.
Result<RawItem> FfmpegSource::advance() {
  while (!input_->interrupted()) {
    if (FramePtr frame = deinterlacer_.take()) {
      note_progress(frame->pts);
      return RawItem(std::move(frame));
    }
    TRY_ASSIGN(const auto received, decoder_->receive(*decoded_));
    if (received == VideoDecoder::Received::Frame) {
      deinterlacer_.put(std::exchange(decoded_, new_frame()));
      continue;
    }
    if (received == VideoDecoder::Received::End && deinterlacer_.finish()) continue;
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
  if (std::optional<Error> error = demuxer_->take_error()) return *std::move(error);
  if (is_encrypted_) {
    return Error{ErrorCode::BadInput,
                 fmt::format("{} is encrypted: it cannot be decoded without its key.", input_->name()), ""};
  }
  if (decoder_->frames() == 0 && !input_->interrupted()) {
    return Error{
        ErrorCode::BadInput,
        fmt::format("No frame of {} could be decoded: it is damaged or was cut short.", input_->name()), ""};
  }
  return RawItem(EndOfStream{});
}

/// Takes packets until the decoder accepted one or an audio packet came.
Result<void> FfmpegSource::feed_decoder(RawItem& item, bool& has_item) {
  if (packet_ == nullptr) {
    std::optional<Demuxer::Packet> read;
    if (!input_ended_) read = demuxer_->next(read_streams_, Demuxer::Freeze::Ignored);
    if (!read && !input_ended_ && input_facts_.may_come_back() && demuxer_->has_broken() &&
        !demuxer_->has_failed() && !input_->interrupted()) {
      TRY_ASSIGN(const bool is_back, reconnect());
      if (is_back) return {};
    }
    if (!read) {
      input_ended_ = true;
      static_cast<void>(decoder_->send(nullptr));
      return {};
    }
    const AVPacket& packet = *read->packet;
    if (position_ == Position::VideoDone && demuxer_is_past_window(packet)) input_ended_ = true;
    if (packet.stream_index != video_index_) {
      item = audio_packet(*std::move(read));
      has_item = true;
      return {};
    }
    if (position_ == Position::VideoDone) return {};
    if (av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr) {
      // Decoders would turn it into noise. What lies before it is not encrypted.
      is_encrypted_ = input_ended_ = true;
      static_cast<void>(decoder_->send(nullptr));
      return {};
    }
    packet_ = std::move(read->packet);
  }
  if (decoder_->send(packet_.get(), is_skippable(*packet_)) == VideoDecoder::Sent::Taken) packet_.reset();
  return {};
}

/// Reopens an input whose connection broke; false if it did not come back. Its frames then have a new
/// epoch. A live input continues with what it sends now. A finite one, whose server cannot seek, is read
/// again from its start up to the break.
Result<bool> FfmpegSource::reconnect() {
  log::warn("The connection to {} broke; reconnecting.", input_->name());
  is_reconnecting_.store(true, std::memory_order_relaxed);
  const std::int64_t audio_until = audio_index_ < 0 ? AV_NOPTS_VALUE : demuxer_->taken_until(audio_index_);
  bool is_back = false;
  for (; !is_back && !input_->interrupted();
       ++failed_reopens_) {  // a success also counts until playback is steady
    const std::optional<std::chrono::milliseconds> delay = reopen_delay(failed_reopens_);
    if (!delay) break;
    if (input_->wait_until_interrupted(*delay)) break;
    is_back = bool(input_->reopen());
  }
  is_reconnecting_.store(false, std::memory_order_relaxed);
  if (!is_back) return false;
  AVFormatContext& format = input_->format();
  video_ = format.streams[video_index_];
  TRY(open_decoder());
  maker_ = std::make_unique<FrameBuilder>(format, *video_, options_.memory, direct_.get());
  if (input_facts_.is_live) {
    set_window(-std::numeric_limits<double>::infinity(), SeekMode::Exact);
    steady_from_.reset();
  } else {
    resume_window(audio_until);
  }
  demuxer_->start_again(++epoch_);
  return true;
}

/// When the input is read again from its start, drops what was delivered before the break.
void FfmpegSource::resume_window(std::int64_t audio_until) {
  const bool has_frame = last_pts_ != std::numeric_limits<std::int64_t>::min() &&
                         last_pts_ != std::numeric_limits<std::int64_t>::max();
  if (has_frame) {
    steady_from_ = std::max(last_pts_, steady_from_.value_or(last_pts_));
    video_window_.from = std::max(video_window_.from, *steady_from_ + 1);
  }
  if (audio_until == AV_NOPTS_VALUE) return;
  const std::lock_guard lock(audio_window_mutex_);
  audio_window_.from = std::max(audio_window_.from, audio_until);
}

/// Forgets earlier breaks once enough was decoded after the last one: a source that breaks immediately each
/// time is given up.
void FfmpegSource::note_progress(std::int64_t pts) {
  last_pts_ = pts;
  if (failed_reopens_ == 0) return;
  if (!steady_from_) steady_from_ = pts;
  if (pts - *steady_from_ >= ticks(SteadySeconds)) failed_reopens_ = 0;
}

/// Whether a packet's frame lies so far before the window that it is discarded in any mode.
bool FfmpegSource::is_skippable(const AVPacket& packet) const {
  constexpr std::int64_t Any = std::numeric_limits<std::int64_t>::min();
  if (packet.pts == AV_NOPTS_VALUE || video_window_.from == Any) return false;
  const double fps = facts_.frame_rate.value();
  const double margin = fps > 0 ? std::max(UnseenSeconds, 2 / fps) : UnseenSeconds;
  return packet.pts < video_window_.from - ticks(margin);
}

/// True for audio at the window's end, and for video far enough past it that any audio before it would have
/// arrived.
bool FfmpegSource::demuxer_is_past_window(const AVPacket& packet) const {
  if (packet.stream_index != video_index_)
    return packet.pts != AV_NOPTS_VALUE && packet.pts >= audio_window_.end;
  return packet.dts != AV_NOPTS_VALUE && packet.dts - ticks(AudioTailSeconds) >= video_window_.end;
}

Result<void> FfmpegSource::seek(double seconds, SeekMode mode, std::uint32_t epoch) {
  const std::int64_t target = tick_at_or_after(seconds, facts_.start_pts, facts_.time_base);
  const PtsRange window_before = video_window_;
  epoch_ = epoch != 0 ? epoch : epoch_ + 1;
  sought_from_.reset();
  demuxer_->freeze(true);
  set_window(seconds, mode);
  const Result<void> found = [&]() -> Result<void> {
    if (mode == SeekMode::Exact) {
      TRY_ASSIGN(const bool is_done, skip_ahead(target));
      if (is_done) return {};
    }
    if (mode == SeekMode::KeyframeAfter &&
        jump({video_index_, target, target, std::numeric_limits<std::int64_t>::max()}) >= 0) {
      // Some demuxers seek to the last keyframe if there is none after the target.
      TRY_ASSIGN(const std::optional<std::int64_t> pts, find_frame());
      if (pts && *pts >= target) return {};
    }
    const std::int64_t last =
        facts_.duration_seconds ? facts_.start_pts + ticks(*facts_.duration_seconds) : target;
    return seek_back_to(std::min(mode == SeekMode::FrameBefore ? target - 1 : target, last));
  }();
  if (!found) video_window_ = window_before;
  demuxer_->relabel(epoch_);
  demuxer_->freeze(false);
  return found;
}

/// Seeks forward to a frame within what was already read. False if it is not there.
Result<bool> FfmpegSource::skip_ahead(std::int64_t target) {
  if (target <= last_pts_ || position_ != Position::Playing || input_ended_ || decoder_->is_spliced() ||
      options_.audio == AudioDelivery::WithFrames) {
    return false;
  }
  if (packet_ != nullptr && (packet_->pts == AV_NOPTS_VALUE || packet_->pts >= target)) return false;
  const Demuxer::Skip skip = demuxer_->skip_to({.stream = video_index_,
                                                .pts = target,
                                                .secondary_stream = audio_index_,
                                                .secondary_pts = audio_window_from()});
  if (skip == Demuxer::Skip::NotThere) return false;
  if (skip == Demuxer::Skip::ContinuesDecoding) return true;
  restart_decoder(target);
  TRY_ASSIGN(const std::optional<std::int64_t> pts, find_frame());
  return pts && *pts <= target;
}

/// Seeks so that decoding starts at or before `target`.
Result<void> FfmpegSource::seek_back_to(std::int64_t target) {
  // In inputs that find keyframes by decoding time, the first one's lies before the stream's start.
  const std::int64_t floor = facts_.start_pts - ticks(1.0);
  double back = 0;
  for (int attempt = 0; attempt < MaxSeekAttempts; ++attempt) {
    const std::int64_t position = std::max(target - ticks(back), floor);
    if (const int code = jump_before(position); code < 0) {
      // An input that cannot seek may still reach the target by playing on, and the result of an earlier
      // attempt remains valid.
      const bool lies_ahead = target > last_pts_ && position_ == Position::Playing;
      if (attempt > 0 || lies_ahead) return {};
      return av_failure(ErrorCode::Failed, fmt::format("{} does not support seeking.", input_->name()), code);
    }
    // A keyframe that is decoded before the target but shown after it is one group of pictures too late.
    TRY_ASSIGN(const std::optional<std::int64_t> pts, find_frame());
    if ((pts && *pts <= target) || position == floor || input_->interrupted()) return {};
    back = back == 0 ? FirstStepBack : 2 * back;
  }
  return {};
}

/// Decodes one frame after a jump and keeps everything up to it for read(). Returns the frame's pts, empty
/// at the end.
Result<std::optional<std::int64_t>> FfmpegSource::find_frame() {
  for (;;) {
    TRY_ASSIGN(RawItem item, advance());
    if (std::holds_alternative<EndOfStream>(item)) return std::optional<std::int64_t>();
    std::optional<std::int64_t> pts;
    if (const auto* frame = std::get_if<FramePtr>(&item)) pts = (*frame)->pts;
    found_by_seek_.push_back(std::move(item));
    if (pts) {
      sought_from_ = pts;
      return pts;
    }
  }
}

/// Seeks the demuxer. Returns an AVERROR if it cannot seek; then nothing changes.
int FfmpegSource::jump(const Demuxer::JumpTarget& target) {
  if (const int code = demuxer_->jump(target, epoch_); code < 0) return code;
  restart_decoder(target.wanted);
  return 0;
}

/// Restarts decoding with the demuxer's next packet.
void FfmpegSource::restart_decoder(std::int64_t target) {
  packet_.reset();
  input_ended_ = is_encrypted_ = false;
  found_by_seek_.clear();
  position_ = Position::Playing;
  last_pts_ = std::numeric_limits<std::int64_t>::max();  // until there is one
  decoder_->flush(target);
  deinterlacer_.flush();
}

/// Seeks to a keyframe at or before `target`.
int FfmpegSource::jump_before(std::int64_t target) {
  return jump({video_index_, std::numeric_limits<std::int64_t>::min(), target, target});
}

Result<std::unique_ptr<SubtitleDecoder>> FfmpegSource::open_subtitles(int stream_index,
                                                                      const std::string& charset) const {
  for (std::size_t i = 0; i < subtitle_tracks_.size(); ++i) {
    if (subtitle_tracks_[i].stream_index == stream_index)
      return SubtitleDecoder::open(subtitle_streams_[i], charset);
  }
  return Error{ErrorCode::BadInput, fmt::format("{} does not contain these subtitles.", input_->name()), {}};
}

std::shared_ptr<const SubtitlePacket> FfmpegSource::try_read_subtitle(int stream_index) {
  std::optional<Demuxer::Packet> read = demuxer_->try_next({stream_index});
  if (!read) return nullptr;
  auto packet = std::make_shared<SubtitlePacket>();
  for (std::size_t i = 0; i < subtitle_tracks_.size(); ++i) {
    if (subtitle_tracks_[i].stream_index == stream_index) packet->time_base = subtitle_streams_[i].time_base;
  }
  packet->packet = std::move(read->packet);
  packet->epoch = read->epoch;
  return packet;
}

ReadAhead FfmpegSource::read_ahead() const {
  const Demuxer::Level level = demuxer_->level(video_index_);
  return {.bytes = level.bytes,
          .seconds = level.ahead_seconds,
          .at_end = level.at_end,
          .is_starved = level.is_starved,
          .is_reconnecting = is_reconnecting_.load(std::memory_order_relaxed)};
}

}  // namespace

Result<std::unique_ptr<Source>> Source::open(const SourceOptions& options) {
  TRY_ASSIGN(auto input, Input::open(options.url, options.stop));
  if (options.ends_on_interrupt) input->end_on_interrupt();
  if (input->animated_webp() != nullptr) return make_webp_source(options, std::move(input));
  TRY_ASSIGN(AVStream * video, input->best_video());
  auto source = std::make_unique<FfmpegSource>(options, std::move(input), *video);
  {
    const std::stop_callback interrupt(options.stop, [&source] { source->interrupt(); });
    TRY(source->start());
  }
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace glyphreel::media
