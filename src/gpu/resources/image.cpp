#include "gpu/resources/image.h"

#include "gpu/resources/buffer.h"

namespace glyphreel::gpu {

namespace {

Result<ImageViewHandle> make_view(Device& device, VkImage image, VkFormat format, const char* name) {
  VkImageViewCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  create.image = image;
  create.viewType = VK_IMAGE_VIEW_TYPE_2D;
  create.format = format;
  create.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  VkImageView handle = VK_NULL_HANDLE;
  VK_TRY(device, vkCreateImageView(device.handle(), &create, nullptr, &handle));
  ImageViewHandle view(device, handle);
  view.name(name);
  return view;
}

}  // namespace

Result<Image> wrap_image(Device& device, VkImage handle, Extent size, VkFormat format, const char* name) {
  Image image;
  image.handle = handle;
  image.format = format;
  image.size = size;
  device.name_object(VK_OBJECT_TYPE_IMAGE, object_id(handle), name);
  TRY_ASSIGN(image.view, make_view(device, handle, format, name));
  return image;
}

Result<Image> make_image(Device& device, Extent size, VkFormat format, VkImageUsageFlags usage,
                         const char* name) {
  VkImageCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  create.imageType = VK_IMAGE_TYPE_2D;
  create.format = format;
  create.extent = {static_cast<std::uint32_t>(size.width), static_cast<std::uint32_t>(size.height), 1};
  create.mipLevels = 1;
  create.arrayLayers = 1;
  create.samples = VK_SAMPLE_COUNT_1_BIT;
  create.tiling = VK_IMAGE_TILING_OPTIMAL;
  create.usage = usage;
  VkImage handle = VK_NULL_HANDLE;
  VK_TRY(device, vkCreateImage(device.handle(), &create, nullptr, &handle));
  ImageHandle owned(device, handle);

  VkMemoryRequirements requirements{};
  vkGetImageMemoryRequirements(device.handle(), handle, &requirements);
  const int type = choose_memory_type(device, requirements.memoryTypeBits, MemoryKind::Device);
  if (type < 0) return Error{ErrorCode::Failed, "The GPU has no memory of the required type.", name};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = static_cast<std::uint32_t>(type);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VK_TRY(device, vkAllocateMemory(device.handle(), &allocate, nullptr, &memory));
  MemoryHandle owned_memory(device, memory);
  VK_TRY(device, vkBindImageMemory(device.handle(), handle, memory, 0));

  Image image;
  image.handle = handle;
  image.format = format;
  image.size = size;
  owned.name(name);
  if ((usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) != 0) {
    TRY_ASSIGN(image.view, make_view(device, handle, format, name));
  }
  image.memory = std::move(owned_memory);
  image.owned = std::move(owned);
  return image;
}

}  // namespace glyphreel::gpu
