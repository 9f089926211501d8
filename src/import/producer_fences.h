#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_annotations.h"
#include "gpu/device.h"
#include "gpu/frame_source.h"

namespace glyphreel::importer {

/// What a dma-buf's producer has still to do to it, as semaphores: the kernel keeps that with the buffer.
/// Thread-safety: one thread at a time; what is made, any thread.
class ProducerFences {
 public:
  explicit ProducerFences(std::shared_ptr<gpu::Device> device);

  /// Makes `frame` wait for whoever still writes to the dma-buf; where the driver takes no sync files, as
  /// lavapipe, waits here, 100 ms at most. Nothing where that is over, or where the kernel cannot tell.
  /// `frame.owner` owns the semaphore besides what it owned.
  void add_to(gpu::GpuFrame& frame, int dma_buf);

 private:
  /// Semaphores that no submission uses; recycled, so that steady state makes none.
  class Pool {
   public:
    explicit Pool(std::shared_ptr<gpu::Device> device) : device_(std::move(device)) {}
    ~Pool();
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    [[nodiscard]] VkSemaphore take() EXCLUDES(mutex_);  ///< null: there is none
    void give_back(VkSemaphore semaphore) EXCLUDES(mutex_);
    [[nodiscard]] const gpu::Device& device() const { return *device_; }

   private:
    const std::shared_ptr<gpu::Device> device_;
    std::mutex mutex_;
    std::vector<VkSemaphore> idle_ GUARDED_BY(mutex_);
  };
  struct Lent;

  std::shared_ptr<Pool> pool_;  ///< null where the driver takes no sync files
  PFN_vkImportSemaphoreFdKHR import_ = nullptr;
};

}  // namespace glyphreel::importer
