#include "interop/drm/drm_picture.h"

#include <algorithm>

#include <fmt/format.h>

#include "interop/surface/plane_extent.h"
#include "interop/surface/texel_format.h"

namespace glyphreel::interop {
namespace {

/// A group of DRM formats whose layers have the same planes, with the same texel sizes.
struct DrmFormat {
  std::string_view codes;  ///< the formats' codes, four characters each
  int bytes_per_sample;
  std::array<int, 3> texel_bytes;  ///< by plane; 0: no such plane
  bool swapped = false;            ///< the Cr plane comes before the Cb plane
};

constexpr DrmFormat Formats[] = {
    // One plane: a gray frame, or one plane of a frame that has one layer per plane.
    {"R8  ", 1, {1}},
    {"R10 R12 R16 ", 2, {2}},
    {"GR88", 1, {2}},
    {"GR32", 2, {4}},
    // Two planes: luma, and interleaved chroma.
    {"NV12NV21NV16NV61NV24NV42", 1, {1, 2}},
    {"P010P012P016P210", 2, {2, 4}},
    // Three planes: YUV 4:1:0, 4:1:1, 4:2:0, 4:2:2, 4:4:4.
    {"YUV9YU11YU12YU16YU24", 1, {1, 1, 1}},
    {"YVU9YV11YV12YV16YV24", 1, {1, 1, 1}, true},
    // Packed. A 4:2:2 texel is one luma sample and one chroma sample, alternately of Cb and Cr.
    {"YUYVYVYUUYVYVYUY", 1, {2}},
    {"RG24BG24", 1, {3}},
    {"XR24XB24RX24BX24AR24AB24RA24BA24", 1, {4}},
    {"XB48AB48XR48AR48", 2, {8}},
};

const DrmFormat* find_format(std::uint32_t code) {
  for (const DrmFormat& format : Formats) {
    for (std::size_t at = 0; at < format.codes.size(); at += 4) {
      if (drm_code(format.codes.substr(at, 4)) == code) return &format;
    }
  }
  return nullptr;
}

/// A texel of a plane: one sample of each of the plane's components, in memory order.
struct Texel {
  int bytes = 0;
  bool is_uniform = true;  ///< false if the components are subsampled differently (4:2:2)
  Extent size;
};

Texel texel_of(const PixelLayout& layout, std::size_t plane, Extent stored) {
  Texel texel;
  for (const ComponentLayout& component : components_of(layout)) {
    if (component.plane != plane) continue;
    const Extent size = {subsampled(stored.width, component.log2_subsampling_x),
                         subsampled(stored.height, component.log2_subsampling_y)};
    if (texel.bytes == 0 || component.step < texel.bytes) {
      texel.is_uniform = texel.bytes == 0;
      texel.bytes = component.step;
      texel.size = size;
    } else if (component.step != texel.bytes) {
      texel.is_uniform = false;
    }
  }
  return texel;
}

VkFormat image_format(const Texel& texel, int sample_bytes) {
  const auto matches = [&](const TexelFormat& format) {
    return format.bytes() == texel.bytes && format.bytes_per_channel == sample_bytes &&
           format.channels != 3 && !format.blue_first;
  };
  const auto* known = std::ranges::find_if(TexelFormats, matches);
  return texel.is_uniform && known != TexelFormats.end() ? known->format : VK_FORMAT_UNDEFINED;
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

}  // namespace

Result<DrmPicture> describe_drm(const AVDRMFrameDescriptor& descriptor, const FrameView& view,
                                Extent stored) {
  DrmPicture picture;
  bool swapped = false;
  for (int l = 0; l < std::min(descriptor.nb_layers, int{AV_DRM_MAX_PLANES}); ++l) {
    const AVDRMLayerDescriptor& layer = descriptor.layers[l];
    const DrmFormat* format = find_format(layer.format);
    if (format == nullptr || format->bytes_per_sample != view.layout.bytes_per_sample)
      return contradiction(layer.format);
    const auto described = std::count_if(format->texel_bytes.begin(), format->texel_bytes.end(),
                                         [](int bytes) { return bytes != 0; });
    // Planes beyond those of the format contain the modifier's metadata. If the format has several planes, it
    // is unknown to which plane the metadata belongs, so refuse the frame.
    const int given = std::min(layer.nb_planes, int{AV_DRM_MAX_PLANES});
    if (given < described || (given > described && described != 1)) return contradiction(layer.format);
    for (int p = 0; p < static_cast<int>(described); ++p) {
      const Texel texel = texel_of(view.layout, picture.size(), stored);
      if (texel.bytes != format->texel_bytes[static_cast<std::size_t>(p)]) return contradiction(layer.format);
      DrmPlane plane{.object = layer.planes[p].object_index,
                     .format = image_format(texel, view.layout.bytes_per_sample),
                     .size = texel.size};
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
  if (picture.size() != plane_count(view.layout)) {
    return contradiction(descriptor.nb_layers > 0 ? descriptor.layers[0].format : 0);
  }
  if (swapped) std::swap(picture[1], picture[2]);
  return picture;
}

}  // namespace glyphreel::interop
