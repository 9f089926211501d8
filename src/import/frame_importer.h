#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "gpu/frame_source.h"
#include "gpu/gpu_renderer.h"
#include "gpu/host_frame_pool.h"

namespace glyphreel::importer {

class SurfaceImport;

/// Gives decoded frames GPU clothes: read in place where they were decoded into memory(), copied there
/// otherwise; a hardware decoder's read where they are, or, where the GPU cannot, downloaded, which is said
/// once in the log with the reason. Thread-safety: one thread at a time; memory() from any thread.
class FrameImporter final : public gpu::FrameSource {
 public:
  /// Time spent goes to the stage Import of `times`, which outlives the importer.
  FrameImporter(std::shared_ptr<gpu::Device> device, StageTimes& times);
  ~FrameImporter() override;

  [[nodiscard]] Result<gpu::GpuFrame> bring(const Frame& frame) override;
  [[nodiscard]] HostMemory* memory() override { return pool_.get(); }

 private:
  [[nodiscard]] Result<gpu::GpuFrame> bring_host(const Frame& frame);
  /// By the first of `imports_` that can.
  [[nodiscard]] Result<gpu::GpuFrame> bring_surface(const Frame& frame);

  std::shared_ptr<gpu::HostFramePool> pool_;
  std::vector<std::unique_ptr<SurfaceImport>> imports_;
  std::set<std::string> said_;  ///< why frames were downloaded
  StageTimes& times_;
};

/// A GPU renderer with a FrameImporter of its own; `depth` as in gpu::GpuRendererOptions.
[[nodiscard]] Result<std::unique_ptr<gpu::GpuRenderer>> make_gpu_renderer(std::shared_ptr<gpu::Device> device,
                                                                          StageTimes& times, int depth);

}  // namespace glyphreel::importer
