#pragma once

#include <memory>

#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::media {

/// The calls that hardware decoding makes to FFmpeg and, through FFmpeg, to drivers. Tests use a backend
/// whose calls fail on demand. Thread-safety: one thread at a time.
class HwDecodeBackend {
 public:
  virtual ~HwDecodeBackend() = default;
  /// Returns a decoder for `codec` that the API `decoder` can accelerate; null if this FFmpeg has none.
  [[nodiscard]] virtual const AVCodec* find_codec(AVCodecID codec, HwDecodeApi decoder) = 0;
  /// Creates a device. Errors: Failed, with a one-sentence message.
  [[nodiscard]] virtual Result<BufferRef> make_device(HwDecodeApi decoder) = 0;
  /// Reports that a decoder on the API's device failed.
  virtual void discard_device(HwDecodeApi /*decoder*/) {}
  /// Returns the API's pixel format if `offered` contains it; otherwise NONE. `offered` is FFmpeg's list of
  /// possible formats, terminated by NONE.
  [[nodiscard]] virtual AVPixelFormat choose_format(HwDecodeApi decoder, const AVPixelFormat* offered) = 0;
  /// Creates the frames context that the decoder needs, but does not initialize it. Stores the context in
  /// `frames`. Called inside FFmpeg's get_format callback. Returns 0 or an AVERROR.
  [[nodiscard]] virtual int frames_parameters(AVCodecContext& context, HwDecodeApi decoder,
                                              AVBufferRef* device, AVPixelFormat format,
                                              BufferRef& frames) = 0;
  [[nodiscard]] virtual int init_frames(AVBufferRef* frames) = 0;
  /// send() and receive() behave like avcodec_send_packet() and avcodec_receive_frame().
  [[nodiscard]] virtual int send(AVCodecContext& context, const AVPacket* packet) = 0;
  [[nodiscard]] virtual int receive(AVCodecContext& context, AVFrame& frame) = 0;
};

/// Whether the user requested hardware decoding in general or one API by name.
enum class RequestMode { AnyApi, NamedApi };
/// Creates the backend that calls FFmpeg. `devices` provides the devices. If it is null, or cannot provide a
/// device for an API that the user requested by name, FFmpeg creates the device, and the frames are
/// downloaded to the host.
[[nodiscard]] std::unique_ptr<HwDecodeBackend> make_hw_decode_backend(
    std::shared_ptr<HwDeviceProvider> devices, RequestMode mode);

}  // namespace glyphreel::media
