#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>

#include "base/result.h"
#include "gpu/handle.h"
#include "gpu/resource_state.h"

namespace glyphreel::gpu {

/// Where a buffer's memory lies.
enum class MemoryKind {
  Device,      ///< fast for the GPU, not mapped
  Upload,      ///< mapped, the host writes: in the GPU's own memory where that can be mapped
  HostCached,  ///< mapped, the host reads and writes at full speed
};

/// A buffer with memory of its own that remembers its last use.
struct Buffer {
  MemoryHandle memory;  // declared first: destroyed after the buffer
  BufferHandle handle;
  VkDeviceSize size = 0;
  std::byte* mapped = nullptr;  ///< null for MemoryKind::Device
  ResourceState state;

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(handle); }
};

/// `size` is rounded up to whole words. Errors: Failed where memory has run out.
[[nodiscard]] Result<Buffer> make_buffer(Device& device, std::size_t size, VkBufferUsageFlags usage,
                                         MemoryKind kind, const char* name);

/// The memory type for a resource, by falling preference; -1 where there is none.
[[nodiscard]] int choose_memory_type(const Device& device, std::uint32_t type_bits, MemoryKind kind);

}  // namespace glyphreel::gpu
