#pragma once

#include <memory>

#include "base/frame.h"
#include "base/result.h"
#include "gpu/device.h"
#include "gpu/frame_ring.h"
#include "gpu/host_frame_pool.h"
#include "gpu/swapchain.h"

namespace glyphreel::gpu {

/// Shows pictures that were drawn on the CPU.
/// Thread-safety: one thread at a time.
class PicturePresenter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PicturePresenter>> make(std::shared_ptr<Device> device);

  /// Where pictures must lie: give it to the CPU renderer as RenderSetup::picture_memory.
  [[nodiscard]] HostMemory* picture_memory() { return pool_.get(); }

  /// Copies a Bgra8 picture of picture_memory() to the middle of the window, black around it; what does not
  /// fit is cut off evenly. Keeps the picture's block until the GPU has read it. Errors: Usage where the
  /// picture is of another format or lies elsewhere; Failed.
  [[nodiscard]] Result<PresentOutcome> present(const Picture& picture, Swapchain& swapchain);

 private:
  PicturePresenter() = default;

  /// The picture's own block, or a copy of it in the pool.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> block_of(const Picture& picture);

  std::shared_ptr<Device> device_;
  std::shared_ptr<HostFramePool> pool_;
  Image reordered_;  ///< where the window's format is RGBA: a BGRA image that is blitted to it
  std::unique_ptr<FrameRing> ring_;  // destroyed first: waits for the GPU
};

}  // namespace glyphreel::gpu
