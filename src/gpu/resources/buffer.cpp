#include "gpu/resources/buffer.h"

#include <algorithm>

#include <fmt/format.h>

namespace glyphreel::gpu {
namespace {

std::vector<std::uint32_t> types_for(const Device& device, std::uint32_t type_bits, MemoryKind kind) {
  constexpr VkMemoryPropertyFlags Mapped =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  if (kind == MemoryKind::Shared)
    return device.memory_types(type_bits, device.memory_policy().shared_memory());
  return device.memory_types(type_bits, kind == MemoryKind::Device ? 0 : Mapped,
                             VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

}  // namespace

Result<MemoryHandle> allocate_memory(Device& device, const VkMemoryRequirements& requirements,
                                     MemoryKind kind, const char* name, const void* next) {
  const std::vector<std::uint32_t> types = types_for(device, requirements.memoryTypeBits, kind);
  // If the heap of the preferred memory type is full (a discrete GPU's mappable memory is often small), try
  // the other types.
  VkResult result = VK_SUCCESS;
  for (const std::uint32_t type : types) {
    VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    allocate.pNext = next;
    allocate.allocationSize = requirements.size;
    allocate.memoryTypeIndex = type;
    MemoryHandle memory;
    result = memory.create(device, vkAllocateMemory, allocate);
    if (result == VK_SUCCESS) return memory;
    if (result != VK_ERROR_OUT_OF_DEVICE_MEMORY && result != VK_ERROR_OUT_OF_HOST_MEMORY) break;
  }
  if (types.empty())
    return Error{ErrorCode::Failed, "The GPU has no memory of the required type; use --renderer cpu.", name};
  return device.fail(result, "vkAllocateMemory");
}

Result<Buffer> make_buffer(Device& device, std::size_t size, VkBufferUsageFlags usage, MemoryKind kind,
                           const char* name) {
  Buffer buffer;
  buffer.size = std::max<VkDeviceSize>((size + 3) / 4 * 4, 4);
  const VkDeviceSize limit = device.properties().limits.maxStorageBufferRange;
  if ((usage & VK_BUFFER_USAGE_STORAGE_BUFFER_BIT) != 0 && buffer.size > limit) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} cannot render at this size; choose a smaller size, or use --renderer cpu.",
                             device.name()),
                 fmt::format("the buffer \"{}\" of {} bytes exceeds the limit of {}", name, size, limit)};
  }
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
