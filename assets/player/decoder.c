// Decodes the frames of a recording (docs/cells-format.md) in the player, as WebAssembly, which is twice as
// fast as the same in JavaScript. scripts/build_player_module compiles it. The caller puts a chunk's inflated
// data at the address that reserve() returns, calls begin() and then frame() for each frame.
#include "memory.h"

// Models.

// Where the models of each kind start. A model is a number: its probability, of 65536, times 32, plus how
// many bits it has seen, up to 31.
enum {
  Planes = 6,
  Groups = 3 * Planes,
  Symbols = 16,
  Contexts = 9 * 9,
  DigitModels = 8 * 128,
  MaxGlyphBits = 20
};
enum {
  Same = 0,
  Changed = Same + 128,
  Glyphs = Changed + 1024,
  ByNeighbors = Glyphs + 2 * 65536,
  ByPast = ByNeighbors + Groups * Contexts * Symbols,
  Digits = ByPast + Groups * Contexts * Symbols,
  Models = Digits + Groups * DigitModels,
  GlyphMixers = Groups * Symbols,
  Mixers = GlyphMixers + MaxGlyphBits,
};
static u32 models[Models] __attribute__((aligned(64)));
static i32 weights[2 * Mixers];
static i16 logits[4096];         // of a probability of 4096
static i16 probabilities[4096];  // of a logit + 2048
static i32 rates[32];

static void make_tables(void) {
  static const i16 logistic[33] = {1,    2,    4,    6,    10,   17,   27,   45,   74,   120,  194,
                                   311,  488,  747,  1102, 1546, 2048, 2550, 2994, 3349, 3608, 3785,
                                   3902, 3976, 4022, 4051, 4069, 4079, 4086, 4090, 4092, 4094, 4095};
  for (i32 n = 0; n < 32; ++n) rates[n] = 163840 / (10 * n + 16);
  for (i32 at = 0; at < 4096; ++at) {
    const i32 place = at < 1 ? 1 : at, i = place >> 7, part = place & 127;
    probabilities[at] = (i16)((logistic[i] * (128 - part) + logistic[i + 1] * part + 64) >> 7);
  }
  i32 logit = -2047;
  for (i32 p = 0; p < 4096; ++p) {
    while (logit < 2047 && probabilities[logit + 2048] < p) ++logit;
    logits[p] = (i16)logit;
  }
}

static inline u32 learned(u32 model, i32 bit) {
  const i32 p = (i32)(model >> 5), seen = model & 31;
  return (u32)(p + (((bit ? 65535 : 0) - p) * rates[seen] >> 14)) << 5 | (u32)(seen < 31 ? seen + 1 : 31);
}

// Bits.

// The state of arithmetic decoding. Copies of it are local variables, which stay in registers.
typedef struct {
  u32 range, code;
  const u8* next;
} Bits;

// Returns a bit whose probability of being 1 is p of 4096.
static inline i32 decode_bit(Bits* bits, i32 p) {
  const u32 bound = (bits->range >> 12) * (u32)p;
  const i32 bit = bits->code < bound;
  if (bit) {
    bits->range = bound;
  } else {
    bits->code -= bound;
    bits->range -= bound;
  }
  for (; bits->range < 1 << 23; bits->range <<= 8) bits->code = bits->code << 8 | *bits->next++;
  return bit;
}

// A bit by one model.
static inline i32 decode_by_one(Bits* bits, i32 model) {
  const u32 old = models[model];
  const i32 bit = decode_bit(bits, (i32)(old >> 9 | 1));
  models[model] = learned(old, bit);
  return bit;
}

// A bit by two models, which a mixer weights.
static inline i32 decode_by_two(Bits* bits, i32 mixer, i32 a, i32 b) {
  const u32 old_a = models[a], old_b = models[b];
  const i32 logit_a = logits[old_a >> 9], logit_b = logits[old_b >> 9];
  i32* const w = weights + 2 * mixer;
  const i32 weight_a = w[0], weight_b = w[1];
  i32 logit = (i32)((u32)weight_a * (u32)logit_a + (u32)weight_b * (u32)logit_b) >> 16;
  logit = logit < -2047 ? -2047 : logit > 2047 ? 2047 : logit;
  const i32 p = probabilities[logit + 2048], bit = decode_bit(bits, p), error = (bit << 12) - p;
  w[0] = weight_a + (logit_a * error >> 10);
  w[1] = weight_b + (logit_b * error >> 10);
  models[a] = learned(old_a, bit);
  models[b] = learned(old_b, bit);
  return bit;
}

// Frames.

// Arrays with a border of zeros: a column that ends each row, and a row above and below. While a frame is
// decoded, they have its values up to the current cell, and from there on the values of the frame before.
static i32 columns, rows, pitch, size;
static u32 *glyphs, *last_glyphs;
static u8 *same, *changed, *values, *levels;
// Without a border, 4 bytes per cell: red, green, blue, and a byte of the glyph, the low one in `foreground`.
static u8 *foreground, *background;
static u8* coverage;  // of each glyph
static u8* chunk;     // inflated
static i32 is_first;  // the next frame is the first of its chunk
static i32 glyph_bits;
static Bits state;

static u8* heap;

// Prepares for frames of this many columns and rows.
EXPORT(open) void open(i32 new_columns, i32 new_rows) {
  make_tables();
  columns = new_columns;
  rows = new_rows;
  pitch = columns + 1;
  size = pitch * (rows + 2) + 1;
  heap = heap_start();
  glyphs = (u32*)allocate(&heap, 4 * size);
  last_glyphs = (u32*)allocate(&heap, 4 * size);
  same = allocate(&heap, size);
  changed = allocate(&heap, size);
  values = allocate(&heap, Planes * size);
  levels = allocate(&heap, Planes * size);
  foreground = allocate(&heap, 4 * columns * rows);
  background = allocate(&heap, 4 * columns * rows);
  coverage = allocate(&heap, 1 << MaxGlyphBits);
  chunk = heap;
}
EXPORT(foreground) u8* foreground_address(void) {
  return foreground;
}
EXPORT(background) u8* background_address(void) {
  return background;
}
EXPORT(coverage) u8* coverage_address(void) {
  return coverage;
}

// Returns the address for a chunk of this many bytes.
EXPORT(reserve) u8* reserve(i32 bytes) {
  heap = chunk;
  return allocate(&heap, bytes + 64);  // damaged chunks are read a little beyond their end
}

// Begins to decode the chunk, whose coded bits are at this position.
EXPORT(begin) void begin(i32 position, i32 new_glyph_bits) {
  for (i32 i = 0; i < Models; ++i) models[i] = 1 << 20;
  for (i32 i = 0; i < 2 * Mixers; ++i) weights[i] = 1 << 15;
  __builtin_memset(glyphs, 0, 4 * size);
  __builtin_memset(same, 0, size);
  __builtin_memset(changed, 0, size);
  __builtin_memset(values, 0, Planes * size);
  __builtin_memset(levels, 0, Planes * size);
  const u8* const at = chunk + position;
  state = (Bits){0x7fffffff, (u32)at[0] << 24 | at[1] << 16 | at[2] << 8 | at[3], at + 4};
  glyph_bits = new_glyph_bits;
  is_first = 1;
}

// Returns flags of the cells around one.
static inline i32 around(const u8* flags, i32 i) {
  const i32 above = i - pitch;
  return flags[i - 1] | flags[above] << 1 | flags[above + 1] << 2 | flags[above - 1] << 3 | flags[i] << 4 |
         flags[i + 1] << 5 | flags[i + pitch] << 6;
}

// Decodes whether a cell or its glyph has changed. Returns whether a glyph follows.
static inline i32 decode_flags(Bits* bits, i32 i) {
  const i32 was_same = same[i];
  same[i] = (u8)decode_by_one(bits, Same + around(same, i));
  if (same[i]) {
    changed[i] = 0;
    if (!was_same) __builtin_memset(levels + Planes * i, 0, Planes);
    return 0;
  }
  const i32 flags = same[i - 1] | same[i - pitch] << 1 | was_same << 2;
  return changed[i] = (u8)decode_by_one(bits, Changed + (around(changed, i) | flags << 7));
}

static inline u32 decode_glyph(Bits* bits, u32 a, u32 b) {
  u32 node = 1;
  for (i32 bit = glyph_bits - 1; bit >= 0; --bit)
    node = node << 1 |
           (u32)decode_by_two(bits, GlyphMixers + bit, Glyphs + (i32)((a << glyph_bits) + node & 65535),
                              Glyphs + 65536 + (i32)((b << glyph_bits) + node & 65535));
  return node - (1U << glyph_bits);
}

static inline i32 clamp(i32 value, i32 high) {
  return value < 0 ? 0 : value > high ? high : value;
}

// Predicts a value from those of neighbors.
static inline i32 predict_first(i32 at) {
  const i32 left = values[at - Planes], above = values[at - Planes * pitch],
            corner = values[at - Planes * (pitch + 1)];
  const i32 low = left < above ? left : above, high = left < above ? above : left;
  return corner >= high ? low : corner <= low ? high : left + above - corner;
}
// Predicts a foreground whose glyph has changed, so that the cell keeps its light.
static inline i32 predict_ink(i32 last, i32 ground, i32 last_ground, i32 ink, i32 last_ink) {
  const i32 light = (last_ink * last * last + (255 - last_ink) * last_ground * last_ground -
                     (255 - ink) * ground * ground) /
                    ink;
  return (i32)__builtin_sqrt((double)clamp(light, 65025));
}

static inline i32 decode_residual(Bits* bits, i32 group, i32 by_neighbors, i32 by_past) {
  const i32 mixer = group * Symbols;
  const i32 a = ByNeighbors + (group * Contexts + by_neighbors) * Symbols;
  const i32 b = ByPast + (group * Contexts + by_past) * Symbols;
  if (decode_by_two(bits, mixer, a, b)) return 0;
  const i32 is_negative = decode_by_two(bits, mixer + 1, a + 1, b + 1), first = is_negative ? 9 : 2;
  i32 digits = 0;
  for (; digits < 7; ++digits) {
    const i32 symbol = first + digits;
    if (decode_by_two(bits, mixer + symbol, a + symbol, b + symbol)) break;
  }
  i32 rest = digits > 0;
  for (i32 digit = digits; digit > 1; --digit)
    rest = rest << 1 | decode_by_one(bits, Digits + group * DigitModels + digits * 128 + rest);
  return (i8)(is_negative ? -1 - rest : 1 + rest);
}
static inline i32 level_of(i32 residual) {
  const i32 distance = residual < 0 ? -residual : residual;
  return (distance < 3 ? distance : distance < 6 ? 3 : 4) + (residual < 0 ? 4 : 0);
}

static inline void decode_colors(Bits* bits, i32 i, i32 cell) {
  static const u8 component[3] = {1, 0, 2};  // planes are green, red, blue
  const i32 ink = coverage[glyphs[i]] + 8, last_ink = coverage[last_glyphs[i]] + 8;
  i32 last_grounds[3], green = 0, level = 0;
  for (i32 plane = 0; plane < Planes; ++plane) {
    const i32 at = Planes * i + plane, last = values[at], kind = plane < 3 ? plane : plane - 3;
    i32 predicted = last;
    if (is_first)
      predicted = predict_first(at);
    else if (plane >= 3 && changed[i])
      predicted = predict_ink(last, values[at - 3], last_grounds[kind], ink, last_ink);
    else if (plane >= 3)
      predicted += values[at - 3] - last_grounds[kind];
    if (plane < 3) last_grounds[kind] = last;
    predicted = clamp(kind == 0 ? predicted : predicted + green, 255);

    const i32 group = plane * 3 + (is_first ? 0 : 1 + changed[i]);
    const i32 past = levels[is_first ? at - Planes * (pitch - 1) : at];
    const i32 residual =
        decode_residual(bits, group, levels[at - Planes] * 9 + levels[at - Planes * pitch], past * 9 + level);
    levels[at] = (u8)(level = level_of(residual));
    const i32 value = values[at] = (u8)(predicted + residual);
    if (kind == 0) green = value - predicted;
    (plane < 3 ? background : foreground)[4 * cell + component[kind]] = (u8)value;
  }
}

// Decodes the next frame into `foreground` and `background`.
EXPORT(frame) void frame(void) {
  Bits bits = state;
  for (i32 row = 1, cell = 0; row <= rows; ++row)
    for (i32 i = row * pitch + 1, end = i + columns; i < end; ++i, ++cell) {
      last_glyphs[i] = glyphs[i];
      if (!is_first && !decode_flags(&bits, i)) continue;
      const u32 glyph = glyphs[i] = decode_glyph(&bits, glyphs[i - 1], glyphs[is_first ? i - pitch : i]);
      foreground[4 * cell + 3] = (u8)glyph;
      background[4 * cell + 3] = (u8)(glyph >> 8);
    }
  for (i32 row = 1, cell = 0; row <= rows; ++row)
    for (i32 i = row * pitch + 1, end = i + columns; i < end; ++i, ++cell)
      if (!same[i]) decode_colors(&bits, i, cell);
  state = bits;
  is_first = 0;
}
