#version 460
#extension GL_GOOGLE_include_directive : require
// Draws cells into a window's UNORM image. An output of k / ChannelMax is stored as exactly k. Other outputs would be
// rounded, and Vulkan does not say in which direction.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/draw.glsl"
#include "interface.glsl"
#include "cell_pixels.glsl"
#include "glow_pixels.glsl"

layout(constant_id = 8) const uint ChannelMax = 255u;  // a channel's highest value: 1023 in 10-bit formats

layout(location = 0) out vec4 target;

// Converts an 8-bit channel of `color` to the range 0 to ChannelMax, and rounds the result like
// src/gpu/presentation/surface_pixels.cpp.
uint target_channel(uint color, uint shift) {
  uint value = (color >> shift) & 255u;
  return ChannelMax == 255u ? value : (value * ChannelMax + 127u) / 255u;
}

void main() {
  DrawParameters p = specialized_parameters();
  PixelPlace place = place_pixel_quickly(uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  uint color = 0xFF000000u;
  if (place.inside && is_wiped(uint(gl_FragCoord.x), p)) {
    color = wiped_pixel(uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  } else if (place.inside) {
    Cell cell = cells[place.cell];
    color = blend(cell.foreground, cell.background, load_mask(mask_offset(cell.glyph, place.x, place.y, p)));
    if (Glowing != 0u) color = glow_pixel(place, color, p);
  }
  color = with_text(color, uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  uvec4 channels = uvec4(target_channel(color, 16u), target_channel(color, 8u), target_channel(color, 0u), ChannelMax);
  target = vec4(channels) / float(ChannelMax);
}
