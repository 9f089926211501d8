#pragma once

#include <memory>

#include "base/frame.h"
#include "base/result.h"
#include "base/stage_times.h"
#include "gpu/frame_source.h"
#include "gpu/gpu_renderer.h"
#include "gpu/host_frame_pool.h"

namespace glyphreel::importer {

/// Gives decoded frames GPU clothes: read in place where they were decoded into memory(), copied there
/// otherwise. Thread-safety: one thread at a time; memory() from any thread.
class FrameImporter final : public gpu::FrameSource {
 public:
  /// Time spent goes to the stage Import of `times`, which outlives the importer.
  FrameImporter(std::shared_ptr<gpu::Device> device, StageTimes& times);

  [[nodiscard]] Result<gpu::GpuFrame> bring(const Frame& frame) override;
  [[nodiscard]] HostMemory* memory() override { return pool_.get(); }

 private:
  std::shared_ptr<gpu::HostFramePool> pool_;
  StageTimes& times_;
};

/// A GPU renderer with a FrameImporter of its own; `depth` as in gpu::GpuRendererOptions.
[[nodiscard]] Result<std::unique_ptr<gpu::GpuRenderer>> make_gpu_renderer(std::shared_ptr<gpu::Device> device,
                                                                          StageTimes& times, int depth);

}  // namespace glyphreel::importer
