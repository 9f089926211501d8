#pragma once

#include <memory>
#include <optional>
#include <string>

#include "media/ffmpeg/ffmpeg.h"
#include "media/hwdec/hardware_surface.h"
#include "media/hwdec/hw_decode_backend.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::media {

/// One hardware decoder. The caller must abandon this decoder as soon as failure() returns a reason.
/// Thread-safety: one thread at a time.
class HwDecoder {
 public:
  /// Creates the device and opens a decoder, whose frames are allocated when the first packet is sent.
  /// `calls` must outlive the HwDecoder. With RequestMode::AnyApi, a decoder whose frames the GPU cannot read
  /// without a copy through the host counts as failed. Errors: Failed, with a one-sentence message.
  [[nodiscard]] static Result<std::unique_ptr<HwDecoder>> begin(HwDecodeBackend& calls, HwDecodeApi decoder,
                                                                const AVCodecParameters& parameters,
                                                                AVRational time_base, RequestMode mode);
  HwDecoder(const HwDecoder&) = delete;
  HwDecoder& operator=(const HwDecoder&) = delete;

  /// send() and receive() behave like avcodec_send_packet() and avcodec_receive_frame(). If PixelLayout
  /// cannot describe the frames' format, the RequestMode decides: in mode AnyApi, the decoder fails; in mode
  /// NamedApi, receive() returns the frames in host memory.
  [[nodiscard]] int send(const AVPacket* packet) { return classify_error(calls_.send(*context_, packet)); }
  [[nodiscard]] int receive(AVFrame& frame);
  /// Returns why this decoder must be abandoned, as a sentence; empty while it works. The reason may be a
  /// problem with frames that were returned earlier; see FrameFailures.
  [[nodiscard]] const std::optional<std::string>& failure();

  void give_up(std::string reason) { failure_ = std::move(reason); }

  [[nodiscard]] AVCodecContext& context() { return *context_; }
  [[nodiscard]] HwDecodeApi decoder() const { return decoder_; }
  /// Returns text such as "NVDEC (libavcodec h264)".
  [[nodiscard]] std::string description() const;
  void flush();

 private:
  HwDecoder(HwDecodeBackend& calls, HwDecodeApi decoder, FrameFailures::OnUnreadable on_unreadable)
      : calls_(calls), decoder_(decoder), frame_failures_(std::make_shared<FrameFailures>(on_unreadable)) {}
  static AVPixelFormat get_format(AVCodecContext* context, const AVPixelFormat* offered);
  [[nodiscard]] AVPixelFormat prepare_frames(AVCodecContext& context, const AVPixelFormat* offered);
  int classify_error(int code);
  void note_lost_frame(const std::string& cause);

  HwDecodeBackend& calls_;
  HwDecodeApi decoder_;
  /// Keeps the target memory of failed copies alive. Declared before device_, so that this memory outlives
  /// the device: until the device is destroyed, failed copies may still write to their targets.
  const std::shared_ptr<FrameFailures> frame_failures_;
  BufferRef device_;
  CodecContextPtr context_;
  std::optional<std::string> failure_;
  int failures_in_a_row_ = 0;
  /// The format that get_format accepted last. If FFmpeg cannot initialize this format, it calls get_format
  /// again and no longer offers the format.
  AVPixelFormat agreed_ = AV_PIX_FMT_NONE;
};

}  // namespace glyphreel::media
