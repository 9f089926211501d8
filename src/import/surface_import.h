#pragma once

#include "base/frame.h"
#include "base/result.h"
#include "gpu/frame_source.h"
#include "media/ffmpeg.h"

namespace glyphreel::importer {

/// One way of hardware frames to the GPU. Thread-safety: one thread at a time.
class SurfaceImport {
 public:
  virtual ~SurfaceImport() = default;
  /// Whether it knows frames of this kind (AVFrame::format): one cheap look, no promise that bring()
  /// succeeds.
  [[nodiscard]] virtual bool takes(const AVFrame& frame) const = 0;
  /// `frame`, whose content `view` describes (null planes), as the GPU reads it. The caller sees to it that
  /// `frame` lives as long as the GpuFrame's `owner`, which may own more. Never waits for the GPU. Errors:
  /// Failed, with the reason in one sentence: the caller then downloads the frame.
  [[nodiscard]] virtual Result<gpu::GpuFrame> bring(const AVFrame& frame, const FrameView& view) = 0;
  /// What statistics call it: "dma-buf".
  [[nodiscard]] virtual const char* engine() const = 0;
};

}  // namespace glyphreel::importer
