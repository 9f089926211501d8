#include "media/decode/video_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "media/demux/packet_numbers.h"
#include "media/ffmpeg/picture_limits.h"

namespace glyphreel::media {
namespace {

constexpr int MaxThreads = 16;  // FFmpeg's limit if it chooses the number of frame threads itself
// More consecutive failures than this mean that the decoder is stuck. The limit is above MaxThreads, because
// each frame thread can have one failure pending.
constexpr int MaxFailuresInARow = 64;
constexpr double JumpSeconds = 1.0;

/// Adds the time from its construction to its destruction to `milliseconds`.
class Stopwatch {
 public:
  explicit Stopwatch(double& milliseconds) : milliseconds_(milliseconds) {}
  ~Stopwatch() {
    const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start_;
    milliseconds_ += spent.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& milliseconds_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Whether the stream has alpha, which WebM stores as a second encoded frame with each packet. Of FFmpeg's
/// VP8 and VP9 decoders, only the libvpx decoders support alpha.
bool has_alpha_layer(const AVStream& stream) {
  return metadata_value(stream.metadata, "alpha_mode") == "1";
}

/// Returns the software decoder for the stream; null if this FFmpeg has none.
const AVCodec* decoder_of(const AVStream& stream) {
  const AVCodecID id = stream.codecpar->codec_id;
  if (has_alpha_layer(stream)) {
    const char* name = id == AV_CODEC_ID_VP9 ? "libvpx-vp9" : id == AV_CODEC_ID_VP8 ? "libvpx" : nullptr;
    const AVCodec* found = name != nullptr ? avcodec_find_decoder_by_name(name) : nullptr;
    if (found != nullptr) return found;
  }
  return avcodec_find_decoder(id);
}

Error no_decoder(const AVCodecParameters& stream, int averror) {
  return bad_input(averror, "This FFmpeg cannot decode {} video; install an FFmpeg with that decoder.",
                   avcodec_get_name(stream.codec_id));
}

Error out_of_memory(int averror) {
  return av_failure(ErrorCode::Failed, "Memory ran out while decoding; use a smaller video or fewer threads.",
                    averror);
}

PtsGenerator make_clock(AVFormatContext& format, AVStream& stream) {
  const AVRational rate = av_guess_frame_rate(&format, &stream, nullptr);
  const std::int64_t typical =
      rate.num > 0 && rate.den > 0 ? av_rescale_q(1, av_inv_q(rate), stream.time_base) : std::int64_t{0};
  const auto jump = static_cast<std::int64_t>(JumpSeconds / av_q2d(stream.time_base));
  const std::int64_t start = stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
  return {start, typical, std::max<std::int64_t>(jump, 1)};
}

}  // namespace

VideoDecoder::VideoDecoder(const Options& options, const AVStream& stream, const AVCodec& codec,
                           PtsGenerator clock)
    : options_(options),
      parameters_(copy_of(*stream.codecpar)),
      time_base_(stream.time_base),
      codec_(&codec),
      has_alpha_layer_(has_alpha_layer(stream)),
      clock_(clock),
      hardware_(options.hardware, *parameters_, time_base_),
      numbers_packets_(!hardware_.is_planned()),
      history_(options.max_history_bytes) {}

Result<std::unique_ptr<VideoDecoder>> VideoDecoder::open(AVFormatContext& format, AVStream& stream,
                                                         const Options& options) {
  const AVCodec* codec = decoder_of(stream);
  if (codec == nullptr) return no_decoder(*stream.codecpar, 0);
  std::unique_ptr<VideoDecoder> self(new VideoDecoder(options, stream, *codec, make_clock(format, stream)));
  // Open the software decoder even if hardware will decode later, so that errors in the stream are reported
  // now.
  TRY(self->open_software());
  return self;
}

Result<void> VideoDecoder::open_software() {
  const bool has_frame_threads = (codec_->capabilities & AV_CODEC_CAP_FRAME_THREADS) != 0;
  const int most =
      has_frame_threads ? max_decoder_threads(picture_bytes(*parameters_), MaxThreads) : MaxThreads;
  const int wanted = options_.threads + (has_frame_threads ? options_.more_frame_threads : 0);
  return open_software(std::min(wanted, most));
}

Result<void> VideoDecoder::open_software(int threads) {
  CodecContextPtr context = new_decoder(*codec_, *parameters_, time_base_);
  context->thread_count = threads;
  // Cropping at the left moves the plane pointers. Without this flag, FFmpeg keeps the pointers aligned, so
  // some of the columns to crop remain in the picture.
  context->flags |= AV_CODEC_FLAG_UNALIGNED;
  if (numbers_packets_) enable_packet_ids(*context);
  if (options_.direct != nullptr) options_.direct->attach(*context);
  if (const int code = avcodec_open2(context.get(), codec_, nullptr); code < 0) {
    const bool lacks_threads = code == AVERROR(EAGAIN) && threads > 1;
    if (lacks_threads) return open_software(1);
    if (code == AVERROR(ENOMEM)) return out_of_memory(code);
    return no_decoder(*parameters_, code);
  }

  if (options_.times != nullptr) {
    const int count = context->active_thread_type == 0 ? 1 : context->thread_count;
    options_.times->set_engine(
        Stage::Decode, fmt::format("libavcodec {}, {} thread{}", codec_->name, count, count == 1 ? "" : "s"));
  }
  if (options_.hardware.report != nullptr) options_.hardware.report->set_decoder("no");
  software_ = std::move(context);
  return {};
}

/// Chooses the hardware decoders as soon as the renderer is known.
void VideoDecoder::plan_when_due() {
  // While the history has a gap, keep the current decoder: a new decoder would drop frames.
  if (!hardware_.can_plan() || history_.has_gap()) return;
  if (hardware_.plan(!has_alpha_layer_)) {
    start_next_decoder();
  } else {
    stop_history();
  }
}

/// Tries the remaining hardware decoders in order and starts the first one that opens. If none opens, uses
/// the software decoder. Output continues after the last frame that was returned.
void VideoDecoder::start_next_decoder() {
  hardware_.advance(frames_ > 0, history_.has_gap()
                                     ? " The video freezes until the next keyframe, which may be far away."
                                     : "");
  if (hardware() != nullptr) {
    software_.reset();
    if (options_.times != nullptr) options_.times->set_engine(Stage::Decode, hardware()->description());
  } else if (software_ != nullptr) {
    stop_history();  // the CPU was already decoding and continues
    return;
  } else if (Result<void> opened = open_software(); !opened) {
    error_ = std::move(opened.error());
  }
  replay();
}

/// Stops keeping packets. Call when the CPU will decode the rest of the stream.
void VideoDecoder::stop_history() {
  history_.forget_packets();
  numbers_packets_ = false;
}

void VideoDecoder::replay() {
  // The replay will send and count the latest damaged packets again, so subtract them here.
  damaged_packets_ -= static_cast<std::uint64_t>(failures_in_a_row_);
  failures_in_a_row_ = 0;
  waits_for_key_ = history_.has_gap();
  history_.begin_replay();
  replay_next_ = history_.first();
}

/// Sends the next packet of the replay. After the last packet, ends the stream again if send() had ended it.
/// Returns false if there was nothing to send.
bool VideoDecoder::send_next_of_replay() {
  if (!replay_next_ || error_) return false;
  const std::int64_t number = *replay_next_;
  const PacketHistory::Entry* entry = history_.find(number);
  if (entry == nullptr) {
    replay_next_.reset();
    if (hardware() == nullptr) history_.forget_packets();
    if (!is_draining_) return false;
  }
  const int code =
      put(entry != nullptr ? entry->packet.get() : nullptr, number, entry != nullptr && entry->is_skippable);
  if (code == AVERROR(EAGAIN)) return true;
  if (has_hardware_failed()) {
    start_next_decoder();
    return true;
  }
  if (entry != nullptr) ++*replay_next_;
  return true;
}

int VideoDecoder::put(const AVPacket* packet, std::int64_t number, bool is_skippable) {
  const Stopwatch stopwatch(decode_ms_);
  context().skip_frame = is_skippable ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
  PacketPtr numbered;
  if (packet != nullptr && numbers_packets_) {
    numbered.reset(checked(av_packet_clone(packet)));
    tag_packet(context(), *numbered, number);
    packet = numbered.get();
  }
  const int code = hardware() ? hardware()->send(packet) : avcodec_send_packet(software_.get(), packet);
  // The decoder did not accept this packet yet and still holds the previous one. Older FFmpeg releases keep
  // the number in the codec context, so restore the previous packet's number.
  if (numbered && code == AVERROR(EAGAIN)) tag_packet(context(), *numbered, number - 1);
  return code;
}

int VideoDecoder::take(AVFrame& frame) {
  const Stopwatch stopwatch(decode_ms_);
  return hardware() ? hardware()->receive(frame) : avcodec_receive_frame(software_.get(), &frame);
}

void VideoDecoder::send(const AVPacket* packet, bool is_skippable) {
  if (packet != nullptr && waits_for_key_) {
    if ((packet->flags & AV_PKT_FLAG_KEY) == 0) return;
    waits_for_key_ = false;
  }
  const int code = put(packet, history_.next_number(), is_skippable);
  is_draining_ = packet == nullptr;
  if (packet != nullptr) {
    if (keeps_history()) {
      history_.add(*packet, is_skippable);
    } else {
      history_.pass();
    }
  }
  if (has_hardware_failed()) {
    start_next_decoder();
  } else if (code == AVERROR(ENOMEM)) {
    error_ = out_of_memory(code);
  } else if (code < 0 && code != AVERROR_EOF) {
    ++damaged_packets_;
    if (hardware() != nullptr) ++failures_in_a_row_;
  }
}

Result<VideoDecoder::Received> VideoDecoder::receive(AVFrame& frame) {
  for (;;) {
    if (error_) return *error_;
    plan_when_due();
    if (has_hardware_failed()) start_next_decoder();  // the download of an earlier frame failed
    const int code = take(frame);
    if (options_.direct != nullptr && options_.direct->has_run_out()) return out_of_memory(AVERROR(ENOMEM));
    if (code == 0 && hardware() != nullptr && hardware_.refuses(frame)) {
      av_frame_unref(&frame);
    } else if (code == 0) {
      if (!numbers_packets_) break;
      if (history_.was_output(frame_number(frame), frame.pts)) continue;
      if (keeps_history()) history_.note_output(frame_number(frame), frame.pts);
      break;
    }
    if (has_hardware_failed()) continue;
    if (code == AVERROR(EAGAIN)) {
      if (send_next_of_replay()) continue;
      return Received::NeedsPacket;
    }
    if (code == AVERROR_EOF) return Received::End;
    if (code == AVERROR(ENOMEM)) return out_of_memory(code);
    // With frame threads, FFmpeg reports damage here, some packets after the damaged packet was sent.
    ++damaged_packets_;
    if (++failures_in_a_row_ > MaxFailuresInARow) {
      failures_in_a_row_ = 0;
      replay_next_.reset();
      return is_draining_ ? Received::End : Received::NeedsPacket;
    }
  }
  failures_in_a_row_ = 0;
  ++frames_;
  stamp(frame);
  if (options_.times != nullptr) options_.times->add(Stage::Decode, decode_ms_);
  decode_ms_ = 0;
  return Received::Frame;
}

void VideoDecoder::stamp(AVFrame& frame) {
  std::optional<std::int64_t> pts;
  if (frame.best_effort_timestamp != AV_NOPTS_VALUE) pts = frame.best_effort_timestamp;
  const PtsGenerator::Timing timing = clock_.stamp(pts, frame_duration(frame));
  frame.pts = timing.pts;
  frame_duration(frame) = timing.duration;
}

void VideoDecoder::flush(std::int64_t start_pts) {
  if (hardware() != nullptr) {
    hardware()->flush();
  } else if (software_) {
    avcodec_flush_buffers(software_.get());
  }
  history_.clear();
  replay_next_.reset();
  waits_for_key_ = false;
  clock_.restart(start_pts);
  is_draining_ = false;
  decode_ms_ = 0;
}

}  // namespace glyphreel::media
