#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/stage_times.h"
#include "media/direct_buffers.h"
#include "media/ffmpeg.h"
#include "media/frame_clock.h"
#include "media/frame_rescue.h"
#include "media/hardware_calls.h"
#include "media/hardware_report.h"
#include "media/hardware_session.h"
#include "media/packet_history.h"
#include "media/source.h"

namespace glyphreel::media {

/// Packets in, frames in presentation order out, with their final times. Damage is counted, not reported.
/// Hardware decodes where it is asked to and can; where it fails, whenever that is, the next one takes over,
/// at last the processor, without a frame lost or given twice. Thread-safety: one thread at a time.
class VideoDecoder {
 public:
  struct Options {
    int threads = 0;                  ///< 0: one per processor
    DirectBuffers* direct = nullptr;  ///< this and all after it may be null
    StageTimes* times = nullptr;
    HardwareChoice hwdec = HardwareChoice::No;
    const LateHardware* hardware = nullptr;
    HardwareCalls* hardware_calls = nullptr;  ///< see SourceOptions
    /// Whether hardware may give interlaced frames, which nobody there makes whole pictures of.
    bool takes_interlaced = true;
    HardwareReport* report = nullptr;
    std::size_t most_history_bytes = PacketHistory::MostBytes;
  };
  /// Opens the decoder of `stream`. Errors: BadInput where there is none.
  [[nodiscard]] static Result<std::unique_ptr<VideoDecoder>> open(AVFormatContext& format, AVStream& stream,
                                                                  const Options& options);
  ~VideoDecoder();
  VideoDecoder(const VideoDecoder&) = delete;
  VideoDecoder& operator=(const VideoDecoder&) = delete;

  enum class Sent { Taken, Full };
  /// Hands a packet over; null ends the stream. Full: take frames first, then send it again. `is_unseen`: its
  /// frame will be thrown away, so it is decoded only where others need it.
  [[nodiscard]] Sent send(const AVPacket* packet, bool is_unseen = false);

  enum class Received { Frame, NeedsPacket, End };
  /// The next frame, with pts and duration set. Errors: Failed where memory runs out.
  [[nodiscard]] Result<Received> receive(AVFrame& frame);

  /// Forgets what is under way, for a seek; frames without a stamp count on from `start_pts`.
  void flush(std::int64_t start_pts);

  /// Whether frames' times are not those of the packets any more, see FrameClock.
  [[nodiscard]] bool is_spliced() const { return clock_.offset() != 0; }

  /// FFmpeg's name of the processor's decoder.
  [[nodiscard]] const AVCodec& codec() const { return *codec_; }
  [[nodiscard]] std::uint64_t damaged_packets() const { return damaged_packets_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  VideoDecoder(const Options& options, const AVStream& stream, const AVCodec& codec, FrameClock clock);
  [[nodiscard]] Result<void> open_software();
  [[nodiscard]] Result<void> open_software(int threads);
  void plan_when_due();
  void say_why_not(HardwareChoice asked, bool is_interlaced);
  void go_on_with_next();
  void replay();
  [[nodiscard]] bool send_next_of_replay();
  [[nodiscard]] int put(const AVPacket* packet, std::int64_t number, bool is_unseen);
  [[nodiscard]] int take(AVFrame& frame);
  [[nodiscard]] bool is_replaying() const { return replay_next_.has_value(); }
  [[nodiscard]] AVCodecContext& context() { return session_ ? session_->context() : *software_; }
  /// Whether another decoder may have to go on from here.
  [[nodiscard]] bool keeps_history() const { return session_ != nullptr || !is_planned_; }
  /// Gives the session up where its frames are lost outside.
  void heed_losses();
  void stamp(AVFrame& frame);

  const Options options_;
  const CodecParametersPtr parameters_;
  const AVRational time_base_;
  const AVCodec* const codec_;
  const bool has_alpha_layer_;
  FrameClock clock_;

  CodecContextPtr software_;  ///< null while hardware decodes
  std::unique_ptr<HardwareCalls> own_calls_;
  HardwareCalls* calls_ = nullptr;
  std::shared_ptr<FrameRescue> rescue_;  ///< of the session's frames, and outlives its device
  std::unique_ptr<HardwareSession> session_;
  std::vector<HardwareDecoder> candidates_;  ///< that have not been tried, the last one first
  bool is_planned_ = false;
  bool numbers_packets_ = false;  ///< hardware decodes, has done so, or may yet
  PacketHistory history_;
  std::optional<std::int64_t> replay_next_;  ///< number of the packet of history_ that is to be sent next
  bool waits_for_key_ = false;  ///< packets before the next key frame are of no use to a new decoder
  std::optional<Error> error_;  ///< that receive() is to tell

  double decode_ms_ = 0;  ///< spent since the last frame came out
  std::uint64_t frames_ = 0;
  std::uint64_t damaged_packets_ = 0;
  int failures_in_a_row_ = 0;
  bool is_draining_ = false;
};

}  // namespace glyphreel::media
