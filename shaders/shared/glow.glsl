// Glow and scan lines on drawn pixels. Requires structs.glsl and color.glsl.
//
// Each cell is divided into GlowColumns x GlowRows tiles, and the light of a tile is the mean color of its pixels. A
// pixel's glow is the light of the 3 x 3 tiles around it, weighted by a quadratic B-spline, so that the glow is smooth.
// The table at DrawParameters::glow_at has, in this order:
//   one word for each pixel column of a cell, then one for each pixel row: the weights of the three tiles along this
//   axis (bytes 0 to 2, which sum to 256), and the middle tile's number in the cell (byte 3);
//   one word for each pixel row of a cell: darkness of the scan lines in this row, 256 = darkest;
//   two words for each glyph: the coverage of each tile, row by row, one byte each.

// Returns the mean color of a tile, 0xFFRRGGBB. `cell`: the tile's cell; `x`, `y`: the tile's column and row in this
// cell.
SHARED(uint) glow_tile(IN(Cell) cell, uint x, uint y, IN(DrawParameters) p GLOW_CONTEXT) {
  uint coverage = 0u;
  if (cell.glyph < p.glow_glyphs) {
    uint word = TABLE(p.glow_at + p.cell_width + 2u * p.cell_height + 2u * cell.glyph + (y >> 1));
    coverage = (word >> (((y & 1u) * GlowColumns + x) * 8u)) & 255u;
  }
  return blend(cell.foreground, cell.background, coverage);
}

// Returns the mean of three colors by the weights in bytes 0 to 2 of `weights`, which sum to 256.
SHARED(uint) glow_mean(uint first, uint second, uint third, uint weights) {
  uint a = weights & 255u;
  uint b = (weights >> 8) & 255u;
  uint c = (weights >> 16) & 255u;
  uint even = (first & 0x00FF00FFu) * a + (second & 0x00FF00FFu) * b + (third & 0x00FF00FFu) * c + 0x00800080u;
  uint odd = ((first >> 8) & 0x00FF00FFu) * a + ((second >> 8) & 0x00FF00FFu) * b +
             ((third >> 8) & 0x00FF00FFu) * c + 0x00800080u;
  return ((even >> 8) & 0x00FF00FFu) | (odd & 0xFF00FF00u);
}

// Darkens a pixel by the scan lines, then adds the glow. `darkness`: the table's word for the pixel's row.
SHARED(uint) glow_over(uint color, uint glow, uint darkness, IN(DrawParameters) p) {
  uint light = 256u - ((p.scanlines * darkness) >> 8);
  uint red = ((color >> 16) & 255u) * light >> 8;
  uint green = ((color >> 8) & 255u) * light >> 8;
  uint blue = (color & 255u) * light >> 8;
  red += (255u - red) * (((glow >> 16) & 255u) * p.glow >> 8) >> 8;
  green += (255u - green) * (((glow >> 8) & 255u) * p.glow >> 8) >> 8;
  blue += (255u - blue) * ((glow & 255u) * p.glow >> 8) >> 8;
  return 0xFF000000u | (red << 16) | (green << 8) | blue;
}
