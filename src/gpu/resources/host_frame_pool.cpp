#include "gpu/resources/host_frame_pool.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace glyphreel::gpu {
namespace {

constexpr std::size_t Granularity = 4096;

}  // namespace

std::shared_ptr<HostFramePool> HostFramePool::make(std::shared_ptr<Device> device) {
  return std::shared_ptr<HostFramePool>(new HostFramePool(std::move(device)));
}

std::shared_ptr<const HostBlock> HostFramePool::acquire(std::size_t size) {
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + Granularity - 1) / Granularity * Granularity;
  if (rounded > device_->properties().limits.maxStorageBufferRange) return nullptr;
  std::unique_ptr<BufferBlock> block;
  std::vector<std::unique_ptr<BufferBlock>> unfit;  // destroyed after the lock is released
  {
    const MutexLock lock(mutex_);
    const auto fitting = std::find_if(
        idle_.begin(), idle_.end(), [&](const auto& candidate) { return serves(candidate->size, rounded); });
    if (fitting != idle_.end()) {
      block = std::move(*fitting);
      idle_.erase(fitting);
    } else {
      // The idle blocks were made for a different frame size. If the budget is exhausted, free idle blocks,
      // starting with the block that has been idle longest.
      while (!idle_.empty() && (blocks_ >= MaxBlocks || bytes_ + rounded > MaxBytes)) {
        --blocks_;
        bytes_ -= idle_.front()->size;
        unfit.push_back(std::move(idle_.front()));
        idle_.erase(idle_.begin());
      }
      if (blocks_ >= MaxBlocks || bytes_ + rounded > MaxBytes) return nullptr;
      ++blocks_;
      bytes_ += rounded;
    }
  }
  if (!block) block = create(rounded);
  if (!block) {
    const MutexLock lock(mutex_);
    --blocks_;
    bytes_ -= rounded;
    return nullptr;
  }
  return {block.release(), [pool = shared_from_this()](const HostBlock* returned) {
            // The cast is valid: the pool itself created the block, as a non-const BufferBlock.
            auto* owned = const_cast<BufferBlock*>(static_cast<const BufferBlock*>(returned));
            const MutexLock lock(pool->mutex_);
            pool->idle_.push_back(std::unique_ptr<BufferBlock>(owned));
          }};
}

std::unique_ptr<HostFramePool::BufferBlock> HostFramePool::create(std::size_t size) {
  constexpr VkBufferUsageFlags Usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  Result<Buffer> buffer = make_buffer(*device_, size, Usage, MemoryKind::Shared, "host frame");
  if (!buffer) return nullptr;
  auto block = std::make_unique<BufferBlock>();
  block->bytes = buffer->mapped;
  block->size = size;
  block->origin = this;
  block->buffer = *std::move(buffer);
  return block;
}

VkBuffer HostFramePool::buffer_of(const HostBlock* block) const {
  if (block == nullptr || block->origin != this) return VK_NULL_HANDLE;
  return static_cast<const BufferBlock*>(block)->buffer.handle.get();
}

template <auto Function>
Result<void> HostFramePool::synchronize(const HostBlock& block, const char* function) const {
  if (policy_.host_access != MemoryPolicy::HostAccess::Flushed) return {};
  VkMappedMemoryRange range{VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE};
  range.memory = static_cast<const BufferBlock&>(block).buffer.memory.get();
  range.size = VK_WHOLE_SIZE;
  const VkResult result = Function(device_->handle(), 1, &range);
  if (result != VK_SUCCESS) return device_->fail(result, function);
  return {};
}

Result<void> HostFramePool::flush(const HostBlock& block) const {
  return synchronize<vkFlushMappedMemoryRanges>(block, "vkFlushMappedMemoryRanges");
}

Result<std::shared_ptr<const HostBlock>> HostFramePool::for_reading(std::shared_ptr<const HostBlock> block) {
  TRY(synchronize<vkInvalidateMappedMemoryRanges>(*block, "vkInvalidateMappedMemoryRanges"));
  if (policy_.shares_with_host()) return block;
  std::shared_ptr<const HostBlock> copy = heap_->acquire(block->size);
  if (!copy) {
    return Error{ErrorCode::Failed, "Out of memory for rendered frames; choose a smaller grid.",
                 fmt::format("could not allocate a copy of {} bytes", block->size)};
  }
  std::memcpy(copy->bytes, block->bytes, block->size);
  return copy;
}

}  // namespace glyphreel::gpu
