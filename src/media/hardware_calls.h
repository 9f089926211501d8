#pragma once

#include <memory>

#include "media/hardware_devices.h"
#include "media/source.h"

namespace glyphreel::media {

/// What decoding by hardware asks of FFmpeg and, through it, of drivers. Tests have one of their own, which
/// fails where they want. Thread-safety: one thread at a time.
class HardwareCalls {
 public:
  virtual ~HardwareCalls() = default;
  /// The decoder of a codec that this hardware can help; null: there is none in this FFmpeg.
  [[nodiscard]] virtual const AVCodec* find_codec(AVCodecID codec, HardwareDecoder decoder) = 0;
  /// Errors: Failed, one sentence.
  [[nodiscard]] virtual Result<BufferRef> make_device(HardwareDecoder decoder) = 0;
  /// Which of the formats that FFmpeg offers for the next frames, NONE at their end, is this hardware's;
  /// NONE: none.
  [[nodiscard]] virtual AVPixelFormat choose_format(HardwareDecoder decoder,
                                                    const AVPixelFormat* offered) = 0;
  /// Inside get_format: the frames that the decoder needs, not initialised yet; 0 or an AVERROR.
  [[nodiscard]] virtual int frames_parameters(AVCodecContext& context, HardwareDecoder decoder,
                                              AVBufferRef* device, AVPixelFormat format,
                                              BufferRef& frames) = 0;
  [[nodiscard]] virtual int init_frames(AVBufferRef* frames) = 0;
  /// As avcodec_send_packet() and avcodec_receive_frame().
  [[nodiscard]] virtual int send(AVCodecContext& context, const AVPacket* packet) = 0;
  [[nodiscard]] virtual int receive(AVCodecContext& context, AVFrame& frame) = 0;
};

/// FFmpeg's. Devices come from `devices`, where it is not null and can make them; where the user asked for
/// this hardware by name, also from FFmpeg alone: its frames then come back to the host.
enum class Asked { Generally, ByName };
[[nodiscard]] std::unique_ptr<HardwareCalls> make_hardware_calls(std::shared_ptr<HardwareDevices> devices,
                                                                 Asked asked);

}  // namespace glyphreel::media
