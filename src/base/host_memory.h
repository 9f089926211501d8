#pragma once

#include <cstddef>
#include <memory>

namespace glyphreel {

class HostMemory;

/// A block of host memory that several parts read and write in turn. Returned to its HostMemory when the last
/// shared_ptr goes, on whichever thread that happens.
struct HostBlock {
  std::byte* bytes = nullptr;  ///< 64-byte aligned
  std::size_t size = 0;        ///< bytes
  const HostMemory* origin =
      nullptr;  ///< who made it: the GPU renderer reads blocks of its own pool in place
};

/// Where a decoder's pictures and a CPU renderer's pictures are put. The GPU room implements it with mapped,
/// host-cached buffers, so that a frame decoded into it needs no upload.
/// Thread-safety: acquire() and the release of a block may happen on any thread.
class HostMemory {
 public:
  virtual ~HostMemory() = default;
  /// A block of at least `size` bytes, or null where none can be had. Never blocks. The HostMemory's state
  /// lives until the last of its blocks is gone, whatever happens to the HostMemory itself.
  [[nodiscard]] virtual std::shared_ptr<const HostBlock> acquire(std::size_t size) = 0;
};

/// Ordinary heap memory, recycled.
[[nodiscard]] std::unique_ptr<HostMemory> make_heap_memory();

}  // namespace glyphreel
