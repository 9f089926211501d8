#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/stage_times.h"
#include "media/direct_buffers.h"
#include "media/ffmpeg.h"
#include "media/frame_clock.h"

namespace glyphreel::media {

/// Packets in, frames in presentation order out, with their final times. Damage is counted, not reported.
/// Thread-safety: one thread at a time.
class VideoDecoder {
 public:
  /// Opens the decoder of `stream`. `direct` and `times` may be null. Errors: BadInput where there is none.
  [[nodiscard]] static Result<std::unique_ptr<VideoDecoder>> open(AVFormatContext& format, AVStream& stream,
                                                                  int threads, DirectBuffers* direct,
                                                                  StageTimes* times);

  enum class Sent { Taken, Full };
  /// Hands a packet over; null ends the stream. Full: take frames first, then send it again. `is_unseen`: its frame
  /// will be thrown away, so it is decoded only where others need it.
  [[nodiscard]] Sent send(const AVPacket* packet, bool is_unseen = false);

  enum class Received { Frame, NeedsPacket, End };
  /// The next frame, with pts and duration set. Errors: Failed where memory runs out.
  [[nodiscard]] Result<Received> receive(AVFrame& frame);

  /// Forgets what is under way, for a seek; frames without a stamp count on from `start_pts`.
  void flush(std::int64_t start_pts);

  /// Whether frames' times are not those of the packets any more, see FrameClock.
  [[nodiscard]] bool is_spliced() const { return clock_.offset() != 0; }

  [[nodiscard]] const AVCodecContext& context() const { return *context_; }
  [[nodiscard]] std::uint64_t damaged_packets() const { return damaged_packets_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  VideoDecoder(CodecContextPtr context, FrameClock clock, StageTimes* times)
      : context_(std::move(context)), clock_(clock), times_(times) {}
  void stamp(AVFrame& frame);

  CodecContextPtr context_;
  FrameClock clock_;
  StageTimes* times_;
  double decode_ms_ = 0;  ///< spent since the last frame came out
  std::uint64_t frames_ = 0;
  std::uint64_t damaged_packets_ = 0;
  int failures_in_a_row_ = 0;
  bool is_draining_ = false;
};

}  // namespace glyphreel::media
