#include "media/reading/stream_reader.h"

#include <algorithm>

#include "base/io/log.h"

namespace glyphreel::media {
namespace {

/// Once this many seconds of new frames were read, the count of attempts to reopen the input restarts at 0.
constexpr double SteadySeconds = 4;

}  // namespace

StreamReader::StreamReader(const SourceOptions& options, Input& input, const SelectedStreams& streams,
                           const VideoFacts& facts, ReadWindow& window, VideoPipeline& pipeline)
    : options_(options),
      input_(input),
      streams_(streams),
      facts_(facts),
      window_(window),
      pipeline_(pipeline),
      streams_of_next_{streams.video},
      demuxer_(std::make_unique<Demuxer>(input, Demuxer::Options{.streams = streams.indices()})) {
  if (streams.audio >= 0 && options.audio == AudioDelivery::WithFrames)
    streams_of_next_.push_back(streams.audio);
  streams_of_next_.insert(streams_of_next_.end(), streams.copied_tracks.begin(), streams.copied_tracks.end());
}

Result<DecodedItem> StreamReader::next() {
  while (!input_.interrupted()) {
    FramePtr frame;
    TRY_ASSIGN(const VideoPipeline::Received received, pipeline_.receive(frame));
    if (received == VideoPipeline::Received::Frame) {
      note_frame(frame->pts);
      return DecodedItem(std::move(frame));
    }
    if (received == VideoPipeline::Received::End || (input_ended_ && position_ == Position::VideoDone))
      return end_of_input();
    TRY_ASSIGN(AudioPacketPtr audio, feed());
    if (audio != nullptr) return DecodedItem(std::move(audio));
  }
  return DecodedItem(EndOfStream{});
}

/// Reads the next packet. Sends a video packet to the decoder; returns a packet of any other stream.
Result<AudioPacketPtr> StreamReader::feed() {
  const AudioPacketPtr none;
  std::optional<Demuxer::Packet> read;
  if (!input_ended_) {
    read = demuxer_->next(streams_of_next_, Demuxer::Freeze::Ignored);
    if (!read && has_broken()) {
      TRY_ASSIGN(const bool is_back, reconnect());
      if (is_back) return none;
    }
  }
  if (!read) {
    end_input();
    return none;
  }
  const AVPacket& packet = *read->packet;
  if (position_ == Position::VideoDone && window_.is_past(packet)) input_ended_ = true;
  if (packet.stream_index != streams_.video) return audio_packet(*std::move(read));
  if (position_ == Position::VideoDone) return none;
  if (av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr) {
    // A decoder would output noise for encrypted packets, so end the input here. The packets before this one
    // are not encrypted and are still decoded.
    is_encrypted_ = true;
    end_input();
    return none;
  }
  pipeline_.send(&packet, window_.is_skippable(packet));
  return none;
}

void StreamReader::end_input() {
  input_ended_ = true;
  pipeline_.send(nullptr);
}

Result<DecodedItem> StreamReader::end_of_input() {
  if (std::optional<Error> error = demuxer_->take_error()) return *std::move(error);
  if (is_encrypted_) {
    return bad_input("{} is encrypted and cannot be decoded without its key.", input_.name());
  }
  if (pipeline_.decoder().frames() == 0 && !options_.discards_video && !input_.interrupted()) {
    return bad_input(
        "No frame of {} could be decoded: the input is damaged or was cut short; use another copy.",
        input_.name());
  }
  return DecodedItem(EndOfStream{});
}

AudioPacketPtr StreamReader::audio_packet(Demuxer::Packet read) const {
  const int track = streams_.copied_track(read.packet->stream_index);
  const AudioStream& stream =
      track < 0 ? *streams_.audio_stream : streams_.copied->tracks[static_cast<std::size_t>(track)];
  return std::make_shared<const AudioPacket>(
      AudioPacket{std::move(read.packet), stream.time_base, read.epoch, track});
}

AudioPacketPtr StreamReader::next_audio() {
  CHECK(options_.audio == AudioDelivery::Apart, "audio is not delivered separately from the frames");
  while (streams_.audio >= 0) {
    std::optional<Demuxer::Packet> read = demuxer_->next({streams_.audio}, Demuxer::Freeze::Respected);
    if (!read) break;
    AudioPacketPtr audio = audio_packet(*std::move(read));
    if (window_.wants(*audio)) return audio;
  }
  return nullptr;
}

void StreamReader::begin_seek(std::uint32_t epoch) {
  epoch_ = epoch != 0 ? epoch : epoch_ + 1;
  demuxer_->freeze(true);
}

void StreamReader::end_seek() {
  demuxer_->relabel(epoch_);
  demuxer_->freeze(false);
}

void StreamReader::set_epoch(std::uint32_t epoch) {
  epoch_ = epoch;
  demuxer_->relabel(epoch);
}

int StreamReader::seek(const Demuxer::SeekTarget& target) {
  if (const int code = demuxer_->seek(target, epoch_); code < 0) return code;
  restart(target.wanted);
  return 0;
}

Demuxer::Skip StreamReader::skip_to(std::int64_t target) {
  if (target <= last_pts_ || position_ != Position::Playing || input_ended_ ||
      pipeline_.decoder().is_spliced() || options_.audio == AudioDelivery::WithFrames) {
    return Demuxer::Skip::NotBuffered;
  }
  const Demuxer::Skip skip = demuxer_->skip_to({.stream = streams_.video,
                                                .pts = target,
                                                .secondary_stream = streams_.audio,
                                                .secondary_pts = window_.audio_from()});
  if (skip == Demuxer::Skip::AtKeyFrame) restart(target);
  return skip;
}

/// Restarts decoding with the demuxer's next packet.
void StreamReader::restart(std::int64_t target) {
  input_ended_ = is_encrypted_ = false;
  position_ = first_position();
  last_pts_ = std::numeric_limits<std::int64_t>::max();  // until a frame is decoded
  pipeline_.flush(target);
}

void StreamReader::end_video() {
  position_ = streams_of_next_.size() > 1 ? Position::VideoDone : Position::Ended;
}

bool StreamReader::has_broken() const {
  return input_.facts().may_come_back() && demuxer_->has_broken() && !demuxer_->has_failed() &&
         !input_.interrupted();
}

/// Reopens an input whose connection was lost; returns false if that fails. Frames of the reopened input have
/// a new epoch. A live input continues with the data that it sends now. A finite input, whose server cannot
/// seek, is read again from its start, without returning what was already delivered.
Result<bool> StreamReader::reconnect() {
  log::warn("The connection to {} was lost; reconnecting.", input_.name());
  const std::int64_t audio_until =
      streams_.audio < 0 ? AV_NOPTS_VALUE : demuxer_->taken_until(streams_.audio);
  is_reconnecting_.store(true, std::memory_order_relaxed);
  const bool is_back = reopen();
  is_reconnecting_.store(false, std::memory_order_relaxed);
  if (!is_back) return false;
  TRY(pipeline_.open(input_.format(), *input_.format().streams[streams_.video]));
  resume_after_break(audio_until);
  demuxer_->restart(++epoch_);
  return true;
}

bool StreamReader::reopen() {
  while (!input_.interrupted()) {
    const std::optional<std::chrono::milliseconds> delay = reopen_delay(reopen_attempts_++);
    if (!delay || input_.wait_until_interrupted(*delay)) return false;
    if (input_.reopen()) return true;  // successful attempts count, too, until note_frame() resets the count
  }
  return false;
}

/// Adapts window_ to the reopened input. For a live input, resets window_. For a finite input, which is read
/// from its start again, excludes from window_ what was delivered before the connection was lost.
void StreamReader::resume_after_break(std::int64_t audio_until) {
  if (input_.facts().is_live) {
    window_.begin({}, SeekMode::Exact);
    steady_from_.reset();
    return;
  }
  const bool has_frame = last_pts_ != std::numeric_limits<std::int64_t>::min() &&
                         last_pts_ != std::numeric_limits<std::int64_t>::max();
  if (has_frame) {
    steady_from_ = std::max(last_pts_, steady_from_.value_or(last_pts_));
    window_.exclude_video_until(*steady_from_);
  }
  if (audio_until != AV_NOPTS_VALUE) window_.exclude_audio_before(audio_until);
}

/// After SteadySeconds of new frames, resets the number of attempts to reopen the input. If the connection is
/// always lost sooner, the attempts add up until reopen() gives up.
void StreamReader::note_frame(std::int64_t pts) {
  last_pts_ = pts;
  if (reopen_attempts_ == 0) return;
  if (!steady_from_) steady_from_ = pts;
  const double steady_seconds = static_cast<double>(pts - *steady_from_) * facts_.time_base.value();
  if (steady_seconds >= SteadySeconds) reopen_attempts_ = 0;
}

}  // namespace glyphreel::media
