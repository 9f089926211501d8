#include "gpu/presentation/surface_pixels.h"

#include <algorithm>

#include "base/result.h"

namespace glyphreel::gpu {
namespace {

std::uint32_t red_and_blue_swapped(std::uint32_t pixel) {
  return (pixel & 0xFF00FF00u) | ((pixel >> 16) & 0xFFu) | ((pixel & 0xFFu) << 16);
}

/// Returns the pixel with 10 bits per color channel and full opacity. Keeps the order of the color channels.
std::uint32_t ten_bits(std::uint32_t pixel) {
  // Scales a channel by 1023 / 255 and rounds to the nearest integer, like shaders/draw_glyphs.frag.
  const auto scaled = [pixel](int shift) { return ((pixel >> shift & 0xFFu) * 1023u + 127u) / 255u; };
  return 3u << 30 | scaled(16) << 20 | scaled(8) << 10 | scaled(0);
}

}  // namespace

void convert_pixels(std::span<const std::uint32_t> bgra, VkFormat format, std::span<std::uint32_t> out) {
  const auto convert = [&](auto function) { std::ranges::transform(bgra, out.begin(), function); };
  switch (format) {
    case VK_FORMAT_B8G8R8A8_UNORM:
      return convert([](std::uint32_t pixel) { return pixel; });
    case VK_FORMAT_R8G8B8A8_UNORM:
    case VK_FORMAT_A8B8G8R8_UNORM_PACK32:  // equals R8G8B8A8 on little-endian CPUs
      return convert(red_and_blue_swapped);
    case VK_FORMAT_A2R10G10B10_UNORM_PACK32:
      return convert(ten_bits);
    case VK_FORMAT_A2B10G10R10_UNORM_PACK32:
      return convert([](std::uint32_t pixel) { return ten_bits(red_and_blue_swapped(pixel)); });
    default:
      CHECK(false, "choose_surface_format() does not return this format");
  }
}

}  // namespace glyphreel::gpu
