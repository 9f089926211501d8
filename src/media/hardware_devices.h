#pragma once

#include <memory>

#include "base/result.h"
#include "media/ffmpeg.h"

namespace glyphreel::media {

/// Who decodes, where it is not the processor.
enum class HardwareDecoder { Vaapi, Cuda, Vulkan };

using BufferRef = std::unique_ptr<AVBufferRef, FreeIndirect<av_buffer_unref>>;

/// Where hardware decoders get their devices from. The import room implements it for the GPU that draws, so
/// that frames need not leave it. Thread-safety: any thread; the decoder's threads call in.
class HardwareDevices {
 public:
  virtual ~HardwareDevices() = default;
  /// A reference to an initialised AVHWDeviceContext. Errors: Failed with one sentence: no driver, the wrong
  /// GPU, this FFmpeg is too old for it.
  [[nodiscard]] virtual Result<BufferRef> device(HardwareDecoder decoder) = 0;
  /// The last word on the frames that a decoder will use: `frames` is an AVHWFramesContext that
  /// avcodec_get_hw_frames_parameters() filled, not initialised yet.
  virtual void adjust_frames(HardwareDecoder decoder, AVHWFramesContext& frames) = 0;
};

}  // namespace glyphreel::media
