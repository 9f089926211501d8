#pragma once

#include <memory>
#include <optional>
#include <string>

#include "media/ffmpeg.h"
#include "media/hardware_calls.h"
#include "media/hardware_devices.h"

namespace glyphreel::media {

/// One decoder of hardware, for as long as it can: it is given up at its first failure that is not plainly
/// the stream's. Thread-safety: one thread at a time.
class HardwareSession {
 public:
  /// Makes the device and opens a decoder; its frames are asked for with the first packet. `calls` outlives
  /// the session. Errors: Failed with one sentence.
  [[nodiscard]] static Result<std::unique_ptr<HardwareSession>> begin(HardwareCalls& calls,
                                                                      HardwareDecoder decoder,
                                                                      const AVCodecParameters& parameters,
                                                                      AVRational time_base);
  HardwareSession(const HardwareSession&) = delete;
  HardwareSession& operator=(const HardwareSession&) = delete;

  /// As avcodec_send_packet() and avcodec_receive_frame().
  [[nodiscard]] int send(const AVPacket* packet) { return judge(calls_.send(*context_, packet)); }
  [[nodiscard]] int receive(AVFrame& frame);
  /// Why this decoder is to be given up, once it is; a sentence.
  [[nodiscard]] const std::optional<std::string>& failure() const { return failure_; }

  void give_up(std::string reason) { failure_ = std::move(reason); }

  [[nodiscard]] AVCodecContext& context() { return *context_; }
  [[nodiscard]] HardwareDecoder decoder() const { return decoder_; }
  /// "NVDEC (libavcodec h264)".
  [[nodiscard]] std::string description() const;
  void flush();

 private:
  HardwareSession(HardwareCalls& calls, HardwareDecoder decoder) : calls_(calls), decoder_(decoder) {}
  static AVPixelFormat get_format(AVCodecContext* context, const AVPixelFormat* offered);
  [[nodiscard]] AVPixelFormat prepare_frames(AVCodecContext& context, const AVPixelFormat* offered);
  int judge(int code);

  HardwareCalls& calls_;
  HardwareDecoder decoder_;
  BufferRef device_;
  CodecContextPtr context_;
  std::optional<std::string> failure_;
  int failures_in_a_row_ = 0;
  /// The format that get_format last agreed to: FFmpeg asks again without it where its initialisation fails.
  AVPixelFormat agreed_ = AV_PIX_FMT_NONE;
};

}  // namespace glyphreel::media
