#pragma once

#include <memory>

#include "gpu/device/device.h"
#include "gpu/resources/frame_source.h"

namespace glyphreel::interop {

/// Turns a dma-buf's pending writes, which the kernel tracks with the buffer, into semaphores.
/// Thread-safety: one thread at a time.
class DmaBufSync {
 public:
  explicit DmaBufSync(std::shared_ptr<gpu::Device> device);

  /// Makes `frame` wait for pending writes to the dma-buf. If the driver cannot import sync files (lavapipe
  /// cannot), this call waits instead, for at most 100 ms. Does nothing if the writes are complete or the
  /// kernel cannot report them. `frame.owner` then also owns the semaphore.
  void add_to(gpu::GpuFrame& frame, int dma_buf);

 private:
  const std::shared_ptr<gpu::Device> device_;
  PFN_vkImportSemaphoreFdKHR import_ = nullptr;  ///< null if the driver cannot import sync files
};

}  // namespace glyphreel::interop
