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

/// Whether a recycled block of this size serves a request: large enough, but not so large that small requests
/// use up the budget.
[[nodiscard]] constexpr bool serves(std::size_t block, std::size_t request) {
  return block >= request && block <= 2 * request + 65536;
}

/// Host memory that the GPU reads and writes in place: mapped, coherent, host-cached buffers, recycled.
/// Decoders put frames here, which saves the upload, and drawn pictures are read back to it. Blocks own the
/// pool, and the pool owns the device, so a block may outlive everything else.
/// Thread-safety: every member may be called from any thread.
class HostFramePool final : public HostMemory, public std::enable_shared_from_this<HostFramePool> {
 public:
  static constexpr std::size_t MaxBlocks = 64;
  static constexpr std::size_t MaxBytes = std::size_t{1} << 30;

  [[nodiscard]] static std::shared_ptr<HostFramePool> make(std::shared_ptr<Device> device);

  /// Returns null if MaxBlocks or MaxBytes is exhausted, if the size is beyond what a shader can address,
  /// or if memory has run out.
  [[nodiscard]] std::shared_ptr<const HostBlock> acquire(std::size_t size) override EXCLUDES(mutex_);

  /// The buffer of a block of this pool (the block starts at its first byte); null for null and for other
  /// blocks.
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
  std::size_t blocks_ GUARDED_BY(mutex_) = 0;  ///< idle and handed out
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace glyphreel::gpu
