#include "gpu/resources/buffer.h"

#include <algorithm>

namespace glyphreel::gpu {
namespace {

/// Returns the preferred memory type available for a resource, or -1 if there is none.
int choose_memory_type(const Device& device, std::uint32_t type_bits, MemoryKind kind) {
  constexpr VkMemoryPropertyFlags Mapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  const VkMemoryPropertyFlags needed = kind == MemoryKind::Device ? 0 : Mapped;
  const VkMemoryPropertyFlags preferred = kind == MemoryKind::HostCached
                                              ? VK_MEMORY_PROPERTY_HOST_CACHED_BIT
                                              : VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  const int best = device.memory_type(type_bits, needed | preferred);
  return best >= 0 ? best : device.memory_type(type_bits, needed);
}

}  // namespace

Result<MemoryHandle> allocate_memory(Device& device, const VkMemoryRequirements& requirements,
                                     MemoryKind kind, const char* name, const void* next) {
  const int type = choose_memory_type(device, requirements.memoryTypeBits, kind);
  if (type < 0)
    return Error{ErrorCode::Failed, "The GPU has no memory of the required type; use --renderer cpu.", name};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.pNext = next;
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = static_cast<std::uint32_t>(type);
  MemoryHandle memory;
  VK_CREATE(device, memory, vkAllocateMemory, allocate);
  return memory;
}

Result<Buffer> make_buffer(Device& device, std::size_t size, VkBufferUsageFlags usage, MemoryKind kind,
                           const char* name) {
  Buffer buffer;
  buffer.size = std::max<VkDeviceSize>((size + 3) / 4 * 4, 4);
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = buffer.size;
  create.usage = usage;
  VK_CREATE(device, buffer.handle, vkCreateBuffer, create);
  buffer.handle.name(name);

  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device.handle(), buffer.handle.get(), &requirements);
  TRY_ASSIGN(buffer.memory, allocate_memory(device, requirements, kind, name));
  VK_TRY(device, vkBindBufferMemory(device.handle(), buffer.handle.get(), buffer.memory.get(), 0));
  if (kind != MemoryKind::Device) {
    void* mapped = nullptr;
    VK_TRY(device, vkMapMemory(device.handle(), buffer.memory.get(), 0, VK_WHOLE_SIZE, 0, &mapped));
    buffer.mapped = static_cast<std::byte*>(mapped);
  }
  return buffer;
}

}  // namespace glyphreel::gpu
