#version 460
#extension GL_GOOGLE_include_directive : require
// Packs cells directly into the three planes of a YUV420P picture: one invocation per 8 x 2 pixels. Each
// invocation writes whole words: two words of luma in each of two rows, and one word each of Cb and Cr.

#include "shared/prelude.glsl"
#include "shared/structs.glsl"
#include "shared/color.glsl"
#include "shared/draw.glsl"
#include "interface.glsl"
#include "cell_pixels.glsl"
#include "glow_pixels.glsl"

// 1: the grid starts at the picture's corner, the cell width is a multiple of 8 and the cell height is even, so
// each block of 8 x 2 pixels lies in one cell. Must be 0 if Glowing is 1.
layout(constant_id = 8) const uint OneCellPerBlock = 0u;
// Strides in bytes; multiples of 64.
layout(constant_id = 9) const uint LumaStride = 64u;
layout(constant_id = 10) const uint ChromaStride = 64u;

layout(local_size_x = PackGroupWidth) in;
layout(std430, binding = PictureBinding) restrict writeonly buffer PictureWords { uint picture_words[]; };

// The two colors of a pixel's cell as 0x00YYBBRR (Y', Cb, Cr), and the pixel's coverage.
struct PixelColors {
  uint foreground;
  uint background;
  uint coverage;
};

PixelColors colors_at(uint x, uint y, DrawParameters p) {
  PixelPlace place = place_pixel_quickly(x, y, p);
  uint black = yuv_from_rgb(0xFF000000u);
  if (!place.inside) return PixelColors(black, black, 0u);
  if (is_wiped(x, p)) {
    uint wiped = yuv_from_rgb(wiped_pixel(x, y, p));
    return PixelColors(wiped, wiped, 0u);
  }
  Cell cell = cells[place.cell];
  uint coverage = load_mask(mask_offset(cell.glyph, place.x, place.y, p));
  if (Glowing != 0u) {
    uint color = yuv_from_rgb(glow_pixel(place, blend(cell.foreground, cell.background, coverage), p));
    return PixelColors(color, color, 0u);
  }
  return PixelColors(yuv_from_rgb(cell.foreground), yuv_from_rgb(cell.background), coverage);
}

uint luma_of(PixelColors c) { return blend_8(c.foreground >> 16, c.background >> 16, c.coverage); }
uint weigh_cb(PixelColors c) { return weigh_chroma((c.foreground >> 8) & 255u, (c.background >> 8) & 255u, c.coverage); }
uint weigh_cr(PixelColors c) { return weigh_chroma(c.foreground & 255u, c.background & 255u, c.coverage); }

// The output words of one block of 8 x 2 pixels.
struct Block {
  uint luma[4];  // two per row, row by row
  uint cb;
  uint cr;
};

Block pack_any_block(uint x, uint y, DrawParameters p) {
  Block block = Block(uint[4](0u, 0u, 0u, 0u), 0u, 0u);
  for (uint pair = 0u; pair < 4u; ++pair) {
    uint cb = 0u;
    uint cr = 0u;
    for (uint row = 0u; row < 2u; ++row) {
      for (uint side = 0u; side < 2u; ++side) {
        uint pixel = pair * 2u + side;
        PixelColors colors = colors_at(x + pixel, y + row, p);
        block.luma[row * 2u + (pixel >> 2)] |= luma_of(colors) << ((pixel & 3u) * 8u);
        cb += weigh_cb(colors);
        cr += weigh_cr(colors);
      }
    }
    block.cb |= finish_chroma(cb) << (pair * 8u);
    block.cr |= finish_chroma(cr) << (pair * 8u);
  }
  return block;
}

Block pack_block_of_one_cell(uint x, uint y, DrawParameters p) {
  PixelPlace place = place_pixel_quickly(x, y, p);
  if (!place.inside) return pack_any_block(x, y, p);
  Cell cell = cells[place.cell];
  uint foreground = yuv_from_rgb(cell.foreground);
  uint background = yuv_from_rgb(cell.background);
  // The cell's width is a multiple of 8, so no word of the mask spans two rows.
  uint mask_word = mask_offset(cell.glyph, place.x, place.y, p) >> 2;
  uint masks[4] = uint[4](mask_words[mask_word], mask_words[mask_word + 1u], mask_words[mask_word + CellWidth / 4u],
                          mask_words[mask_word + CellWidth / 4u + 1u]);
  Block block;
  for (uint i = 0u; i < 4u; ++i) {
    uint luma = 0u;
    for (uint j = 0u; j < 4u; ++j) {
      luma |= blend_8(foreground >> 16, background >> 16, (masks[i] >> (j * 8u)) & 255u) << (j * 8u);
    }
    block.luma[i] = luma;
  }
  block.cb = 0u;
  block.cr = 0u;
  for (uint pair = 0u; pair < 4u; ++pair) {
    // The four pixels under a chroma sample have the same two colors, so the foreground's weight in the sample
    // is the sum of the pixels' coverages.
    uint top = masks[pair >> 1] >> ((pair & 1u) * 16u);
    uint bottom = masks[2u + (pair >> 1)] >> ((pair & 1u) * 16u);
    uint coverage = (top & 255u) + ((top >> 8) & 255u) + (bottom & 255u) + ((bottom >> 8) & 255u);
    uint rest = 1020u - coverage;
    block.cb |= finish_chroma(((foreground >> 8) & 255u) * coverage + ((background >> 8) & 255u) * rest) << (pair * 8u);
    block.cr |= finish_chroma((foreground & 255u) * coverage + (background & 255u) * rest) << (pair * 8u);
  }
  return block;
}

// Draws the text image over a block.
Block block_with_text(Block block, uint x, uint y, DrawParameters p) {
  for (uint pair = 0u; pair < 4u; ++pair) {
    uint cb = 0u;
    uint cr = 0u;
    uint shift = pair * 8u;
    for (uint i = 0u; i < 4u; ++i) {
      uint pixel = pair * 2u + (i & 1u);
      uint at = text_index(x + pixel, y + (i >> 1), p);
      uint text = at == NoPixel ? 0u : text_pixels[at];
      uint yuv = yuv_from_rgb(text);
      uint word = (i >> 1) * 2u + (pixel >> 2);
      uint byte = (pixel & 3u) * 8u;
      uint luma = blend_8(yuv >> 16, (block.luma[word] >> byte) & 255u, text >> 24);
      block.luma[word] = (block.luma[word] & ~(255u << byte)) | (luma << byte);
      cb += weigh_chroma((yuv >> 8) & 255u, (block.cb >> shift) & 255u, text >> 24);
      cr += weigh_chroma(yuv & 255u, (block.cr >> shift) & 255u, text >> 24);
    }
    block.cb = (block.cb & ~(255u << shift)) | (finish_chroma(cb) << shift);
    block.cr = (block.cr & ~(255u << shift)) | (finish_chroma(cr) << shift);
  }
  return block;
}

void main() {
  DrawParameters p = specialized_parameters();
  uint x = gl_GlobalInvocationID.x * PackBlockWidth;
  uint y = gl_GlobalInvocationID.y * PackBlockHeight;
  // Strides are multiples of 64, so a row always has room for whole blocks. Pixels beyond the picture's width
  // are black.
  if (x >= p.width || y >= p.height) return;
  Block block;
  if (OneCellPerBlock != 0u && !is_wiped(x, p)) {
    block = pack_block_of_one_cell(x, y, p);
  } else {
    block = pack_any_block(x, y, p);
  }
  // The text image's position and size are even, so no chroma sample lies partly outside the image.
  if (Layers != 0u && p.text_width != 0u && y - p.text_y < p.text_height) block = block_with_text(block, x, y, p);
  uint luma_at = (y * LumaStride + x) / 4u;
  picture_words[luma_at] = block.luma[0];
  picture_words[luma_at + 1u] = block.luma[1];
  picture_words[luma_at + LumaStride / 4u] = block.luma[2];
  picture_words[luma_at + LumaStride / 4u + 1u] = block.luma[3];
  uint cb_at = (p.height * LumaStride + (y / 2u) * ChromaStride + x / 2u) / 4u;
  picture_words[cb_at] = block.cb;
  picture_words[cb_at + (p.height / 2u) * (ChromaStride / 4u)] = block.cr;
}
