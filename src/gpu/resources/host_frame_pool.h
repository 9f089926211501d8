#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "base/host_memory.h"
#include "base/mutex.h"
#include "gpu/device/device.h"
#include "gpu/resources/buffer.h"

namespace glyphreel::gpu {

/// Whether a recycled block of this size serves a request: it must be large enough, but not so large that
/// small requests use up the budget.
[[nodiscard]] constexpr bool serves(std::size_t block, std::size_t request) {
  return block >= request && block <= 2 * request + 65536;
}

/// A pool of host memory that the GPU reads and writes in place: mapped, coherent, host-cached buffers.
/// Decoders write frames to the pool's blocks, which saves the upload, and drawn pictures are read back to
/// them. A block keeps the pool and the device alive, so it may outlive every other reference to them.
/// Thread-safety: every member may be called from any thread.
class HostFramePool final : public HostMemory, public std::enable_shared_from_this<HostFramePool> {
 public:
  static constexpr std::size_t MaxBlocks = 64;
  static constexpr std::size_t MaxBytes = std::size_t{1} << 30;

  [[nodiscard]] static std::shared_ptr<HostFramePool> make(std::shared_ptr<Device> device);

  /// Returns null if MaxBlocks or MaxBytes is exhausted, if the size is beyond what a shader can address, or
  /// if memory is exhausted.
  [[nodiscard]] std::shared_ptr<const HostBlock> acquire(std::size_t size) override EXCLUDES(mutex_);

  /// Returns the buffer of a block of this pool. The buffer starts at the block's first byte. Returns null if
  /// `block` is null or is not from this pool.
  [[nodiscard]] VkBuffer buffer_of(const HostBlock* block) const;

 private:
  struct BufferBlock : HostBlock {
    Buffer buffer;
  };

  explicit HostFramePool(std::shared_ptr<Device> device) : device_(std::move(device)) {}
  [[nodiscard]] std::unique_ptr<BufferBlock> create(std::size_t size);

  const std::shared_ptr<Device> device_;
  Mutex mutex_;
  std::vector<std::unique_ptr<BufferBlock>> idle_ GUARDED_BY(mutex_);
  std::size_t blocks_ GUARDED_BY(mutex_) = 0;  ///< the number of blocks, idle or handed out
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace glyphreel::gpu
