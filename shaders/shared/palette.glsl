// Palette lookup, and dithering between palette colors. Requires structs.glsl and color.glsl.

// Returns the dither threshold of a cell: 0 to 255, repeating every DitherSize cells.
SHARED(INT) dither_threshold(CELL_CONTEXT, IN(MapParameters) p, INT column, INT row) {
  int wrap = int(DitherSize) - 1;
  INT place = (row & wrap) * int(DitherSize) + (column & wrap);
  return to_int(GATHER(broadcast(int(p.dither.thresholds_at)) + place));
}

// Returns the offset that is added to a cell's colors before the nearest palette color is chosen: the cell's
// threshold, scaled to code values from -p.dither.range / 2 to p.dither.range / 2. Always 0 without dither.
SHARED(INT) dither_offset(CELL_CONTEXT, IN(MapParameters) p, INT column, INT row) {
  if (p.dither.kind == 0u) return broadcast(0);
  INT away = 2 * dither_threshold(CELL_ARGUMENTS, p, column, row) - 255;
  return (away * int(p.dither.range) + 256) >> 9;
}

// Returns the index into the table of nearest colors, which has an entry for each cube of 8 x 8 x 8 code
// values.
SHARED(INT) palette_key(INT red, INT green, INT blue) {
  return ((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3);
}

// Returns the palette color nearest to 0xFFRRGGBB after `offset` is added to its components and the sums are
// clamped.
SHARED(UINT) nearest_color(CELL_CONTEXT, IN(MapParameters) p, UINT color, INT offset) {
  INT red = clamp_8(sample_red(color) + offset);
  INT green = clamp_8(sample_green(color) + offset);
  INT blue = clamp_8(sample_blue(color) + offset);
  INT index = to_int(GATHER(broadcast(int(p.palette.nearest_at)) + palette_key(red, green, blue)));
  return GATHER(broadcast(int(p.palette.colors_at)) + index) | 0xFF000000u;
}
