#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>
#include <span>

namespace glyphreel::gpu {

/// Converts Bgra8 pixels (0xAARRGGBB) to a format that choose_surface_format() returns. The result equals
/// what a shader would write to an image of that format. The spans have the same size and may be equal.
void convert_pixels(std::span<const std::uint32_t> bgra, VkFormat format, std::span<std::uint32_t> out);

}  // namespace glyphreel::gpu
