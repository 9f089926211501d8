#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "gpu/device/device.h"
#include "gpu/device/handle.h"
#include "interop/cuda/cuda_api.h"
#include "media/hwdec/hw_device_provider.h"

namespace glyphreel::interop {

/// The Vulkan device and the CUDA driver that share memory, and the CUDA context and stream of FFmpeg's
/// decoder. Each SharedBuffer and SharedTimeline keeps its session alive.
struct CudaSession {
  std::shared_ptr<gpu::Device> device;
  std::shared_ptr<const cuda::Api> api;
  media::BufferRef hardware;  ///< keeps `context` and `stream` alive
  CUcontext context = nullptr;
  CUstream stream = nullptr;
};

/// Returns a file descriptor for a semaphore that Vulkan created; the caller closes it. Errors: Failed.
using ExportSemaphore = std::function<Result<int>(VkSemaphore)>;

/// Vulkan memory that CUDA can access too.
/// Thread-safety: one thread at a time.
class SharedBuffer {
 public:
  /// Creates a storage buffer of `size` bytes. The session's context must be current. Errors: Failed.
  [[nodiscard]] static Result<std::unique_ptr<SharedBuffer>> make(std::shared_ptr<const CudaSession> session,
                                                                  std::size_t size);
  /// Destroys the buffer. CUDA and Vulkan must be done with it.
  ~SharedBuffer();
  SharedBuffer(const SharedBuffer&) = delete;
  SharedBuffer& operator=(const SharedBuffer&) = delete;

  [[nodiscard]] VkBuffer buffer() const { return buffer_.get(); }
  [[nodiscard]] CUdeviceptr pointer() const { return pointer_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  explicit SharedBuffer(std::shared_ptr<const CudaSession> session) : session_(std::move(session)) {}
  [[nodiscard]] Result<VkDeviceSize> create();
  [[nodiscard]] Result<void> import(VkDeviceSize allocated);

  const std::shared_ptr<const CudaSession> session_;
  std::size_t size_ = 0;
  gpu::MemoryHandle memory_;  // declared first: destroyed after the buffer
  gpu::BufferHandle buffer_;
  CUexternalMemory imported_ = nullptr;
  CUdeviceptr pointer_ = 0;
};

/// A Vulkan timeline semaphore that CUDA's stream signals and waits for. If the stream fails while signals
/// are pending, the host signals the semaphore instead, so that Vulkan does not wait forever.
/// Thread-safety: one thread at a time, except signal_abandoned(): any thread.
class SharedTimeline final : public gpu::Signaler {
 public:
  /// `export_semaphore` exports the semaphore; empty: VK_KHR_external_semaphore_fd is used. The session's
  /// context must be current. Errors: Failed if either driver cannot share the semaphore.
  [[nodiscard]] static Result<std::shared_ptr<SharedTimeline>> make(
      std::shared_ptr<const CudaSession> session, const ExportSemaphore& export_semaphore);
  /// Destroys the semaphore. CUDA and Vulkan must be done with it.
  ~SharedTimeline() override;
  SharedTimeline(const SharedTimeline&) = delete;
  SharedTimeline& operator=(const SharedTimeline&) = delete;

  [[nodiscard]] VkSemaphore semaphore() const { return semaphore_; }
  /// Signals `value` in stream order, after everything queued so far. The context must be current.
  [[nodiscard]] Result<void> signal(std::uint64_t value);
  /// Makes all later work in the stream wait for `value`. The context must be current.
  [[nodiscard]] Result<void> wait(std::uint64_t value);
  /// Waits for the stream to signal the value last passed to signal(). If the stream has failed, the host
  /// signals this value.
  void signal_abandoned() override;

 private:
  explicit SharedTimeline(std::shared_ptr<const CudaSession> session) : session_(std::move(session)) {}

  const std::shared_ptr<const CudaSession> session_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  CUexternalSemaphore imported_ = nullptr;
  std::atomic<std::uint64_t> owed_ = 0;  ///< the value last passed to signal()
};

}  // namespace glyphreel::interop
