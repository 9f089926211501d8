#include "gpu/resources/image.h"

#include "gpu/resources/buffer.h"

namespace glyphreel::gpu {

namespace {

Result<ImageViewHandle> make_view(Device& device, VkImage image, VkFormat format, const char* name) {
  VkImageViewCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  create.image = image;
  create.viewType = VK_IMAGE_VIEW_TYPE_2D;
  create.format = format;
  create.subresourceRange = WholeImage;
  ImageViewHandle view;
  VK_CREATE(device, view, vkCreateImageView, create);
  view.name(name);
  return view;
}

}  // namespace

Result<Image> wrap_image(Device& device, VkImage handle, Extent size, VkFormat format, const char* name) {
  Image image{.handle = handle, .format = format, .size = size};
  device.debug().name(VK_OBJECT_TYPE_IMAGE, object_id(handle), name);
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
  Image image{.format = format, .size = size};
  VK_CREATE(device, image.owned, vkCreateImage, create);
  image.owned.name(name);
  image.handle = image.owned.get();

  VkMemoryRequirements requirements{};
  vkGetImageMemoryRequirements(device.handle(), image.handle, &requirements);
  TRY_ASSIGN(image.memory, allocate_memory(device, requirements, MemoryKind::Device, name));
  VK_TRY(device, vkBindImageMemory(device.handle(), image.handle, image.memory.get(), 0));
  if ((usage & VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT) != 0) {
    TRY_ASSIGN(image.view, make_view(device, image.handle, format, name));
  }
  return image;
}

}  // namespace glyphreel::gpu
