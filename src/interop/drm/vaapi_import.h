#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "interop/drm/drm_import.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// Imports VAAPI frames: synchronizes them, exports them as dma-bufs and imports the dma-bufs. The exports of
/// a pool's surfaces are kept as long as the decoder uses the pool.
/// Thread-safety: one thread at a time.
class VaapiImport final : public SurfaceImport {
 public:
  /// Returns null if the driver does not import dma-bufs.
  [[nodiscard]] static std::unique_ptr<VaapiImport> make(std::shared_ptr<gpu::Device> device);
  ~VaapiImport() override;

  [[nodiscard]] bool supports(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "vaapi, dma-buf"; }

 private:
  struct Exported;

  explicit VaapiImport(std::unique_ptr<DrmImport> drm);

  const std::unique_ptr<DrmImport> drm_;
  /// Pool of the surfaces in `exported_`, referenced so that its address is not reused.
  media::BufferRef pool_;
  std::map<std::uint32_t, std::unique_ptr<const Exported>> exported_;  ///< by VASurfaceID
};

}  // namespace glyphreel::interop
