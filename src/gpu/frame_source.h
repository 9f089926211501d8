#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/frame.h"
#include "base/host_memory.h"
#include "base/result.h"

namespace glyphreel::gpu {

/// A frame's planes where shaders can read them.
struct FrameBuffer {
  VkBuffer buffer = VK_NULL_HANDLE;
  std::array<std::size_t, 4> plane_offsets{};  ///< bytes from the buffer's start to each plane's first sample
  std::array<std::ptrdiff_t, 4> strides{};     ///< bytes from row to row, never negative
  std::uint64_t bytes_copied = 0;              ///< by the host to get here
  std::shared_ptr<const void> owner;           ///< keeps the buffer and its content alive while the GPU reads
};

/// Brings frames to the GPU: what the renderer needs of the import room, which lies above it.
/// Thread-safety: one thread at a time.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Never waits for the GPU. Errors: Failed where no memory is left for a copy.
  [[nodiscard]] virtual Result<FrameBuffer> bring(const Frame& frame) = 0;
  /// Where a decoder puts frames so that they need no copy; null: nowhere.
  [[nodiscard]] virtual HostMemory* memory() = 0;
};

}  // namespace glyphreel::gpu
