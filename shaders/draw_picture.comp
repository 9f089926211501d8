#version 460
#extension GL_GOOGLE_include_directive : require
// Draws cells to pixels in a buffer, one word 0xFFRRGGBB per pixel: one invocation per four pixels of a row.
// draw_glyphs.frag draws windows.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/draw.glsl"
#include "interface.glsl"
#include "cell_pixels.glsl"
#include "glow_pixels.glsl"

// 1: the cell width is a multiple of 4, so an invocation's four pixels lie in one cell, and their four bytes of
// coverage in one word.
layout(constant_id = 8) const uint OneCell = 0u;  // must be 0 if Glowing is 1
layout(constant_id = 9) const uint Stride = 64u;  // bytes from row to row, a multiple of 64

layout(local_size_x = PackGroupWidth) in;
layout(std430, binding = PictureBinding) restrict writeonly buffer Picture { uvec4 quads[]; };

uint draw_pixel(uint x, uint y, DrawParameters p) {
  PixelPlace place = place_pixel_quickly(x, y, p);
  if (!place.inside) return 0xFF000000u;
  if (is_wiped(x, p)) return wiped_pixel(x, y, p);
  Cell cell = cells[place.cell];
  uint color = blend(cell.foreground, cell.background, load_mask(mask_offset(cell.glyph, place.x, place.y, p)));
  return Glowing != 0u ? glow_pixel(place, color, p) : color;
}

uvec4 draw_quad(uint x, uint y, DrawParameters p) {
  PixelPlace place = place_pixel_quickly(x, y, p);
  if (!place.inside) return uvec4(0xFF000000u);
  Cell cell = cells[place.cell];
  uint masks = mask_words[mask_offset(cell.glyph, place.x, place.y, p) >> 2];
  return uvec4(blend(cell.foreground, cell.background, masks & 255u),
               blend(cell.foreground, cell.background, (masks >> 8) & 255u),
               blend(cell.foreground, cell.background, (masks >> 16) & 255u),
               blend(cell.foreground, cell.background, masks >> 24));
}

void main() {
  DrawParameters p = specialized_parameters();
  uint x = gl_GlobalInvocationID.x * QuadWidth;
  uint y = gl_GlobalInvocationID.y;
  // The stride is a multiple of 64, so a row always has room for whole quads. A quad's pixels beyond the picture's
  // width are black.
  if (x >= p.width) return;
  uvec4 quad = OneCell != 0u && !is_wiped(x, p) ? draw_quad(x, y, p)
                             : uvec4(draw_pixel(x, y, p), draw_pixel(x + 1u, y, p), draw_pixel(x + 2u, y, p),
                                     draw_pixel(x + 3u, y, p));
  if (Layers != 0u && p.text_width != 0u && y - p.text_y < p.text_height) {
    for (uint i = 0u; i < QuadWidth; ++i) quad[i] = with_text(quad[i], x + i, y, p);
  }
  quads[y * (Stride / 16u) + gl_GlobalInvocationID.x] = quad;
}
