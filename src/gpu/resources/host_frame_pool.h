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

/// A pool of mapped buffers in which the host and the GPU exchange frames, pictures and cells. If
/// MemoryPolicy allows, decoders write frames directly to the pool's blocks, and pictures are read directly
/// from its blocks. A block keeps the pool and the device alive, so it may outlive all other references to
/// the pool.
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

  [[nodiscard]] const MemoryPolicy& policy() const { return policy_; }
  /// Returns this pool if the host may read and write its blocks in any order at full speed, otherwise null.
  [[nodiscard]] HostMemory* for_host() { return policy_.shares_with_host() ? this : nullptr; }
  /// Makes the host's writes to a block of this pool visible to commands that are submitted afterwards.
  [[nodiscard]] Result<void> flush(const HostBlock& block) const;
  /// Returns what the GPU wrote to a block of this pool, for the host to read: the block itself, or a copy on
  /// the heap if the host would read the block slowly. The commands that wrote to the block must be complete.
  /// Errors: Failed if memory is exhausted.
  [[nodiscard]] Result<std::shared_ptr<const HostBlock>> for_reading(std::shared_ptr<const HostBlock> block);

 private:
  struct BufferBlock : HostBlock {
    Buffer buffer;
  };

  explicit HostFramePool(std::shared_ptr<Device> device)
      : device_(std::move(device)), policy_(device_->memory_policy()) {}
  [[nodiscard]] std::unique_ptr<BufferBlock> create(std::size_t size);

  /// Calls `Function`, which is vkFlushMappedMemoryRanges or vkInvalidateMappedMemoryRanges, for a block if
  /// the host's cache is not coherent. `function`: the name of `Function`, for errors.
  template <auto Function>
  [[nodiscard]] Result<void> synchronize(const HostBlock& block, const char* function) const;

  const std::shared_ptr<Device> device_;
  const MemoryPolicy policy_;
  const std::unique_ptr<HostMemory> heap_ = make_heap_memory();  ///< for copies of uncached blocks
  Mutex mutex_;
  std::vector<std::unique_ptr<BufferBlock>> idle_ GUARDED_BY(mutex_);
  std::size_t blocks_ GUARDED_BY(mutex_) = 0;  ///< the number of blocks, idle or handed out
  std::size_t bytes_ GUARDED_BY(mutex_) = 0;
};

}  // namespace glyphreel::gpu
