#pragma once

#include <vulkan/vulkan.h>

#include <cstddef>

#include "base/result.h"
#include "gpu/device/handle.h"
#include "gpu/resources/resource_state.h"

namespace glyphreel::gpu {

/// Which memory a buffer is allocated from.
enum class MemoryKind {
  Device,  ///< fast for the GPU, not mapped
  Upload,  ///< mapped, written by the host; in the GPU's own memory if the host can map it
  Shared,  ///< mapped, for frames and pictures: MemoryPolicy says how the host may use it
};

/// A buffer with its own memory. `state` tracks how the buffer was last used.
struct Buffer {
  MemoryHandle memory;  // declared first: destroyed after the buffer
  BufferHandle handle;
  VkDeviceSize size = 0;
  std::byte* mapped = nullptr;  ///< null for MemoryKind::Device
  ResourceState state;

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(handle); }
};

/// Creates a buffer; `size` is rounded up to a multiple of 4 bytes. Errors: Usage if a storage buffer would
/// be larger than shaders can access on this device; Failed if memory is exhausted.
[[nodiscard]] Result<Buffer> make_buffer(Device& device, std::size_t size, VkBufferUsageFlags usage,
                                         MemoryKind kind, const char* name);

/// Allocates memory for the resource called `name`. `next`: a pNext chain. Errors: Failed if memory is
/// exhausted.
[[nodiscard]] Result<MemoryHandle> allocate_memory(Device& device, const VkMemoryRequirements& requirements,
                                                   MemoryKind kind, const char* name,
                                                   const void* next = nullptr);

}  // namespace glyphreel::gpu
