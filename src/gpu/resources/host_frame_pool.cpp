#include "gpu/resources/host_frame_pool.h"

#include <algorithm>
#include <utility>

#include "gpu/resources/buffer.h"

namespace glyphreel::gpu {
namespace {

constexpr std::size_t Granularity = 4096;

/// Whether a block of this size serves a request: large enough, but not so large that small requests use up
/// the budget.
bool serves(std::size_t block, std::size_t request) {
  return block >= request && block <= 2 * request + 65536;
}

}  // namespace

std::shared_ptr<HostFramePool> HostFramePool::make(std::shared_ptr<Device> device) {
  return std::shared_ptr<HostFramePool>(new HostFramePool(std::move(device)));
}

HostFramePool::~HostFramePool() {
  for (const std::unique_ptr<BufferBlock>& block : idle_) destroy(*block);
}

std::shared_ptr<const HostBlock> HostFramePool::acquire(std::size_t size) {
  const std::size_t rounded = (std::max<std::size_t>(size, 1) + Granularity - 1) / Granularity * Granularity;
  if (rounded > device_->properties().limits.maxStorageBufferRange) return nullptr;
  std::unique_ptr<BufferBlock> block;
  std::vector<std::unique_ptr<BufferBlock>> unfit;  // destroyed outside the lock
  {
    const MutexLock lock(mutex_);
    const auto fitting = std::find_if(
        idle_.begin(), idle_.end(), [&](const auto& candidate) { return serves(candidate->size, rounded); });
    if (fitting != idle_.end()) {
      block = std::move(*fitting);
      idle_.erase(fitting);
    } else {
      // Frame sizes change with the stream: idle blocks do not fit any more and make room when the budget
      // runs short.
      while (!idle_.empty() && (blocks_ >= MaxBlocks || bytes_ + rounded > MaxBytes)) {
        --blocks_;
        bytes_ -= idle_.front()->size;
        unfit.push_back(std::move(idle_.front()));
        idle_.erase(idle_.begin());
      }
      if (blocks_ < MaxBlocks && bytes_ + rounded <= MaxBytes) {
        ++blocks_;
        bytes_ += rounded;
      } else {
        return nullptr;
      }
    }
  }
  for (const std::unique_ptr<BufferBlock>& old : unfit) destroy(*old);
  if (!block) block = create(rounded);
  if (!block) {
    const MutexLock lock(mutex_);
    --blocks_;
    bytes_ -= rounded;
    return nullptr;
  }
  return {block.release(), [pool = shared_from_this()](const HostBlock* returned) {
            // The pool created it, as a BufferBlock that is not const.
            auto* owned = const_cast<BufferBlock*>(static_cast<const BufferBlock*>(returned));
            pool->recycle(std::unique_ptr<BufferBlock>(owned));
          }};
}

void HostFramePool::recycle(std::unique_ptr<BufferBlock> block) {
  const MutexLock lock(mutex_);
  idle_.push_back(std::move(block));
}

std::unique_ptr<HostFramePool::BufferBlock> HostFramePool::create(std::size_t size) {
  constexpr VkBufferUsageFlags Usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto block = std::make_unique<BufferBlock>();
  block->size = size;
  block->origin = this;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = size;
  create.usage = Usage;
  const VkDevice device = device_->handle();
  if (vkCreateBuffer(device, &create, nullptr, &block->buffer) != VK_SUCCESS) return nullptr;
  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device, block->buffer, &requirements);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = requirements.size;
  const int type = choose_memory_type(*device_, requirements.memoryTypeBits, MemoryKind::HostCached);
  allocate.memoryTypeIndex = static_cast<std::uint32_t>(type);
  void* mapped = nullptr;
  const bool usable = type >= 0 &&
                      vkAllocateMemory(device, &allocate, nullptr, &block->memory) == VK_SUCCESS &&
                      vkBindBufferMemory(device, block->buffer, block->memory, 0) == VK_SUCCESS &&
                      vkMapMemory(device, block->memory, 0, VK_WHOLE_SIZE, 0, &mapped) == VK_SUCCESS;
  if (!usable) {
    destroy(*block);
    return nullptr;
  }
  block->bytes = static_cast<std::byte*>(mapped);
  device_->name_object(VK_OBJECT_TYPE_BUFFER, object_id(block->buffer), "host frame");
  return block;
}

void HostFramePool::destroy(const BufferBlock& block) const {
  // The last reference is released only after the GPU has finished: there is nothing to wait for.
  vkDestroyBuffer(device_->handle(), block.buffer, nullptr);
  vkFreeMemory(device_->handle(), block.memory, nullptr);
}

VkBuffer HostFramePool::buffer_of(const HostBlock* block) const {
  if (block == nullptr || block->origin != this) return VK_NULL_HANDLE;
  return static_cast<const BufferBlock*>(block)->buffer;
}

}  // namespace glyphreel::gpu
