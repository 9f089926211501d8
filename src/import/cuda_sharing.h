#pragma once

#include <vulkan/vulkan.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/result.h"
#include "gpu/device.h"
#include "gpu/handle.h"
#include "import/cuda_api.h"
#include "media/hardware_devices.h"

namespace glyphreel::importer {

/// The two drivers that share, and the context and stream that FFmpeg's decoder works in. What is shared
/// keeps it.
struct CudaSession {
  std::shared_ptr<gpu::Device> device;
  std::shared_ptr<const cuda::Api> api;
  media::BufferRef hardware;  ///< keeps `context` and `stream`
  CUcontext context = nullptr;
  CUstream stream = nullptr;
};

/// A descriptor for a semaphore that Vulkan made, the caller's to close. Errors: Failed.
using ExportSemaphore = std::function<Result<int>(VkSemaphore)>;

/// Memory of Vulkan that CUDA sees as well. Thread-safety: one thread at a time.
class SharedBuffer {
 public:
  /// A storage buffer of `size` bytes. The session's context is current. Errors: Failed.
  [[nodiscard]] static Result<std::unique_ptr<SharedBuffer>> make(std::shared_ptr<const CudaSession> session,
                                                                  std::size_t size);
  /// Both GPUs' interfaces are done with it.
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

/// A timeline semaphore of Vulkan that CUDA's stream signals and waits for. Where the stream breaks with
/// signals in it, the host gives them in its place, lest Vulkan waits for ever. Thread-safety: one thread at
/// a time, but for make_good().
class SharedTimeline final : public gpu::Signaller {
 public:
  /// `export_semaphore`: empty: the driver's own way, VK_KHR_external_semaphore_fd. The session's context is
  /// current. Errors: Failed, where either driver cannot share it.
  [[nodiscard]] static Result<std::shared_ptr<SharedTimeline>> make(
      std::shared_ptr<const CudaSession> session, const ExportSemaphore& export_semaphore);
  /// Both GPUs' interfaces are done with it.
  ~SharedTimeline() override;
  SharedTimeline(const SharedTimeline&) = delete;
  SharedTimeline& operator=(const SharedTimeline&) = delete;

  [[nodiscard]] VkSemaphore semaphore() const { return semaphore_; }
  /// In the stream's order, after all that is in it now. The context is current.
  [[nodiscard]] Result<void> signal(std::uint64_t value);
  /// What is put into the stream from now on waits. The context is current.
  [[nodiscard]] Result<void> wait(std::uint64_t value);
  /// Raises it to what signal() was last asked for, unless the stream comes to that.
  void make_good() override;

 private:
  explicit SharedTimeline(std::shared_ptr<const CudaSession> session) : session_(std::move(session)) {}

  const std::shared_ptr<const CudaSession> session_;
  VkSemaphore semaphore_ = VK_NULL_HANDLE;
  CUexternalSemaphore imported_ = nullptr;
  std::atomic<std::uint64_t> owed_ = 0;  ///< what signal() was last asked for
};

}  // namespace glyphreel::importer
