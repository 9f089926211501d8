#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "gpu/gpu_renderer.h"
#include "gpu/resources/frame_source.h"
#include "gpu/resources/host_frame_pool.h"

namespace glyphreel::interop {

class SurfaceImport;

/// Makes decoded frames readable by shaders. Frames decoded into memory() need no copy by the CPU; the CPU
/// copies other host frames into memory that the GPU can read. Hardware frames are imported, or downloaded if
/// the GPU cannot read them; each reason for a download is logged once. Thread-safety: one thread at a time;
/// memory() from any thread.
class FrameImporter final : public gpu::FrameSource {
 public:
  /// Adds the duration of each import to Stage::Import of `times`. `times` must outlive the importer.
  FrameImporter(std::shared_ptr<gpu::Device> device, StageTimes& times);
  ~FrameImporter() override;

  [[nodiscard]] Result<gpu::GpuFrame> import_frame(const Frame& frame) override;
  [[nodiscard]] HostMemory* memory() override { return pool_->for_host(); }

 private:
  [[nodiscard]] Result<gpu::GpuFrame> import_host(const Frame& frame);
  /// Reports to the frame's decoder that the frame cannot be imported. Returns whether another decoder will
  /// replace that decoder; if so, only a few frames need to be downloaded.
  [[nodiscard]] bool report_unreadable(const Frame& frame, const Error& reason) const;
  /// Imports the frame with the first of `imports_` that succeeds.
  [[nodiscard]] Result<gpu::GpuFrame> import_surface(const Frame& frame);

  const std::shared_ptr<gpu::Device> device_;
  std::shared_ptr<gpu::HostFramePool> pool_;
  std::vector<std::unique_ptr<SurfaceImport>> imports_;
  std::set<std::string> logged_;  ///< reasons for downloads that were logged already
  StageTimes& times_;
};

/// Creates a GPU renderer with its own FrameImporter; `depth` and `together` as in gpu::make_gpu_renderer().
[[nodiscard]] Result<std::unique_ptr<gpu::GpuRenderer>> make_gpu_renderer(std::shared_ptr<gpu::Device> device,
                                                                          StageTimes& times, int depth,
                                                                          int together = 1);

}  // namespace glyphreel::interop
