#pragma once

#include <cstddef>
#include <memory>

namespace glyphreel {

class HostMemory;

/// Whether a recycled block of `block` bytes serves a request for `request` bytes: it must be large enough,
/// but not so large that small requests use up the memory.
[[nodiscard]] constexpr bool serves(std::size_t block, std::size_t request) {
  return block >= request && block <= 2 * request + 65536;
}

/// A block of host memory that several components can share. It returns to its HostMemory when the last
/// shared_ptr to it is released, on any thread.
struct HostBlock {
  std::byte* bytes = nullptr;  ///< 64-byte aligned
  std::size_t size = 0;        ///< bytes
  /// The allocator of this block. The GPU renderer uses it to recognize blocks of its own pool, which need no
  /// copy.
  const HostMemory* origin = nullptr;
};

/// Allocates memory for a decoder's pictures and a CPU renderer's pictures. The GPU's HostMemory
/// uses mapped, host-cached buffers, so that a frame that is decoded into such a buffer needs no upload.
///
/// Thread-safety: acquire() may be called and blocks may be released on any thread.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// Returns a block of at least `size` bytes, or null if none is available. Never blocks. Blocks stay
  /// valid even if the HostMemory is destroyed before they are released.
  [[nodiscard]] virtual std::shared_ptr<const HostBlock> acquire(std::size_t size) = 0;
};

/// Creates a HostMemory that allocates from the heap and reuses returned blocks.
[[nodiscard]] std::unique_ptr<HostMemory> make_heap_memory();

}  // namespace glyphreel
