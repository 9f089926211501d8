// Finds a pixel's cell and coverage without integer division. Requires interface.glsl and shared/draw.glsl.

// What depends on the size of cells and pictures. These are not specialization constants, so a new cell size in a
// window needs no new pipeline. DrawPass::Sizes has the same members.
layout(push_constant) uniform Sizes {
  // Integer division is slow on every GPU, so it is replaced: x / d == (x * multiplier) >> shift for all x < 2^15
  // (src/gpu/passes/exact_division.h).
  uint multiplier_x;
  uint shift_x;
  uint multiplier_y;
  uint shift_y;
  uint stride;         // bytes from row to row of a picture, or of its luma; a multiple of 64
  uint chroma_stride;  // the same for Cb and Cr
} sizes;
// 0: neither a text image nor a wipe is drawn over the cells, and the compiler removes the code for both.
layout(constant_id = 0) const uint Layers = 1u;

layout(std430, binding = DrawnBinding) restrict readonly buffer Cells { Cell cells[]; };
layout(std430, binding = MaskBinding) restrict readonly buffer MaskWords { uint mask_words[]; };
layout(std430, binding = TextBinding) restrict readonly buffer TextPixels { uint text_pixels[]; };
layout(std430, binding = DrawParametersBinding) uniform Parameters { DrawParameters parameters; };

uint divide_by_cell_width(uint x) { return (x * sizes.multiplier_x) >> sizes.shift_x; }
uint divide_by_cell_height(uint y) { return (y * sizes.multiplier_y) >> sizes.shift_y; }

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
