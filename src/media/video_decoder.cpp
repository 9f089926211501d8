#include "media/video_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>

namespace glyphreel::media {
namespace {

constexpr int MaxThreads = 16;         // FFmpeg's own limit for automatic frame threads
constexpr int MaxFailuresInARow = 64;  // one per frame thread can be due; more would be a decoder that loops
constexpr double JumpSeconds = 1.0;

/// Adds the time of its life to `milliseconds`.
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

std::int64_t start_of(const AVStream& stream) {
  return stream.start_time == AV_NOPTS_VALUE ? 0 : stream.start_time;
}

/// The stream's decoder, null where there is none. WebM's opacity is a second picture beside each packet,
/// which of VP8's and VP9's decoders libvpx's alone read.
const AVCodec* decoder_of(const AVStream& stream) {
  const AVCodecID id = stream.codecpar->codec_id;
  const AVDictionaryEntry* alpha = av_dict_get(stream.metadata, "alpha_mode", nullptr, 0);
  if (alpha != nullptr && std::string_view(alpha->value) == "1") {
    const char* name = id == AV_CODEC_ID_VP9 ? "libvpx-vp9" : id == AV_CODEC_ID_VP8 ? "libvpx" : nullptr;
    const AVCodec* found = name != nullptr ? avcodec_find_decoder_by_name(name) : nullptr;
    if (found != nullptr) return found;
  }
  return avcodec_find_decoder(id);
}

FrameClock make_clock(AVFormatContext& format, AVStream& stream) {
  const AVRational rate = av_guess_frame_rate(&format, &stream, nullptr);
  const std::int64_t typical =
      rate.num > 0 && rate.den > 0 ? av_rescale_q(1, av_inv_q(rate), stream.time_base) : std::int64_t{0};
  const auto jump = static_cast<std::int64_t>(JumpSeconds / av_q2d(stream.time_base));
  return {start_of(stream), typical, std::max<std::int64_t>(jump, 1)};
}

}  // namespace

Result<std::unique_ptr<VideoDecoder>> VideoDecoder::open(AVFormatContext& format, AVStream& stream,
                                                         int threads, DirectBuffers* direct,
                                                         StageTimes* times) {
  const char* codec_name = avcodec_get_name(stream.codecpar->codec_id);
  const auto undecodable = [codec_name](int averror) {
    return av_failure(ErrorCode::BadInput,
                      fmt::format("The video's codec {} cannot be decoded by this FFmpeg.", codec_name),
                      averror);
  };
  const AVCodec* codec = decoder_of(stream);
  if (codec == nullptr) return undecodable(0);

  CodecContextPtr context(avcodec_alloc_context3(codec));
  CHECK(context != nullptr, "out of memory");
  if (const int code = avcodec_parameters_to_context(context.get(), stream.codecpar); code < 0)
    return undecodable(code);
  context->pkt_timebase = stream.time_base;
  context->thread_count = std::min(
      threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())), MaxThreads);
  // Left cropping moves the plane pointers; without the flag FFmpeg keeps them aligned and shows cropped
  // columns.
  context->flags |= AV_CODEC_FLAG_UNALIGNED;
  if (direct != nullptr) direct->attach(*context);
  if (const int code = avcodec_open2(context.get(), codec, nullptr); code < 0) return undecodable(code);

  if (times != nullptr) {
    const int count = context->active_thread_type == 0 ? 1 : context->thread_count;
    times->set_engine(Stage::Decode,
                      fmt::format("libavcodec {}, {} thread{}", codec->name, count, count == 1 ? "" : "s"));
  }
  return std::unique_ptr<VideoDecoder>(
      new VideoDecoder(std::move(context), make_clock(format, stream), times));
}

VideoDecoder::Sent VideoDecoder::send(const AVPacket* packet, bool is_unseen) {
  const Stopwatch stopwatch(decode_ms_);
  context_->skip_frame = is_unseen ? AVDISCARD_NONREF : AVDISCARD_DEFAULT;
  const int code = avcodec_send_packet(context_.get(), packet);
  if (code == AVERROR(EAGAIN)) return Sent::Full;
  is_draining_ = packet == nullptr;
  if (code < 0 && code != AVERROR_EOF) ++damaged_packets_;
  return Sent::Taken;
}

Result<VideoDecoder::Received> VideoDecoder::receive(AVFrame& frame) {
  for (;;) {
    int code = 0;
    {
      const Stopwatch stopwatch(decode_ms_);
      code = avcodec_receive_frame(context_.get(), &frame);
    }
    if (code == 0) break;
    if (code == AVERROR(EAGAIN)) return Received::NeedsPacket;
    if (code == AVERROR_EOF) return Received::End;
    if (code == AVERROR(ENOMEM)) {
      return av_failure(ErrorCode::Failed,
                        "Memory ran out while decoding: use a smaller video or fewer threads.", code);
    }
    // Frame threads report a packet's damage here, some packets after it was sent.
    ++damaged_packets_;
    if (++failures_in_a_row_ > MaxFailuresInARow) {
      failures_in_a_row_ = 0;
      return is_draining_ ? Received::End : Received::NeedsPacket;
    }
  }
  failures_in_a_row_ = 0;
  ++frames_;
  stamp(frame);
  if (times_ != nullptr) times_->add(Stage::Decode, decode_ms_);
  decode_ms_ = 0;
  return Received::Frame;
}

void VideoDecoder::stamp(AVFrame& frame) {
  std::optional<std::int64_t> pts;
  if (frame.best_effort_timestamp != AV_NOPTS_VALUE) pts = frame.best_effort_timestamp;
  const FrameClock::Timing timing = clock_.stamp(pts, frame_duration(frame));
  frame.pts = timing.pts;
#if GLYPHREEL_AV_FRAME_DURATION
  frame.duration = timing.duration;
#else
  frame.pkt_duration = timing.duration;
#endif
}

void VideoDecoder::flush(std::int64_t start_pts) {
  avcodec_flush_buffers(context_.get());
  clock_.restart(start_pts);
  is_draining_ = false;
  decode_ms_ = 0;
}

}  // namespace glyphreel::media
