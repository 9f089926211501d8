#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/stage_times.h"
#include "media/decode/pts_generator.h"
#include "media/demux/packet_history.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/frame/direct_buffers.h"
#include "media/hwdec/hw_decoder_chain.h"

namespace glyphreel::media {

/// Decodes packets to frames in presentation order with their final times. Damaged packets are counted but do
/// not cause errors. Hardware decoding is used if it was requested and works. If a hardware decoder fails, at
/// any time, the next hardware decoder takes over, or the CPU if no hardware decoder is left. The new decoder
/// starts at the last keyframe, and drops frames that the old decoder had already returned. Therefore, no
/// frame is returned twice. Frames are lost only if the packets since the keyframe were too large to keep
/// (PacketHistory::has_gap()), or if a hardware frame was already returned and its download then fails
/// (Surface::is_lost()).
/// Thread-safety: one thread at a time.
class VideoDecoder {
 public:
  struct Options {
    int threads = 1;                  ///< more than 16 count as 16
    int more_frame_threads = 0;       ///< threads in addition, if each thread decodes a frame of its own
    DirectBuffers* direct = nullptr;  ///< may be null
    StageTimes* times = nullptr;      ///< may be null
    HwDecoderChain::Options hardware = {};
    std::size_t max_history_bytes = PacketHistory::MaxBytes;
  };
  /// Opens a decoder for `stream`. Errors: BadInput if FFmpeg has no decoder for the stream, or if opening
  /// the decoder fails.
  [[nodiscard]] static Result<std::unique_ptr<VideoDecoder>> open(AVFormatContext& format, AVStream& stream,
                                                                  const Options& options);

  /// Sends a packet after receive() returned NeedsPacket; null ends the stream. `is_skippable`: the packet's
  /// frame will be discarded, so the packet is decoded only if other frames depend on it.
  void send(const AVPacket* packet, bool is_skippable = false);

  enum class Received { Frame, NeedsPacket, End };
  /// Receives the next frame, with its final pts and duration. Errors: Failed if memory runs out.
  [[nodiscard]] Result<Received> receive(AVFrame& frame);

  /// Discards all buffered packets and frames. Call after a seek. Times of frames without timestamps continue
  /// from `start_pts`.
  void flush(std::int64_t start_pts);

  /// Whether the frames' times differ from the packets' times because of a splice, see PtsGenerator.
  [[nodiscard]] bool is_spliced() const { return clock_.offset() != 0; }

  /// Returns FFmpeg's software decoder for the stream.
  [[nodiscard]] const AVCodec& codec() const { return *codec_; }
  [[nodiscard]] std::uint64_t damaged_packets() const { return damaged_packets_; }
  [[nodiscard]] std::uint64_t frames() const { return frames_; }

 private:
  VideoDecoder(const Options& options, const AVStream& stream, const AVCodec& codec, PtsGenerator clock);
  [[nodiscard]] Result<void> open_software();
  [[nodiscard]] Result<void> open_software(int threads);
  void plan_when_due();
  void start_next_decoder();
  void replay();
  [[nodiscard]] bool send_next_of_replay();
  [[nodiscard]] int put(const AVPacket* packet, std::int64_t number, bool is_skippable);
  [[nodiscard]] int take(AVFrame& frame);
  [[nodiscard]] HwDecoder* hardware() const { return hardware_.current(); }
  [[nodiscard]] AVCodecContext& context() const { return hardware() ? hardware()->context() : *software_; }
  /// Whether a new decoder may have to take over at the current position.
  [[nodiscard]] bool keeps_history() const { return hardware() != nullptr || !hardware_.is_planned(); }
  [[nodiscard]] bool has_hardware_failed() const { return hardware() != nullptr && hardware()->failure(); }
  void stop_history();
  void stamp(AVFrame& frame);

  const Options options_;
  const CodecParametersPtr parameters_;
  const AVRational time_base_;
  const AVCodec* const codec_;
  const bool has_alpha_layer_;
  PtsGenerator clock_;

  CodecContextPtr software_;  ///< null while hardware decodes
  HwDecoderChain hardware_;
  /// Whether to number packets: true if hardware is decoding, has decoded, or may decode later.
  bool numbers_packets_ = false;
  PacketHistory history_;
  std::optional<std::int64_t> replay_next_;  ///< number of the packet to replay next; empty: no replay
  bool waits_for_key_ = false;               ///< true: send() drops packets until a keyframe
  std::optional<Error> error_;               ///< once set, every receive() returns this error

  double decode_ms_ = 0;  ///< decoding time since the last frame was returned
  std::uint64_t frames_ = 0;
  std::uint64_t damaged_packets_ = 0;
  int failures_in_a_row_ = 0;
  bool is_draining_ = false;
};

}  // namespace glyphreel::media
