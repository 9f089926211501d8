#pragma once

#include <memory>

#include "interop/drm/drm_import.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Implements HwDeviceProvider::adjust_frames(): if the driver lets the caller choose a tiling, makes the
/// driver allocate surfaces with a tiling that `device` can import. By default, Intel's driver may choose a
/// compressed tiling.
void adjust_vaapi_frames(const gpu::Device& device, AVHWFramesContext& frames);
/// Implements HwDeviceProvider::finish_frame().
void finish_vaapi_frame(const AVFrame& frame);

/// Imports VAAPI frames: synchronizes them, exports them as dma-bufs and imports the dma-bufs.
/// Thread-safety: one thread at a time.
class VaapiImport final : public SurfaceImport {
 public:
  /// Returns null if the driver does not import dma-bufs.
  [[nodiscard]] static std::unique_ptr<VaapiImport> make(std::shared_ptr<gpu::Device> device);

  [[nodiscard]] bool supports(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "vaapi, dma-buf"; }

 private:
  explicit VaapiImport(std::unique_ptr<DrmImport> drm);

  const std::unique_ptr<DrmImport> drm_;
};

}  // namespace glyphreel::interop
