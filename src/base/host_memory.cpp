#include "base/host_memory.h"

#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "base/mutex.h"

namespace glyphreel {
namespace {

constexpr std::size_t Alignment = 64;
constexpr std::size_t MaxIdleBlocks = 32;

/// Unused blocks, kept for later requests. If the HeapMemory is destroyed while blocks are in use, this
/// object exists until the last block is returned.
struct IdleBlocks {
  Mutex mutex;
  std::vector<HostBlock> blocks GUARDED_BY(mutex);

  IdleBlocks() { blocks.reserve(MaxIdleBlocks); }  // so returning a block never allocates
  ~IdleBlocks() {
    for (const HostBlock& block : blocks) std::free(block.bytes);
  }
};

class HeapMemory final : public HostMemory {
 public:
  std::shared_ptr<const HostBlock> acquire(std::size_t size) override {
    HostBlock block = pop_idle(size);
    if (block.bytes == nullptr) {
      if (size > std::numeric_limits<std::size_t>::max() - Alignment) return nullptr;
      const std::size_t rounded = (size + Alignment - 1) / Alignment * Alignment;
      block.bytes = static_cast<std::byte*>(std::aligned_alloc(Alignment, rounded));
      if (block.bytes == nullptr) return nullptr;
      block.size = rounded;
      block.origin = this;
    }
    return {new HostBlock(block), [idle = idle_](const HostBlock* returned) {
              {
                const MutexLock lock(idle->mutex);
                if (idle->blocks.size() < MaxIdleBlocks) {
                  idle->blocks.push_back(*returned);
                  delete returned;
                  return;
                }
              }
              std::free(returned->bytes);
              delete returned;
            }};
  }

 private:
  /// Returns an idle block of suitable size, or an empty block. Frees the unsuitable blocks that it finds:
  /// the requested size changes only when the stream changes, so those blocks would not be used again.
  HostBlock pop_idle(std::size_t size) {
    const MutexLock lock(idle_->mutex);
    while (!idle_->blocks.empty()) {
      const HostBlock block = idle_->blocks.back();
      idle_->blocks.pop_back();
      if (serves(block.size, size)) return block;
      std::free(block.bytes);
    }
    return {};
  }

  std::shared_ptr<IdleBlocks> idle_ = std::make_shared<IdleBlocks>();
};

}  // namespace

std::unique_ptr<HostMemory> make_heap_memory() {
  return std::make_unique<HeapMemory>();
}

}  // namespace glyphreel
