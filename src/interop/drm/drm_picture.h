#pragma once

#include <vulkan/vulkan.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/frame.h"
#include "base/result.h"

extern "C" {
#include <libavutil/hwcontext_drm.h>
}

namespace glyphreel::interop {

inline constexpr std::uint64_t LinearModifier = 0;                          ///< DRM_FORMAT_MOD_LINEAR
inline constexpr std::uint64_t UnknownModifier = 0x00FF'FFFF'FFFF'FFFFull;  ///< DRM_FORMAT_MOD_INVALID

/// Returns the number that DRM uses for a four-character code.
[[nodiscard]] constexpr std::uint32_t drm_code(std::string_view text) {
  std::uint32_t code = 0;
  for (std::uint32_t i = 0; i < 4; ++i) code |= std::uint32_t{static_cast<unsigned char>(text[i])} << (8 * i);
  return code;
}

/// One plane of a frame.
struct DrmPlane {
  struct Memory {
    std::size_t offset = 0;  ///< bytes from the object's start
    std::size_t pitch = 0;   ///< bytes from row to row
    bool operator==(const Memory&) const = default;
  };
  int object = 0;                            ///< index into the descriptor's objects
  std::uint64_t modifier = UnknownModifier;  ///< the format modifier of the memory object
  VkFormat format = VK_FORMAT_UNDEFINED;     ///< format of a texel; UNDEFINED: no Vulkan format matches
  Extent size;                               ///< texels
  std::vector<Memory> memory;                ///< the samples, then the modifier's compression data
  bool operator==(const DrmPlane&) const = default;
};

/// A DRM PRIME frame's planes, in the order of the FrameView's layout. Empty if the layout has no planes.
using DrmPicture = std::vector<DrmPlane>;

/// Describes the planes of a frame. `view` describes the visible part of the frame; `stored` is the size of
/// the whole decoded frame in pixels: the visible part, and the decoder's padding to whole blocks. Accepts
/// one layer per plane, one layer with several planes, and planes in different memory objects. Errors:
/// Failed, with a one-sentence message, if the descriptor's formats are unknown or contradict the view.
[[nodiscard]] Result<DrmPicture> describe_drm(const AVDRMFrameDescriptor& descriptor, const FrameView& view,
                                              Extent stored);

}  // namespace glyphreel::interop
