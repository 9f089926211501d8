#pragma once

#include <memory>

#include "base/hw_decode_api.h"
#include "base/result.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::media {

using BufferRef = std::unique_ptr<AVBufferRef, FreeIndirect<av_buffer_unref>>;

/// Provides devices to hardware decoders. src/interop implements it for the rendering GPU, so that frames
/// need not leave that GPU. Thread-safety: any thread; the decoder's threads call it.
class HwDeviceProvider {
 public:
  virtual ~HwDeviceProvider() = default;
  /// Returns a reference to an initialized AVHWDeviceContext. Errors: Failed, with a one-sentence message:
  /// there is no driver, the API's GPU is not the rendering GPU, or this FFmpeg is too old.
  [[nodiscard]] virtual Result<BufferRef> device(HwDecodeApi decoder) = 0;
  /// Reports that the API's device may have failed. From then on, device() must not return that device.
  virtual void discard(HwDecodeApi /*decoder*/) {}
  /// Makes final changes to the frames context that a decoder will use. `frames` was filled by
  /// avcodec_get_hw_frames_parameters() and is not yet initialized.
  virtual void adjust_frames(HwDecodeApi decoder, AVHWFramesContext& frames) = 0;
  /// Waits until the hardware has decoded `frame`, unless the rendering GPU itself waits for the hardware.
  /// Called on the decode thread, so that reading the frame does not block the thread that renders.
  virtual void finish_frame(HwDecodeApi /*decoder*/, const AVFrame& /*frame*/) {}
};

}  // namespace glyphreel::media
