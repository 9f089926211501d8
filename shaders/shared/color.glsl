// Color arithmetic. Requires prelude.glsl.

// Counterpart of struct Cell: each member is a UINT, which has one value for each cell being mapped.
struct CELL {
  UINT glyph;
  UINT foreground;
  UINT background;
};

SHARED(INT) clamp_8(INT value) {
  return smaller(larger(value, broadcast(0)), broadcast(255));
}

// Packs an 8-bit luma and R'G'B' as 0xLLRRGGBB.
SHARED(UINT) pack_sample(INT luma, INT red, INT green, INT blue) {
  return (to_uint(luma) << 24) | (to_uint(red) << 16) | (to_uint(green) << 8) | to_uint(blue);
}
SHARED(INT) sample_luma(UINT word) { return to_int(word >> 24); }
SHARED(INT) sample_red(UINT word) { return to_int((word >> 16) & 255u); }
SHARED(INT) sample_green(UINT word) { return to_int((word >> 8) & 255u); }
SHARED(INT) sample_blue(UINT word) { return to_int(word & 255u); }

// Packs two signed 16-bit numbers.
SHARED(UINT) pack_pair(INT low, INT high) { return (to_uint(low) & 0xFFFFu) | (to_uint(high) << 16); }

SHARED(UINT) pack_color(INT red, INT green, INT blue) {
  return 0xFF000000u | (to_uint(red) << 16) | (to_uint(green) << 8) | to_uint(blue);
}

// Returns foreground * coverage + background * (255 - coverage), divided by 255 and rounded to nearest, for
// all four bytes at once. For each byte, let `t = foreground * coverage + background * (255 - coverage) + 128`;
// then the exact result is `(t + (t >> 8)) >> 8`. The sum `t + (t >> 8)` is at most 65407, so two bytes are
// computed in one word.
SHARED(uint) blend(uint foreground, uint background, uint coverage) {
  uint rest = 255u - coverage;
  uint even = (foreground & 0x00FF00FFu) * coverage + (background & 0x00FF00FFu) * rest + 0x00800080u;
  uint odd = ((foreground >> 8) & 0x00FF00FFu) * coverage + ((background >> 8) & 0x00FF00FFu) * rest + 0x00800080u;
  even = ((even + ((even >> 8) & 0x00FF00FFu)) >> 8) & 0x00FF00FFu;
  odd = (odd + ((odd >> 8) & 0x00FF00FFu)) & 0xFF00FF00u;
  return even | odd;
}

// Converts 0xFFRRGGBB to BT.709 limited-range Y', Cb and Cr. Returns 0x00YYBBRR, where BB is Cb and RR is Cr. The
// formulas are ITU-R BT.709-6, item 3.4, with 16-bit coefficients. The coefficients of Cb sum to exactly 0, and so do
// those of Cr, so grays have no chroma.
SHARED(uint) yuv_from_rgb(uint color) {
  uint red = (color >> 16) & 255u;
  uint green = (color >> 8) & 255u;
  uint blue = color & 255u;
  uint luma = (11966u * red + 40254u * green + 4064u * blue + (16u << 16) + 32768u) >> 16;
  uint cb = (28784u * blue + (128u << 16) + 32768u - 6596u * red - 22188u * green) >> 16;
  uint cr = (28784u * red + (128u << 16) + 32768u - 26145u * green - 2639u * blue) >> 16;
  return (luma << 16) | (cb << 8) | cr;
}

// Does the same as blend() for a single byte: one luma sample of the drawn picture.
SHARED(uint) blend_8(uint foreground, uint background, uint coverage) {
  uint t = foreground * coverage + background * (255u - coverage) + 128u;
  return (t + (t >> 8)) >> 8;
}

// Returns the 8-bit luma of R'G'B' code values, with BT.709's weights.
SHARED(INT) luma_of(INT r, INT g, INT b) { return (r * 54 + g * 183 + b * 19) >> 8; }
