#pragma once

#include <memory>

#include "base/frame.h"
#include "base/result.h"
#include "gpu/device/device.h"
#include "gpu/presentation/swapchain.h"
#include "gpu/resources/frame_ring.h"
#include "gpu/resources/host_frame_pool.h"

namespace glyphreel::gpu {

/// Presents pictures that were drawn on the CPU.
/// Thread-safety: one thread at a time.
class PicturePresenter {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PicturePresenter>> make(std::shared_ptr<Device> device);

  /// Returns the value for RenderSetup::picture_memory: the memory in which the CPU renderer should draw
  /// pictures. Null means that pictures are drawn in heap memory.
  [[nodiscard]] HostMemory* picture_memory() { return pool_->for_host(); }

  /// Copies a Bgra8 picture to the middle of the window, with black around it. If the picture is larger
  /// than the window, crops it evenly on both sides. Keeps the picture's block until the GPU has read it. If
  /// the picture is not in picture_memory(), or if the window's format differs, the picture is first copied
  /// to memory that the GPU can read. Errors: Failed.
  [[nodiscard]] Result<PresentOutcome> present(const Picture& picture, Swapchain& swapchain);

 private:
  PicturePresenter() = default;

  /// Returns a block that the GPU can read, with the picture in this format: the picture's own block, or a
  /// converted copy.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> block_of(const Picture& picture, VkFormat format);

  std::shared_ptr<Device> device_;
  std::shared_ptr<HostFramePool> pool_;
  std::unique_ptr<FrameRing> ring_;  // destroyed first: waits for the GPU
};

}  // namespace glyphreel::gpu
