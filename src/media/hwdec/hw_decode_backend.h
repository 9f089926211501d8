#pragma once

#include <memory>

#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::media {

/// The calls that hardware decoding makes to FFmpeg and, through it, to drivers. Tests substitute a backend
/// that fails on demand. Thread-safety: one thread at a time.
class HwDecodeBackend {
 public:
  virtual ~HwDecodeBackend() = default;
  /// Returns a decoder of `codec` that this hardware can accelerate; null if this FFmpeg has none.
  [[nodiscard]] virtual const AVCodec* find_codec(AVCodecID codec, HwDecodeApi decoder) = 0;
  /// Creates a device. Errors: Failed, with one sentence.
  [[nodiscard]] virtual Result<BufferRef> make_device(HwDecodeApi decoder) = 0;
  /// Returns this hardware's format among those that FFmpeg offers for the next frames, a list that ends
  /// with NONE; NONE if it is not offered.
  [[nodiscard]] virtual AVPixelFormat choose_format(HwDecodeApi decoder, const AVPixelFormat* offered) = 0;
  /// Called inside get_format. Sets `frames` to the frames context that the decoder needs, not yet
  /// initialized. Returns 0 or an AVERROR.
  [[nodiscard]] virtual int frames_parameters(AVCodecContext& context, HwDecodeApi decoder,
                                              AVBufferRef* device, AVPixelFormat format,
                                              BufferRef& frames) = 0;
  [[nodiscard]] virtual int init_frames(AVBufferRef* frames) = 0;
  /// Like avcodec_send_packet() and avcodec_receive_frame().
  [[nodiscard]] virtual int send(AVCodecContext& context, const AVPacket* packet) = 0;
  [[nodiscard]] virtual int receive(AVCodecContext& context, AVFrame& frame) = 0;
};

/// Whether the user asked for hardware in general or for one API by name.
enum class RequestMode { Generally, ByName };
/// Creates the FFmpeg backend. Devices come from `devices` if it is not null and can create them. If the user
/// asked for this hardware by name, FFmpeg may also create one on its own; its frames are then downloaded to
/// the host.
[[nodiscard]] std::unique_ptr<HwDecodeBackend> make_hw_decode_backend(
    std::shared_ptr<HwDeviceProvider> devices, RequestMode mode);

}  // namespace glyphreel::media
