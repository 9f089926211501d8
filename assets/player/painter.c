// Draws cells where there is no GPU: the same integers as glyphreel's, so the canvas equals its PNG. The
// caller puts the glyphs' masks at the address that set_masks() returns and the cells at those of front() and
// back(); then paint() draws the cells that have changed. An instance of the module either decodes or paints.
#include <wasm_simd128.h>

#include "memory.h"

static i32 columns, rows, width, height;
static u32 *front, *back;              // red, green, blue and a byte of the glyph, the low one in `front`
static u32 *shown_front, *shown_back;  // the cells in `pixels`
static u32* pixels;                    // red, green, blue, 255
static u8 *masks, *heap;
static u32 glyphs;

// Prepares for this many columns and rows of cells that have this size in pixels.
EXPORT(open_painter) void open_painter(i32 new_columns, i32 new_rows, i32 new_width, i32 new_height) {
  columns = new_columns;
  rows = new_rows;
  width = new_width;
  height = new_height;
  const u32 bytes = 4 * (u32)(columns * rows);
  heap = heap_start();
  front = (u32*)allocate(&heap, bytes);
  back = (u32*)allocate(&heap, bytes);
  shown_front = (u32*)allocate(&heap, bytes);
  shown_back = (u32*)allocate(&heap, bytes);
  pixels = (u32*)allocate(&heap, bytes * (u32)(width * height));
  masks = heap;
}
EXPORT(front) u32* front_address(void) {
  return front;
}
EXPORT(back) u32* back_address(void) {
  return back;
}
EXPORT(pixels) u32* pixels_address(void) {
  return pixels;
}

// Returns the address for the masks of this many glyphs, one after the other: 0 is background, 255
// foreground. All cells will be drawn again.
EXPORT(set_masks) u8* set_masks(u32 count) {
  glyphs = count;
  heap = masks;
  for (i32 cell = 0; cell < columns * rows; ++cell) shown_front[cell] = ~front[cell];
  return allocate(&heap, count * (u32)(width * height) + 64);
}

// With f - b and 255 b + 128 for eight components, and their masks, returns the blended components. The sums
// are exact, although the difference may be negative: they are below 65536, and everything is computed modulo
// 65536.
static inline v128_t blend(v128_t difference, v128_t base, v128_t mask) {
  const v128_t t = wasm_i16x8_add(wasm_i16x8_mul(difference, mask), base);
  return wasm_u16x8_shr(wasm_i16x8_add(t, wasm_u16x8_shr(t, 8)), 8);
}

static inline void paint_cell(u32 f, u32 b, const u8* mask, u32* corner) {
  const v128_t ink = wasm_u16x8_extend_low_u8x16(wasm_i32x4_splat((i32)(f | 0xff000000)));
  const v128_t paper = wasm_u16x8_extend_low_u8x16(wasm_i32x4_splat((i32)(b | 0xff000000)));
  const v128_t difference = wasm_i16x8_sub(ink, paper);
  const v128_t base = wasm_i16x8_add(wasm_i16x8_mul(paper, wasm_i16x8_splat(255)), wasm_i16x8_splat(128));
  const i32 stride = columns * width;
  for (i32 y = 0; y < height; ++y, mask += width, corner += stride) {
    i32 x = 0;
    for (; x + 4 <= width; x += 4) {
      const v128_t four = wasm_v128_load32_splat(mask + x);
      const v128_t m = wasm_i8x16_shuffle(four, four, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
      const v128_t low = blend(difference, base, wasm_u16x8_extend_low_u8x16(m));
      const v128_t high = blend(difference, base, wasm_u16x8_extend_high_u8x16(m));
      wasm_v128_store(corner + x, wasm_u8x16_narrow_i16x8(low, high));
    }
    for (; x < width; ++x) {
      const v128_t one = blend(difference, base, wasm_i16x8_splat(mask[x]));
      wasm_v128_store32_lane(corner + x, wasm_u8x16_narrow_i16x8(one, one), 0);
    }
  }
}

// Draws. Returns the first row of cells that has changed, and in the upper 16 bits the end of those rows.
EXPORT(paint) i32 paint(void) {
  i32 first = rows, end = 0;
  for (i32 row = 0; row < rows; ++row)
    for (i32 column = 0; column < columns; ++column) {
      const i32 cell = row * columns + column;
      const u32 f = front[cell], b = back[cell], glyph = f >> 24 | b >> 24 << 8;
      if ((f == shown_front[cell] && b == shown_back[cell]) || glyph >= glyphs) continue;
      shown_front[cell] = f;
      shown_back[cell] = b;
      paint_cell(f, b, masks + glyph * (u32)(width * height),
                 pixels + (row * height * columns + column) * width);
      if (row < first) first = row;
      end = row + 1;
    }
  return first | end << 16;
}
