#include "interop/drm/drm_import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/io/file_descriptor.h"
#include "base/io/log.h"
#include "gpu/device/loader.h"
#include "gpu/device/vulkan_result.h"
#include "interop/surface/plane_extent.h"
#include "interop/surface/texel_format.h"

namespace glyphreel::interop {
namespace {

constexpr VkExternalMemoryHandleTypeFlagBits DmaBuf = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT;

/// A surface that was not used for this many frames is assumed to belong to a pool that no longer exists.
constexpr std::uint64_t ForgottenAfter = 2 * DrmImport::MaxKept;

Error refused(std::string sentence, std::string cause = {}) {
  return {ErrorCode::Failed, std::move(sentence), std::move(cause)};
}

std::size_t size_of(const AVDRMObjectDescriptor& object) {
  if (object.size > 0) return object.size;
  const off_t end = lseek(object.fd, 0, SEEK_END);
  return end > 0 ? static_cast<std::size_t>(end) : 0;
}

/// Returns the size of the whole decoded frame in pixels: the visible part, and the decoder's padding to
/// whole blocks.
Extent stored_extent(const AVFrame& frame, const FrameView& view) {
  Extent stored = {frame.width, frame.height};
  if (frame.hw_frames_ctx != nullptr) {
    const auto* frames = reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data);
    stored = {std::max(stored.width, frames->width), std::max(stored.height, frames->height)};
  }
  return {std::max(stored.width, view.size.width), std::max(stored.height, view.size.height)};
}

bool is_linear(const DrmPlane& plane) {
  return plane.modifier == LinearModifier || plane.modifier == UnknownModifier;
}

/// Whether a plane's rows are inside the memory object. Needed because Vulkan drivers do not check the offset
/// and the pitch.
bool lies_inside(const DrmPlane& plane, std::size_t size) {
  const DrmPlane::Memory& memory = plane.memory.front();
  const std::size_t row =
      static_cast<std::size_t>(plane.size.width) * static_cast<std::size_t>(texel_of(plane.format).bytes());
  const std::size_t rows_above = static_cast<std::size_t>(plane.size.height) - 1;
  if (memory.pitch < row || memory.offset > size || row > size - memory.offset) return false;
  return rows_above <= (size - memory.offset - row) / memory.pitch;
}

VkImageCreateInfo image_description(const DrmPlane& plane) {
  VkImageCreateInfo create{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  create.imageType = VK_IMAGE_TYPE_2D;
  create.format = plane.format;
  create.extent = {static_cast<std::uint32_t>(plane.size.width),
                   static_cast<std::uint32_t>(plane.size.height), 1};
  create.mipLevels = 1;
  create.arrayLayers = 1;
  create.samples = VK_SAMPLE_COUNT_1_BIT;
  create.tiling = VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT;
  create.usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  return create;
}

std::vector<VkDrmFormatModifierPropertiesEXT> list_modifiers(const gpu::Device& device, VkFormat format) {
  VkDrmFormatModifierPropertiesListEXT list{VK_STRUCTURE_TYPE_DRM_FORMAT_MODIFIER_PROPERTIES_LIST_EXT};
  VkFormatProperties2 properties{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2};
  properties.pNext = &list;
  vkGetPhysicalDeviceFormatProperties2(device.physical(), format, &properties);
  std::vector<VkDrmFormatModifierPropertiesEXT> modifiers(list.drmFormatModifierCount);
  list.pDrmFormatModifierProperties = modifiers.data();
  vkGetPhysicalDeviceFormatProperties2(device.physical(), format, &properties);
  return modifiers;
}

/// Whether images with this modifier have a single memory plane (no compression data), and shaders can sample
/// them.
bool is_plain(const VkDrmFormatModifierPropertiesEXT& modifier) {
  return modifier.drmFormatModifierPlaneCount == 1 &&
         (modifier.drmFormatModifierTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
}

}  // namespace

std::vector<std::uint64_t> DrmImport::importable_modifiers(const gpu::Device& device, VkFormat luma,
                                                           VkFormat chroma) {
  std::vector<std::uint64_t> shared;
  if (!device.has(VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME)) return shared;
  const auto of_chroma = list_modifiers(device, chroma);
  for (const VkDrmFormatModifierPropertiesEXT& each : list_modifiers(device, luma)) {
    const auto same = std::ranges::find(of_chroma, each.drmFormatModifier,
                                        &VkDrmFormatModifierPropertiesEXT::drmFormatModifier);
    if (same != of_chroma.end() && is_plain(each) && is_plain(*same))
      shared.push_back(each.drmFormatModifier);
  }
  return shared;
}

std::unique_ptr<DrmImport> DrmImport::make(std::shared_ptr<gpu::Device> device) {
  if (!device->has(VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) ||
      !device->has(VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME)) {
    return nullptr;
  }
  std::unique_ptr<DrmImport> made(new DrmImport(std::move(device)));
  return made->fd_properties_ != nullptr ? std::move(made) : nullptr;
}

DrmImport::DrmImport(std::shared_ptr<gpu::Device> device)
    : device_(std::move(device)),
      fences_(device_),
      fd_properties_(gpu::device_function<PFN_vkGetMemoryFdPropertiesKHR>(device_->handle(),
                                                                          "vkGetMemoryFdPropertiesKHR")),
      owner_family_(device_->has(VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME) ? VK_QUEUE_FAMILY_FOREIGN_EXT
                                                                             : VK_QUEUE_FAMILY_EXTERNAL) {}

DrmImport::~DrmImport() = default;

bool DrmImport::supports(const AVFrame& frame) const {
  return frame.format == AV_PIX_FMT_DRM_PRIME && frame.data[0] != nullptr;
}

Result<gpu::GpuFrame> DrmImport::import_frame(const AVFrame& frame, const FrameView& view) {
  return import_frame(*reinterpret_cast<const AVDRMFrameDescriptor*>(frame.data[0]), frame, view,
                      Unknown::IsLinear);
}

Result<gpu::GpuFrame> DrmImport::import_frame(const AVDRMFrameDescriptor& descriptor, const AVFrame& frame,
                                              const FrameView& view, Unknown unknown) {
  TRY_ASSIGN(DrmPicture picture, describe_drm(descriptor, view, stored_extent(frame, view)));
  const bool has_unknown = std::ranges::count(picture, UnknownModifier, &DrmPlane::modifier) > 0;
  if (has_unknown && unknown == Unknown::Refused) {
    return refused("The decoder does not report how its frames are tiled.");
  }
  TRY_ASSIGN(const std::shared_ptr<Surface> surface,
             find_or_import(descriptor, std::move(picture), frame.crop_left == 0 && frame.crop_top == 0));

  gpu::GpuFrame imported;
  for (std::size_t p = 0; p < surface->images.size(); ++p) {
    imported.plane_views[p] = surface->images[p].view.get();
    imported.images.push_back(&surface->images[p]);
  }
  if (surface->images.empty()) {
    imported.buffer = surface->buffer.get();
    imported.owner_family = owner_family_;
    for (std::size_t p = 0; p < surface->picture.size(); ++p) {
      const DrmPlane::Memory& memory = surface->picture[p].memory.front();
      const CropOffset crop = crop_offset(view.layout, p, frame.crop_left, frame.crop_top);
      imported.plane_offsets[p] = memory.offset + crop.y * memory.pitch + crop.x_bytes;
      imported.strides[p] = static_cast<std::ptrdiff_t>(memory.pitch);
      if (memory.pitch < plane_extent(view, p).row_bytes ||
          !can_walk(view, p, imported.plane_offsets[p], memory.pitch, surface->buffer_size)) {
        return refused("The decoder's frames extend beyond their memory or are misaligned.");
      }
    }
  }
  imported.owner = surface;
  for (int object = 0; object < descriptor.nb_objects; ++object) {
    fences_.add_to(imported, descriptor.objects[object].fd);
  }
  return imported;
}

Result<std::shared_ptr<DrmImport::Surface>> DrmImport::find_or_import(const AVDRMFrameDescriptor& descriptor,
                                                                      DrmPicture picture, bool want_images) {
  ++frame_number_;
  std::vector<Memory> objects;
  for (int object = 0; object < descriptor.nb_objects; ++object) {
    struct stat status {};
    if (fstat(descriptor.objects[object].fd, &status) != 0) {
      return refused("The decoder's frames are in memory that cannot be shared.", std::strerror(errno));
    }
    objects.emplace_back(status.st_dev, status.st_ino);
  }
  const auto known = std::find_if(kept_.begin(), kept_.end(), [&](const std::shared_ptr<Surface>& kept) {
    return kept->objects == objects && kept->picture == picture && (want_images || kept->images.empty());
  });
  if (known != kept_.end()) {
    (*known)->last_used = frame_number_;
    return *known;
  }

  make_room(picture);
  auto surface = std::make_shared<Surface>();
  surface->picture = std::move(picture);
  surface->objects = std::move(objects);
  surface->last_used = frame_number_;
  Result<void> made = refused("Cropped frames can be imported only as linear buffers.");
  if (want_images) {
    made = {};
    for (const DrmPlane& plane : surface->picture) {
      Result<gpu::Image> image = import_image(descriptor, plane);
      if (!image) {
        made = std::move(image.error());
        break;
      }
      surface->images.push_back(*std::move(image));
    }
  }
  if (!made) {
    surface->images.clear();
    if (!std::ranges::all_of(surface->picture, is_linear)) return std::move(made.error());
    TRY(import_buffer(descriptor, *surface));
    log::debug("A dma-buf is read as a buffer: {} {}", made.error().message, made.error().cause);
  }
  kept_.push_back(surface);
  ++imported_;
  return surface;
}

void DrmImport::make_room(const DrmPicture& picture) {
  // Releases the surfaces that have not been used for a long time or whose planes differ from `picture` in
  // number, size, format or modifier. They belong to an earlier pool of the decoder, which no longer exists.
  const auto is_forgotten = [&](const std::shared_ptr<Surface>& kept) {
    if (frame_number_ - kept->last_used > ForgottenAfter || kept->picture.size() != picture.size())
      return true;
    return !std::equal(picture.begin(), picture.end(), kept->picture.begin(),
                       [](const DrmPlane& a, const DrmPlane& b) {
                         return a.modifier == b.modifier && a.format == b.format && a.size == b.size;
                       });
  };
  std::erase_if(kept_, is_forgotten);
  if (kept_.size() < MaxKept) return;
  const auto last_use = [](const std::shared_ptr<Surface>& kept) { return kept->last_used; };
  kept_.erase(std::ranges::min_element(kept_, {}, last_use));
}

Result<void> DrmImport::check_image_format(const DrmPlane& plane) const {
  const VkFormat format = plane.format;
  if (format == VK_FORMAT_UNDEFINED) return refused("No Vulkan image format matches the decoder's frames.");
  if (plane.modifier == UnknownModifier) return refused("The tiling of the decoder's frames is unknown.");
  if (!device_->has(VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME)) {
    return refused(
        "The GPU driver cannot import tiled frames because it lacks VK_EXT_image_drm_format_modifier.");
  }
  const std::vector<VkDrmFormatModifierPropertiesEXT> modifiers = list_modifiers(*device_, format);
  const auto known =
      std::ranges::find(modifiers, plane.modifier, &VkDrmFormatModifierPropertiesEXT::drmFormatModifier);
  const Error unsupported =
      refused("The GPU driver cannot read frames with this tiling.",
              fmt::format("format {}, modifier {:#x}", static_cast<int>(format), plane.modifier));
  if (known == modifiers.end() || known->drmFormatModifierPlaneCount != plane.memory.size() ||
      (known->drmFormatModifierTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) == 0) {
    return unsupported;
  }
  VkPhysicalDeviceImageDrmFormatModifierInfoEXT modifier{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_DRM_FORMAT_MODIFIER_INFO_EXT};
  modifier.drmFormatModifier = plane.modifier;
  modifier.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkPhysicalDeviceExternalImageFormatInfo external{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO};
  external.pNext = &modifier;
  external.handleType = DmaBuf;
  VkPhysicalDeviceImageFormatInfo2 info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2};
  const VkImageCreateInfo create = image_description(plane);
  info.pNext = &external;
  info.format = create.format;
  info.type = create.imageType;
  info.tiling = create.tiling;
  info.usage = create.usage;
  VkExternalImageFormatProperties external_properties{VK_STRUCTURE_TYPE_EXTERNAL_IMAGE_FORMAT_PROPERTIES};
  VkImageFormatProperties2 image_properties{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2};
  image_properties.pNext = &external_properties;
  const VkResult result =
      vkGetPhysicalDeviceImageFormatProperties2(device_->physical(), &info, &image_properties);
  const VkExtent3D& largest = image_properties.imageFormatProperties.maxExtent;
  if (result != VK_SUCCESS || create.extent.width > largest.width || create.extent.height > largest.height ||
      (external_properties.externalMemoryProperties.externalMemoryFeatures &
       VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) == 0) {
    return unsupported;
  }
  return {};
}

Result<gpu::Image> DrmImport::import_image(const AVDRMFrameDescriptor& descriptor, const DrmPlane& plane) {
  TRY(check_image_format(plane));
  const AVDRMObjectDescriptor& object = descriptor.objects[plane.object];
  if (plane.modifier == LinearModifier && !lies_inside(plane, size_of(object))) {
    return refused("The decoder's frames extend beyond their memory.");
  }
  std::array<VkSubresourceLayout, AV_DRM_MAX_PLANES> layouts{};
  for (std::size_t m = 0; m < plane.memory.size(); ++m) {
    layouts[m].offset = plane.memory[m].offset;
    layouts[m].rowPitch = plane.memory[m].pitch;
  }
  VkImageDrmFormatModifierExplicitCreateInfoEXT modifier{
      VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT};
  modifier.drmFormatModifier = plane.modifier;
  modifier.drmFormatModifierPlaneCount = static_cast<std::uint32_t>(plane.memory.size());
  modifier.pPlaneLayouts = layouts.data();
  VkExternalMemoryImageCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_IMAGE_CREATE_INFO};
  external.pNext = &modifier;
  external.handleTypes = DmaBuf;
  VkImageCreateInfo create = image_description(plane);
  create.pNext = &external;
  gpu::ImageHandle owned;
  VK_CREATE(*device_, owned, vkCreateImage, create);

  VkMemoryDedicatedRequirements dedicated_requirements{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS};
  VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
  requirements.pNext = &dedicated_requirements;
  VkImageMemoryRequirementsInfo2 question{VK_STRUCTURE_TYPE_IMAGE_MEMORY_REQUIREMENTS_INFO_2};
  question.image = owned.get();
  vkGetImageMemoryRequirements2(device_->handle(), &question, &requirements);
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.image = owned.get();
  const bool is_dedicated = dedicated_requirements.requiresDedicatedAllocation == VK_TRUE ||
                            dedicated_requirements.prefersDedicatedAllocation == VK_TRUE;
  TRY_ASSIGN(gpu::MemoryHandle memory,
             import_memory(object.fd, requirements.memoryRequirements, is_dedicated ? &dedicated : nullptr));
  VK_TRY(*device_, vkBindImageMemory(device_->handle(), owned.get(), memory.get(), 0));
  TRY_ASSIGN(gpu::Image image,
             gpu::wrap_image(*device_, owned.get(), plane.size, plane.format, "dma-buf plane"));
  image.memory = std::move(memory);
  image.owned = std::move(owned);
  // The image has this layout while a queue family outside this device (`owner_family_`) owns it.
  image.layout = VK_IMAGE_LAYOUT_GENERAL;
  image.owner_family = owner_family_;
  return image;
}

Result<void> DrmImport::import_buffer(const AVDRMFrameDescriptor& descriptor, Surface& surface) {
  const auto first = static_cast<std::size_t>(surface.picture.front().object);
  for (const DrmPlane& plane : surface.picture) {
    if (surface.objects[static_cast<std::size_t>(plane.object)] != surface.objects[first]) {
      return refused("The decoder's frames span several memory objects and cannot be imported as images.");
    }
  }
  VkPhysicalDeviceExternalBufferInfo info{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  info.handleType = DmaBuf;
  VkExternalBufferProperties properties{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
  vkGetPhysicalDeviceExternalBufferProperties(device_->physical(), &info, &properties);
  const AVDRMObjectDescriptor& object = descriptor.objects[first];
  // Shaders read whole words, so the buffer contains only whole words.
  surface.buffer_size = size_of(object) / 4 * 4;
  if ((properties.externalMemoryProperties.externalMemoryFeatures &
       VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) == 0 ||
      surface.buffer_size == 0 || surface.buffer_size > device_->properties().limits.maxStorageBufferRange) {
    return refused("The GPU driver cannot import memory of this type or size.");
  }
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO};
  external.handleTypes = DmaBuf;
  VkBufferCreateInfo create{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  create.pNext = &external;
  create.size = surface.buffer_size;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  VK_CREATE(*device_, surface.buffer, vkCreateBuffer, create);
  surface.buffer.name("dma-buf");
  VkMemoryRequirements requirements{};
  vkGetBufferMemoryRequirements(device_->handle(), surface.buffer.get(), &requirements);
  VkMemoryDedicatedAllocateInfo dedicated{VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO};
  dedicated.buffer = surface.buffer.get();
  const bool is_dedicated = (properties.externalMemoryProperties.externalMemoryFeatures &
                             VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0;
  TRY_ASSIGN(surface.memory, import_memory(object.fd, requirements, is_dedicated ? &dedicated : nullptr));
  VK_TRY(*device_, vkBindBufferMemory(device_->handle(), surface.buffer.get(), surface.memory.get(), 0));
  return {};
}

Result<gpu::MemoryHandle> DrmImport::import_memory(int dma_buf, const VkMemoryRequirements& requirements,
                                                   const VkMemoryDedicatedAllocateInfo* dedicated) {
  VkMemoryFdPropertiesKHR properties{VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR};
  VK_TRY(*device_, fd_properties_(device_->handle(), DmaBuf, dma_buf, &properties));
  const std::vector<std::uint32_t> types =
      device_->memory_types(requirements.memoryTypeBits & properties.memoryTypeBits, 0);
  if (types.empty()) return refused("The GPU cannot access the memory of the decoder's frames.");

  VkImportMemoryFdInfoKHR import{VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR};
  import.pNext = dedicated;
  import.handleType = DmaBuf;
  FileDescriptor file(fcntl(dma_buf, F_DUPFD_CLOEXEC, 0));
  import.fd = file.number();
  if (!file.is_open())
    return refused("A frame's file descriptor cannot be duplicated.", std::strerror(errno));
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.pNext = &import;
  allocate.allocationSize = requirements.size;
  allocate.memoryTypeIndex = types.front();
  gpu::MemoryHandle memory;
  const VkResult result = memory.create(*device_, vkAllocateMemory, allocate);
  if (result != VK_SUCCESS) return device_->fail(result, "vkAllocateMemory of a dma-buf");
  static_cast<void>(file.release());  // the driver owns the descriptor now
  return memory;
}

}  // namespace glyphreel::interop
