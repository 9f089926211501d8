#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"
#include "gpu/device/device.h"
#include "gpu/resources/frame_source.h"

namespace glyphreel::interop {

/// Turns a dma-buf's pending writes, which the kernel tracks with the buffer, into semaphores.
/// Thread-safety: one thread at a time; what it creates may be released on any thread.
class DmaBufSync {
 public:
  explicit DmaBufSync(std::shared_ptr<gpu::Device> device);

  /// Makes `frame` wait for pending writes to the dma-buf. If the driver cannot import sync files (lavapipe
  /// cannot), waits here instead, for at most 100 ms. Does nothing if the writes are over or the kernel
  /// cannot report them. `frame.owner` then owns the semaphore in addition to what it owned.
  void add_to(gpu::GpuFrame& frame, int dma_buf);

 private:
  /// Recycles semaphores that no submission uses, so that steady state creates none.
  class Pool {
   public:
    explicit Pool(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    [[nodiscard]] VkSemaphore take() EXCLUDES(mutex_);  ///< null: none could be created
    void recycle(VkSemaphore semaphore) EXCLUDES(mutex_);
    [[nodiscard]] const gpu::Device& device() const { return *device_; }

   private:
    const std::shared_ptr<gpu::Device> device_;
    Mutex mutex_;
    std::vector<VkSemaphore> idle_ GUARDED_BY(mutex_);
  };
  struct Lent;

  std::shared_ptr<Pool> pool_;  ///< null if the driver imports no sync files
  PFN_vkImportSemaphoreFdKHR import_ = nullptr;
};

}  // namespace glyphreel::interop
