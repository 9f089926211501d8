#include "gpu/resources/buffer.h"

#include <algorithm>
#include <array>

namespace glyphreel::gpu {

int choose_memory_type(const Device& device, std::uint32_t type_bits, MemoryKind kind) {
  constexpr VkMemoryPropertyFlags Mapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::array<VkMemoryPropertyFlags, 2> preferences{};
  switch (kind) {
    case MemoryKind::Device:
      preferences = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0};
      break;
    case MemoryKind::Upload:
      preferences = {Mapped | VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, Mapped};
      break;
    case MemoryKind::HostCached:
      preferences = {Mapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT, Mapped};
      break;
  }
  const int best = device.memory_type(type_bits, preferences[0]);
  return best >= 0 ? best : device.memory_type(type_bits, preferences[1]);
}

Result<Buffer> make_buffer(Device& device, std::size_t size, VkBufferUsageFlags usage, MemoryKind kind,
                           const char* name) {
  Buffer buffer;
  buffer.size = std::max<VkDeviceSize>((size + 3) / 4 * 4, 4);
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.size = buffer.size;
  create.usage = usage;
  VkBuffer handle = VK_NULL_HANDLE;
  VK_TRY(device, vkCreateBuffer(device.handle(), &create, nullptr, &handle));
  buffer.handle = BufferHandle(device, handle);
  buffer.handle.name(name);

  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device.handle(), handle, &requirements);
  const int type = choose_memory_type(device, requirements.memoryTypeBits, kind);
  if (type < 0) return Error{ErrorCode::Failed, "The GPU has no memory of the required type.", name};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = static_cast<std::uint32_t>(type);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VK_TRY(device, vkAllocateMemory(device.handle(), &allocate, nullptr, &memory));
  buffer.memory = MemoryHandle(device, memory);
  VK_TRY(device, vkBindBufferMemory(device.handle(), handle, memory, 0));
  if (kind != MemoryKind::Device) {
    void* mapped = nullptr;
    VK_TRY(device, vkMapMemory(device.handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped));
    buffer.mapped = static_cast<std::byte*>(mapped);
  }
  return buffer;
}

}  // namespace glyphreel::gpu
