#pragma once

#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>

namespace glyphreel::interop {

/// An image format in which each texel holds one to four interleaved samples, one in each channel.
struct TexelFormat {
  VkFormat format = VK_FORMAT_UNDEFINED;
  int channels = 0;
  int bytes_per_channel = 0;
  bool blue_first = false;  ///< the first byte is the blue channel
  [[nodiscard]] constexpr int bytes() const { return channels * bytes_per_channel; }
};

inline constexpr auto TexelFormats = std::to_array<TexelFormat>({{VK_FORMAT_R8_UNORM, 1, 1},
                                                                 {VK_FORMAT_R8G8_UNORM, 2, 1},
                                                                 {VK_FORMAT_R8G8B8_UNORM, 3, 1},
                                                                 {VK_FORMAT_R8G8B8A8_UNORM, 4, 1},
                                                                 {VK_FORMAT_B8G8R8_UNORM, 3, 1, true},
                                                                 {VK_FORMAT_B8G8R8A8_UNORM, 4, 1, true},
                                                                 {VK_FORMAT_R16_UNORM, 1, 2},
                                                                 {VK_FORMAT_R16G16_UNORM, 2, 2},
                                                                 {VK_FORMAT_R16G16B16_UNORM, 3, 2},
                                                                 {VK_FORMAT_R16G16B16A16_UNORM, 4, 2}});

/// Returns the entry of TexelFormats for `format`; a TexelFormat with 0 channels if there is none.
[[nodiscard]] inline TexelFormat texel_of(VkFormat format) {
  const auto* known = std::ranges::find(TexelFormats, format, &TexelFormat::format);
  return known != TexelFormats.end() ? *known : TexelFormat{};
}

}  // namespace glyphreel::interop
