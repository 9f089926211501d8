#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/stage_times.h"
#include "media/frame/direct_buffers.h"
#include "media/ffmpeg/ffmpeg.h"
#include "media/decode/pts_generator.h"
#include "media/hwdec/hw_decoder_chain.h"
#include "media/demux/packet_history.h"

namespace glyphreel::media {

/// Decodes packets to frames in presentation order with their final times. Damage is counted, not reported.
/// Hardware decodes if requested and able. If it fails, at any time, the next hardware decoder takes over,
/// and finally the CPU: it decodes the packets since the last keyframe, of which those frames that were
/// returned already are dropped. So no frame is missing or returned twice; only hardware frames that were
/// returned and then could not be downloaded are lost (Surface::is_lost()). Thread-safety: one thread at a
/// time.
class VideoDecoder {
 public:
  struct Options {
    int threads = 0;                  ///< 0: one per CPU thread
    DirectBuffers* direct = nullptr;  ///< may be null
    StageTimes* times = nullptr;      ///< may be null
    HwDecoderChain::Options hardware = {};
    std::size_t max_history_bytes = PacketHistory::MaxBytes;
  };
  /// Opens a decoder for `stream`. Errors: BadInput if there is none.
  [[nodiscard]] static Result<std::unique_ptr<VideoDecoder>> open(AVFormatContext& format, AVStream& stream,
                                                                  const Options& options);

  /// Sends a packet after receive() asked for one; null ends the stream. `is_skippable`: its frame will be
  /// discarded, so it is decoded only if other frames need it.
  void send(const AVPacket* packet, bool is_skippable = false);

  enum class Received { Frame, NeedsPacket, End };
  /// Returns the next frame, with pts and duration set. Errors: Failed if memory runs out.
  [[nodiscard]] Result<Received> receive(AVFrame& frame);

  /// Discards everything buffered, for a seek; frames without a timestamp count up from `start_pts`.
  void flush(std::int64_t start_pts);

  /// Whether the frames' times differ from those of the packets since a splice, see PtsGenerator.
  [[nodiscard]] bool is_spliced() const { return clock_.offset() != 0; }

  /// FFmpeg's software decoder for the stream.
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
  /// Whether another decoder may have to take over from here.
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
  bool numbers_packets_ = false;  ///< hardware decodes, has done so, or may yet
  PacketHistory history_;
  std::optional<std::int64_t> replay_next_;  ///< number of the next packet of history_ to send
  bool waits_for_key_ = false;               ///< a new decoder cannot use packets before the next keyframe
  std::optional<Error> error_;               ///< to be returned by receive()

  double decode_ms_ = 0;  ///< spent since the last frame came out
  std::uint64_t frames_ = 0;
  std::uint64_t damaged_packets_ = 0;
  int failures_in_a_row_ = 0;
  bool is_draining_ = false;
};

}  // namespace glyphreel::media
