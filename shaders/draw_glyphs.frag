#version 460
#extension GL_GOOGLE_include_directive : require
// Draws cells as pixels. With TARGET_UINT the packed word 0xFFRRGGBB is written to an R32_UINT image, which
// is exact by Vulkan's rules. Without it, the code values are written to a window's UNORM image, k / 255
// each.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/draw.glsl"
#include "bindings.glsl"
#include "cell_pixels.glsl"

#ifdef TARGET_UINT
layout(location = 0) out uint target;
void write_color(uint color) { target = color; }
#else
layout(location = 0) out vec4 target;
void write_color(uint color) {
  target = vec4((color >> 16) & 255u, (color >> 8) & 255u, color & 255u, 255u) / 255.0;
}
#endif

void main() {
  DrawParameters p = parameters;
  PixelPlace place = place_pixel_quickly(uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  uint color = 0xFF000000u;
  if (place.inside) {
    Cell cell = cells[place.cell];
    p.cell_width = CellWidth;
    p.cell_height = CellHeight;
    color = blend(cell.foreground, cell.background, load_mask(mask_offset(cell.glyph, place.x, place.y, p)));
  }
  write_color(color);
}
