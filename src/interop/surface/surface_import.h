#pragma once

#include "base/frame.h"
#include "base/result.h"
#include "gpu/resources/frame_source.h"
#include "media/ffmpeg/ffmpeg.h"

namespace glyphreel::interop {

/// Makes hardware frames of one kind readable by the GPU.
/// Thread-safety: one thread at a time.
class SurfaceImport {
 public:
  virtual ~SurfaceImport() = default;
  /// Whether this object imports frames of this kind (AVFrame::format). The check is cheap; import_frame()
  /// may still fail.
  [[nodiscard]] virtual bool supports(const AVFrame& frame) const = 0;
  /// Makes `frame` readable by the GPU. `view` describes the frame's content; its plane pointers are null.
  /// The caller must keep `frame` alive until the GpuFrame's `owner` is released. May wait for the decoder,
  /// but never for rendering. Errors: Failed with the reason in one sentence; the caller then downloads the
  /// frame.
  [[nodiscard]] virtual Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) = 0;
  /// Returns the name used in statistics, such as "dma-buf".
  [[nodiscard]] virtual const char* engine() const = 0;
};

}  // namespace glyphreel::interop
