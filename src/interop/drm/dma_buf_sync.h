#pragma once

#include <memory>

#include "gpu/device/device.h"
#include "gpu/resources/frame_source.h"

namespace glyphreel::interop {

/// Makes the GPU wait for pending writes to dma-bufs. The kernel tracks these writes for each dma-buf; this
/// class creates a semaphore that is signaled when the writes are complete.
/// Thread-safety: one thread at a time.
class DmaBufSync {
 public:
  explicit DmaBufSync(std::shared_ptr<gpu::Device> device);

  /// Makes `frame` wait for pending writes to the dma-buf: adds to `frame.waits` a semaphore that
  /// `frame.owner` keeps alive. If the driver cannot import sync files (lavapipe cannot), this call waits
  /// instead, for at most 100 ms. Does nothing if no write is pending or if the kernel cannot report
  /// pending writes.
  void add_to(gpu::GpuFrame& frame, int dma_buf);

 private:
  const std::shared_ptr<gpu::Device> device_;
  PFN_vkImportSemaphoreFdKHR import_ = nullptr;  ///< null if the driver cannot import sync files
};

}  // namespace glyphreel::interop
