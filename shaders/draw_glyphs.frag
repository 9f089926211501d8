#version 460
#extension GL_GOOGLE_include_directive : require
// Draws cells into a window's UNORM image. An output of k / 255 is stored as exactly k in 8-bit formats, and is
// rounded in 10-bit formats.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/draw.glsl"
#include "interface.glsl"
#include "cell_pixels.glsl"
#include "glow_pixels.glsl"

layout(location = 0) out vec4 target;

void main() {
  DrawParameters p = parameters;
  PixelPlace place = place_pixel_quickly(uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  uint color = 0xFF000000u;
  if (place.inside && is_wiped(uint(gl_FragCoord.x), p)) {
    color = wiped_pixel(uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  } else if (place.inside) {
    Cell cell = cells[place.cell];
    p.cell_width = CellWidth;
    p.cell_height = CellHeight;
    color = blend(cell.foreground, cell.background, load_mask(mask_offset(cell.glyph, place.x, place.y, p)));
    if (Glowing != 0u) color = glow_pixel(place, color, p);
  }
  color = with_text(color, uint(gl_FragCoord.x), uint(gl_FragCoord.y), p);
  target = vec4((color >> 16) & 255u, (color >> 8) & 255u, color & 255u, 255u) / 255.0;
}
