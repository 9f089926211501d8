#pragma once

#include <cstddef>
#include <memory>

namespace glyphreel {

class HostMemory;

/// Whether a recycled block of `block` bytes serves a request for `request` bytes: the block must be large
/// enough, but not so large that most of it would be wasted.
[[nodiscard]] constexpr bool serves(std::size_t block, std::size_t request) {
  return block >= request && block <= 2 * request + 65536;
}

/// A block of host memory that several components can share. It returns to its HostMemory when the last
/// shared_ptr to it is released, on any thread.
struct HostBlock {
  std::byte* bytes = nullptr;  ///< 64-byte aligned
  std::size_t size = 0;        ///< bytes
  /// The allocator of this block. The GPU renderer compares it to recognize blocks from its own HostMemory,
  /// which need no copy.
  const HostMemory* origin = nullptr;
};

/// Allocates memory for decoded frames and for frames that the CPU draws. The GPU renderer's HostMemory
/// allocates mapped, host-cached buffers, so frames that are decoded into them need no upload.
///
/// Thread-safety: acquire() may be called and blocks may be released on any thread.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// Returns a block of at least `size` bytes, or null if none is available. Does not wait for other blocks
  /// to be released. A block stays valid even if the HostMemory is destroyed before the block is released.
  [[nodiscard]] virtual std::shared_ptr<const HostBlock> acquire(std::size_t size) = 0;
};

/// Creates a HostMemory that allocates from the heap and reuses returned blocks.
[[nodiscard]] std::unique_ptr<HostMemory> make_heap_memory();

}  // namespace glyphreel
