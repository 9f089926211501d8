// Converts cells to pixels. Requires structs.glsl and color.glsl.

// The cell that contains a pixel of the picture, and the pixel's position in that cell.
struct PixelPlace {
  bool inside;    // false: the pixel is outside the grid and black
  uint cell;      // row * columns + column
  uint x;         // within the cell
  uint y;
};

SHARED(PixelPlace) place_pixel(uint x, uint y, IN(DrawParameters) p) {
  PixelPlace place;
  uint grid_x = x - p.origin_x;  // wraps to a huge number if the pixel is left of the grid
  uint grid_y = y - p.origin_y;
  place.inside = grid_x < p.columns * p.cell_width && grid_y < p.rows * p.cell_height;
  uint column = grid_x / p.cell_width;
  uint row = grid_y / p.cell_height;
  place.cell = row * p.columns + column;
  place.x = grid_x - column * p.cell_width;
  place.y = grid_y - row * p.cell_height;
  return place;
}

// Returns the byte offset of a glyph's mask pixel in the atlas, where masks follow one another without
// padding.
SHARED(uint) mask_offset(uint glyph, uint x, uint y, IN(DrawParameters) p) {
  return (glyph * p.cell_height + y) * p.cell_width + x;
}

// Returns the index of the text image's pixel at a position in the picture, or NoPixel outside the text image. A pixel
// of the text image is 0xAARRGGBB, where A is its opacity over the picture.
SHARED(uint) text_index(uint x, uint y, IN(DrawParameters) p) {
  uint text_x = x - p.text_x;  // wraps to a huge number if the pixel is left of the text
  uint text_y = y - p.text_y;
  return text_x < p.text_width && text_y < p.text_height ? text_y * p.text_width + text_x : NoPixel;
}

// Returns 255 times the chroma of one pixel: the chroma of its two colors, weighted by coverage. A chroma sample
// is made from the sum of four such results.
SHARED(uint) weigh_chroma(uint foreground, uint background, uint coverage) { return foreground * coverage + background * (255u - coverage); }

// Returns a chroma sample, rounded to nearest. `sum_of_four`: the weigh_chroma() results of the four pixels that
// the sample covers, added up.
SHARED(uint) finish_chroma(uint sum_of_four) { return (sum_of_four + 510u) / 1020u; }
