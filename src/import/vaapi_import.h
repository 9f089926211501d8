#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "import/drm_import.h"
#include "media/hardware_devices.h"

namespace glyphreel::importer {

/// VAAPI frames: synchronised, exported as dma-bufs, and imported as these. What a pool's surfaces were
/// exported as is kept as long as the decoder uses the pool. Thread-safety: one thread at a time.
class VaapiImport final : public SurfaceImport {
 public:
  /// Null where the driver imports no dma-bufs.
  [[nodiscard]] static std::unique_ptr<VaapiImport> make(std::shared_ptr<gpu::Device> device);
  ~VaapiImport() override;

  [[nodiscard]] bool takes(const AVFrame& frame) const override;
  [[nodiscard]] Result<gpu::GpuFrame> bring(const AVFrame& frame, const FrameView& view) override;
  [[nodiscard]] const char* engine() const override { return "vaapi, dma-buf"; }

  [[nodiscard]] const DrmImport& drm() const { return *drm_; }

 private:
  class Exported;

  explicit VaapiImport(std::unique_ptr<DrmImport> drm);

  const std::unique_ptr<DrmImport> drm_;
  media::BufferRef pool_;  ///< whose surfaces `exported_` are, so that no other comes to its address
  std::map<std::uint32_t, std::unique_ptr<const Exported>> exported_;  ///< by VASurfaceID
};

}  // namespace glyphreel::importer
