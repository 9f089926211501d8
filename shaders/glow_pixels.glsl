// Adds glow and scan lines to a pixel. Requires cell_pixels.glsl, which declares the cells.

layout(constant_id = 7) const uint Glowing = 0u;  // 1: with glow and scan lines

layout(std430, binding = TableBinding) restrict readonly buffer Tables { uint table_words[]; };

#include "shared/glow.glsl"

// Returns the light of a tile. `x`, `y`: the tile's column and row in the whole grid. Tiles outside the grid are black.
uint glow_light(int x, int y, DrawParameters p) {
  if (x < 0 || y < 0 || uint(x) >= p.columns * GlowColumns || uint(y) >= p.rows * GlowRows) return 0xFF000000u;
  uint cell = uint(y) / GlowRows * p.columns + uint(x) / GlowColumns;
  return glow_tile(cells[cell], uint(x) % GlowColumns, uint(y) % GlowRows, p);
}

uint glow_row(int x, int y, uint weights, DrawParameters p) {
  return glow_mean(glow_light(x - 1, y, p), glow_light(x, y, p), glow_light(x + 1, y, p), weights);
}

// Returns the color that a pixel inside the grid has with glow and scan lines. `color`: its color without them.
uint glow_pixel(PixelPlace place, uint color, DrawParameters p) {
  uint across = table_words[p.glow_at + place.x];
  uint down = table_words[p.glow_at + p.cell_width + place.y];
  uint row = place.cell / p.columns;
  uint column = place.cell - row * p.columns;
  int x = int(column * GlowColumns + (across >> 24));
  int y = int(row * GlowRows + (down >> 24));
  uint glow = glow_mean(glow_row(x, y - 1, across, p), glow_row(x, y, across, p), glow_row(x, y + 1, across, p), down);
  return glow_over(color, glow, table_words[p.glow_at + p.cell_width + p.cell_height + place.y], p);
}
