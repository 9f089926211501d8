// Finds a pixel's cell and coverage. Requires interface.glsl and shared/draw.glsl.

// 0: the cell size is read from the parameters, so that one pipeline serves all cell sizes, more slowly.
layout(constant_id = 0) const uint CellWidth = 8u;
layout(constant_id = 1) const uint CellHeight = 16u;
// Integer division is slow on every GPU, so it is replaced: x / d == (x * multiplier) >> shift for all x < 2^15
// (src/gpu/passes/exact_division.h). Unused if CellWidth is 0.
layout(constant_id = 2) const uint MultiplierX = 1u;
layout(constant_id = 3) const uint ShiftX = 0u;
layout(constant_id = 4) const uint MultiplierY = 1u;
layout(constant_id = 5) const uint ShiftY = 0u;
// 0: neither a text image nor a wipe is drawn over the cells, and the compiler removes the code for both.
layout(constant_id = 6) const uint Layers = 1u;

layout(std430, binding = DrawnBinding) restrict readonly buffer Cells { Cell cells[]; };
layout(std430, binding = MaskBinding) restrict readonly buffer MaskWords { uint mask_words[]; };
layout(std430, binding = TextBinding) restrict readonly buffer TextPixels { uint text_pixels[]; };
layout(std430, binding = DrawParametersBinding) uniform Parameters { DrawParameters parameters; };

// Returns the parameters. If the pipeline is compiled for one cell size, the returned cell size is a constant.
DrawParameters specialized_parameters() {
  DrawParameters p = parameters;
  if (CellWidth != 0u) {
    p.cell_width = CellWidth;
    p.cell_height = CellHeight;
  }
  return p;
}

uint divide_by_cell_width(uint x) {
  return CellWidth != 0u ? (x * MultiplierX) >> ShiftX : x / parameters.cell_width;
}
uint divide_by_cell_height(uint y) {
  return CellWidth != 0u ? (y * MultiplierY) >> ShiftY : y / parameters.cell_height;
}

uint load_mask(uint offset) { return (mask_words[offset >> 2] >> ((offset & 3u) * 8u)) & 0xFFu; }

layout(std430, binding = SourceBinding) restrict readonly buffer SourcePixels { uint source_pixels[]; };

// Whether a pixel column belongs to the wipe: to the source video, or to the line between the source video and the
// glyphs.
bool is_wiped(uint x, DrawParameters p) { return Layers != 0u && p.wipe != 0u && x - p.origin_x < p.wipe + WipeLine; }

// Returns the color of a pixel inside the grid for which is_wiped() is true.
uint wiped_pixel(uint x, uint y, DrawParameters p) {
  uint grid_x = x - p.origin_x;
  uint at = (y - p.origin_y) * p.columns * p.cell_width + grid_x;
  return grid_x < p.wipe ? source_pixels[at] | 0xFF000000u : 0xFFFFFFFFu;
}

// Returns `color`, the color of pixel (x, y), with the text image blended over it.
uint with_text(uint color, uint x, uint y, DrawParameters p) {
  if (Layers == 0u) return color;
  uint at = text_index(x, y, p);
  if (at == NoPixel) return color;
  uint text = text_pixels[at];
  return blend(text | 0xFF000000u, color, text >> 24);
}

// Implements place_pixel() of shared/draw.glsl with the divisions above.
PixelPlace place_pixel_quickly(uint x, uint y, DrawParameters p) {
  PixelPlace place;
  uint grid_x = x - p.origin_x;
  uint grid_y = y - p.origin_y;
  place.inside = grid_x < p.columns * p.cell_width && grid_y < p.rows * p.cell_height;
  uint column = divide_by_cell_width(grid_x);
  uint row = divide_by_cell_height(grid_y);
  place.cell = row * p.columns + column;
  place.x = grid_x - column * p.cell_width;
  place.y = grid_y - row * p.cell_height;
  return place;
}
