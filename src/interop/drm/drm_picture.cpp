#include "interop/drm/drm_picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "interop/surface/plane_extent.h"

namespace glyphreel::interop {
namespace {

/// The planes in a layer of one DRM format, with the size of their texels in bytes.
struct DrmFormat {
  std::uint32_t code;
  int bytes_per_sample;
  std::array<int, 3> texel_bytes;  ///< by plane; 0: there is none
  bool swapped = false;            ///< Cr's plane comes before Cb's
};

constexpr DrmFormat Formats[] = {
    // Separate layers, and gray.
    {drm_code("R8  "), 1, {1}},
    {drm_code("GR88"), 1, {2}},
    {drm_code("R10 "), 2, {2}},
    {drm_code("R12 "), 2, {2}},
    {drm_code("R16 "), 2, {2}},
    {drm_code("GR32"), 2, {4}},
    // Separate luma, interleaved chroma.
    {drm_code("NV12"), 1, {1, 2}},
    {drm_code("NV21"), 1, {1, 2}},
    {drm_code("NV16"), 1, {1, 2}},
    {drm_code("NV61"), 1, {1, 2}},
    {drm_code("NV24"), 1, {1, 2}},
    {drm_code("NV42"), 1, {1, 2}},
    {drm_code("P010"), 2, {2, 4}},
    {drm_code("P012"), 2, {2, 4}},
    {drm_code("P016"), 2, {2, 4}},
    {drm_code("P210"), 2, {2, 4}},
    // Three planes: YUV 4:1:0, 4:1:1, 4:2:0, 4:2:2, 4:4:4.
    {drm_code("YUV9"), 1, {1, 1, 1}},
    {drm_code("YVU9"), 1, {1, 1, 1}, true},
    {drm_code("YU11"), 1, {1, 1, 1}},
    {drm_code("YV11"), 1, {1, 1, 1}, true},
    {drm_code("YU12"), 1, {1, 1, 1}},
    {drm_code("YV12"), 1, {1, 1, 1}, true},
    {drm_code("YU16"), 1, {1, 1, 1}},
    {drm_code("YV16"), 1, {1, 1, 1}, true},
    {drm_code("YU24"), 1, {1, 1, 1}},
    {drm_code("YV24"), 1, {1, 1, 1}, true},
    // Packed. A texel of 4:2:2 is one luma sample and one sample of either chroma.
    {drm_code("YUYV"), 1, {2}},
    {drm_code("YVYU"), 1, {2}},
    {drm_code("UYVY"), 1, {2}},
    {drm_code("VYUY"), 1, {2}},
    {drm_code("RG24"), 1, {3}},
    {drm_code("BG24"), 1, {3}},
    {drm_code("XR24"), 1, {4}},
    {drm_code("XB24"), 1, {4}},
    {drm_code("RX24"), 1, {4}},
    {drm_code("BX24"), 1, {4}},
    {drm_code("AR24"), 1, {4}},
    {drm_code("AB24"), 1, {4}},
    {drm_code("RA24"), 1, {4}},
    {drm_code("BA24"), 1, {4}},
    {drm_code("XB48"), 2, {8}},
    {drm_code("AB48"), 2, {8}},
    {drm_code("XR48"), 2, {8}},
    {drm_code("AR48"), 2, {8}},
};

const DrmFormat* find_format(std::uint32_t code) {
  const auto* found = std::find_if(std::begin(Formats), std::end(Formats),
                                   [code](const DrmFormat& format) { return format.code == code; });
  return found == std::end(Formats) ? nullptr : found;
}

/// A texel of the plane: one sample of each of its components, in memory order.
struct Texel {
  int bytes = 0;
  int sample_bytes = 0;
  bool is_image = true;  ///< false if the components differ in their number of samples
  Extent size;
};

Texel texel_of(const PixelLayout& layout, int plane, Extent stored) {
  Texel texel{.sample_bytes = layout.bytes_per_sample};
  for (int c = 0; c < layout.component_count(); ++c) {
    const ComponentLayout& component = layout.components[static_cast<std::size_t>(c)];
    if (component.plane != plane) continue;
    const Extent size = {subsampled(stored.width, component.log2_subsampling_x),
                         subsampled(stored.height, component.log2_subsampling_y)};
    if (texel.bytes == 0 || component.step < texel.bytes) {
      texel.is_image = texel.bytes == 0;
      texel.bytes = component.step;
      texel.size = size;
    } else if (component.step != texel.bytes) {
      texel.is_image = false;
    }
  }
  return texel;
}

VkFormat image_format(const Texel& texel) {
  if (!texel.is_image) return VK_FORMAT_UNDEFINED;
  const bool is_byte = texel.sample_bytes == 1;
  switch (texel.bytes / texel.sample_bytes) {
    case 1:
      return is_byte ? VK_FORMAT_R8_UNORM : VK_FORMAT_R16_UNORM;
    case 2:
      return is_byte ? VK_FORMAT_R8G8_UNORM : VK_FORMAT_R16G16_UNORM;
    case 4:
      return is_byte ? VK_FORMAT_R8G8B8A8_UNORM : VK_FORMAT_R16G16B16A16_UNORM;
    default:
      return VK_FORMAT_UNDEFINED;
  }
}

std::string code_text(std::uint32_t code) {
  std::string text;
  for (int shift = 0; shift < 32; shift += 8) text += static_cast<char>(code >> shift & 0x7F);
  return text;
}

Error contradiction(std::uint32_t code) {
  return {ErrorCode::Failed,
          fmt::format("DRM frames of format {} cannot be imported: the format is unknown or not the one that "
                      "the decoder announced.",
                      code_text(code)),
          {}};
}

int plane_count(const PixelLayout& layout) {
  int count = 0;
  for (int c = 0; c < layout.component_count(); ++c) {
    count = std::max(count, layout.components[static_cast<std::size_t>(c)].plane + 1);
  }
  return count;
}

}  // namespace

Result<DrmPicture> describe_drm(const AVDRMFrameDescriptor& descriptor, const FrameView& view,
                                Extent stored) {
  const int planes = plane_count(view.layout);
  DrmPicture picture;
  bool swapped = false;
  for (int l = 0; l < std::min(descriptor.nb_layers, int{AV_DRM_MAX_PLANES}); ++l) {
    const AVDRMLayerDescriptor& layer = descriptor.layers[l];
    const DrmFormat* format = find_format(layer.format);
    if (format == nullptr || format->bytes_per_sample != view.layout.bytes_per_sample)
      return contradiction(layer.format);
    const auto described = std::count_if(format->texel_bytes.begin(), format->texel_bytes.end(),
                                         [](int bytes) { return bytes != 0; });
    // Planes beyond the format's own hold modifier metadata, which can be assigned only if the format has a
    // single plane.
    const int given = std::min(layer.nb_planes, int{AV_DRM_MAX_PLANES});
    if (given < described || (given > described && described != 1)) return contradiction(layer.format);
    for (int p = 0; p < static_cast<int>(described); ++p) {
      const Texel texel = texel_of(view.layout, static_cast<int>(picture.size()), stored);
      if (texel.bytes != format->texel_bytes[static_cast<std::size_t>(p)]) return contradiction(layer.format);
      DrmPlane plane{
          .object = layer.planes[p].object_index, .format = image_format(texel), .size = texel.size};
      if (plane.object < 0 || plane.object >= std::min(descriptor.nb_objects, int{AV_DRM_MAX_PLANES}))
        return contradiction(layer.format);
      plane.modifier = descriptor.objects[plane.object].format_modifier;
      for (int m = p; m < (described == 1 ? given : p + 1); ++m) {
        const AVDRMPlaneDescriptor& memory = layer.planes[m];
        if (memory.object_index != plane.object || memory.offset < 0 || memory.pitch < 0)
          return contradiction(layer.format);
        plane.memory.push_back(
            {static_cast<std::size_t>(memory.offset), static_cast<std::size_t>(memory.pitch)});
      }
      picture.push_back(std::move(plane));
    }
    swapped = swapped || format->swapped;
  }
  if (static_cast<int>(picture.size()) != planes) {
    return contradiction(descriptor.nb_layers > 0 ? descriptor.layers[0].format : 0);
  }
  if (swapped) std::swap(picture[1], picture[2]);
  return picture;
}

}  // namespace glyphreel::interop
