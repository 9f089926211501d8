// Structures and constants shared by GLSL and C++. Members are int and uint only, so that std430 and C++
// lay them out alike; tests/gpu compares the offsets.

#include "modes.glsl"

CONSTANT(uint, MaxSamples, 32u)       // samples in a cell
CONSTANT(uint, CoverageOne, 32u)      // fixed-point 1.0 of a glyph's coverage at a sample
CONSTANT(uint, PerceptualLog2, 11u)         // log2 of the perceptual weight of a cell full of ink (fit.glsl)
CONSTANT(uint, AxisWeightSum, 256u)   // the weights of an axis entry sum to this
CONSTANT(uint, AxisOutside, 0xFFFFFFFFu)  // "first" of an axis entry with no source pixel: black
CONSTANT(uint, DraftWords, 34u)       // a cell's draft: MaxSamples residuals and two pairs of candidates
CONSTANT(uint, CandidateCount, 4u)    // best-scoring glyphs that are compared by their true error
CONSTANT(uint, PooledCount, 8u)       // low-passed numbers that mono matching compares, besides the mean
CONSTANT(int, SurroundColumns, 2)     // columns and rows on each side of which a cell reads the CellAnalysis
CONSTANT(int, SurroundRows, 1)
CONSTANT(uint, DitherSize, 64u)       // side of the square after which thresholds repeat
CONSTANT(uint, MeanFeatureGain, 3u)   // mono: weight of the mean against pooled numbers, 9 when squared
CONSTANT(uint, MonoNoise, 400u)       // mono: how much the squared distance between a cell's light and a
                                      // form's varies in still pictures
CONSTANT(uint, InkNoise, 32u)         // fg: the same for ink_score()
CONSTANT(uint, FullNoise, 380u)       // full: the same for ColorFit::error
CONSTANT(uint, StillDifference, 4u)   // code values that a color may change by and still count as flickering
CONSTANT(uint, InkMeanGain, 2u)       // fg: as MeanFeatureGain

// The table at MapParameters::edge_at (edge.glsl).
CONSTANT(uint, EdgeWeightXx, 0u)
CONSTANT(uint, EdgeWeightXy, 1u)
CONSTANT(uint, EdgeWeightYy, 2u)
CONSTANT(uint, EdgeHigh, 3u)
CONSTANT(uint, EdgeLow, 4u)
CONSTANT(uint, EdgeHeader, 5u)
CONSTANT(uint, EdgeDirections, 8u)
CONSTANT(uint, EdgeDirectionWords, 3u)
CONSTANT(uint, EdgePlaces, 5u)
CONSTANT(uint, EdgeGlyphs, 29u)  // after the header and the directions

CONSTANT(int, SaturationOne, 256)

CONSTANT(uint, ModelGray, 0u)
CONSTANT(uint, ModelYuv, 1u)
CONSTANT(uint, ModelRgb, 2u)

CONSTANT(uint, ToneNone, 0u)   // R'G'B' is shown unchanged: SDR with BT.709's primaries, or close to them
CONSTANT(uint, ToneGamut, 1u)  // SDR with other primaries
CONSTANT(uint, TonePq, 2u)     // HDR: SMPTE ST 2084
CONSTANT(uint, ToneHlg, 3u)    // HDR: ARIB STD-B67
// Logarithms of light have 4096 steps per octave. SDR white, 203 cd/m2 in HDR, is LogWhite, so that 0 is
// 2^-16 of it. Tables indexed by them have an entry for every 16 steps: its value in the lower 16 bits and
// the difference to the next entry in the upper.
CONSTANT(int, LogWhite, 65520)
CONSTANT(int, LogPeak, 88549)  // 10000 cd/m2: LogWhite + 4096 * log2(10000 / 203)

#define MODE_CONSTANT(Name, number, name, help) CONSTANT(ENUM(Mode), Mode##Name, ENUM(Mode)(number))
FOR_EACH_MODE(MODE_CONSTANT)
#undef MODE_CONSTANT

CONSTANT(uint, ColorMono, 0u)
CONSTANT(uint, ColorFg, 1u)
CONSTANT(uint, ColorFull, 2u)

CONSTANT(uint, EffectNone, 0u)
CONSTANT(uint, EffectRain, 1u)
CONSTANT(uint, EffectTube, 2u)
CONSTANT(uint, EffectGlitch, 3u)
CONSTANT(uint, EffectRipple, 4u)

CONSTANT(uint, OverlayNone, 0xFFFFFFFFu)  // OverlayCell::glyph where the picture shows through

// One character cell. Colors are 0xFFRRGGBB: bytes B, G, R, 255 in memory.
struct Cell {
  uint glyph;
  uint foreground;
  uint background;
};

// Where one component's samples are in the frame's buffer (bytes), and its two axes in the axis table
// (words).
struct ComponentSource {
  uint base;      // byte offset of the first sample
  uint stride;    // bytes from row to row
  uint step;      // bytes from sample to sample
  uint shift;     // low bits to drop, so that at most 12 significant bits are left
  uint mask;      // significant bits after the shift
  uint sum_shift; // brings a weighted sum of samples to 12 bits
  uint axis_x;    // first word of the axis along source rows: `first` per entry, then taps_x weights per
                  // entry
  uint taps_x;
  uint axis_y;
  uint taps_y;
};

// How a frame becomes the lattice of samples.
struct SampleParameters {
  uint lattice_width;   // samples across: columns * samples_x
  uint lattice_height;
  uint samples_x;       // samples across one cell
  uint samples_y;
  uint columns;         // cells across
  uint model;
  uint bytes_per_sample;
  uint transpose;       // 1: lattice columns run along source columns (rotation by 90 or 270 degrees)
  uint luma_from_rgb;   // 1: luma is computed from R'G'B'; 0: it is the expanded Y'
  int luma_weight_r;    // sum to 2^14
  int luma_weight_g;
  int luma_weight_b;
  int y_offset;         // subtracted from the 12-bit code value
  int y_scale;          // 2^14 / (code range in 8 bits / 255)
  int r_from_cr;        // 2^14 fixed point, from 12-bit centered chroma to 8 bits
  int g_from_cb;
  int g_from_cr;
  int b_from_cb;
  int luma_y_scale;     // these five: the same for the matrix of luma's weights
  int luma_r_from_cr;
  int luma_g_from_cb;
  int luma_g_from_cr;
  int luma_b_from_cb;
  int adjust_at;        // axis table offset of 256 words by 8-bit code value: its adjusted value; 0: none
  int saturation;       // for adjusted samples, SaturationOne = unchanged
  uint tone;            // one of Tone*; with ToneNone the members from here to component_0 are unused
  // Offsets in words into the axis table.
  int code_light_at;    // 4096 words by 12-bit code value: 16-bit linear light (ToneGamut) or its signed
                        // logarithm
  int system_at;        // ToneHlg: 4096 words by 12-bit scene luminance: signed logarithm that the display
                        // adds
  int loss_at;          // by the logarithm of the brightest component, up to LogPeak: what tone mapping
                        // subtracts
  int light_at;         // by a logarithm up to LogWhite: 16-bit linear light
  int srgb_at;          // 4096 words of four bytes: 8-bit code value of 14-bit linear light
  int gamut_r_from_r;   // 2^14 fixed point, linear light to BT.709's primaries; each row sums to 2^14
  int gamut_r_from_g;
  int gamut_r_from_b;
  int gamut_g_from_r;
  int gamut_g_from_g;
  int gamut_g_from_b;
  int gamut_b_from_r;
  int gamut_b_from_g;
  int gamut_b_from_b;
  ComponentSource component_0;
  ComponentSource component_1;
  ComponentSource component_2;
};

// What mapping needs to know about the whole frame and its history; computed once per frame, before its
// cells.
struct FrameState {
  uint level;   // 16-bit linear light of the picture's bright end, smoothed in time
  uint gain;    // factor on light that brings the bright end to white, 4096 = 1
  uint keep;    // 1: the previous frame's cells count
  uint frames;  // since the last reset
};

// What a cell's neighbors and the same cell of the next frame need to know about it. Where mapping needs an
// analysis (needs_analysis() in glyph_tables.h), both members of every cell are written before any cell is matched.
// A cell reads its own and its neighbors' up to SurroundColumns and SurroundRows away (SURROUND, MODE_WORD in
// prelude.glsl), beyond the grid the nearest cell's.
struct CellAnalysis {
  uint halves;     // cell_halves(), in every mode: mean luma of the upper half in the lower 16 bits, of the lower half
                   // in the upper; 16 = one code value
  uint mode_word;  // mode_word(). ModeEdge: edge_word(); ModeRamp: mean_light(), 16 bits; ModeShape: 0
};

// How the lattice becomes cells. Members named *_at are offsets in words into the glyph tables.
struct MapParameters {
  uint columns;
  uint rows;
  uint sample_count;      // in a cell, at most MaxSamples
  uint samples_x;         // across a cell
  uint glyph_count;       // forms to choose from: narrow glyphs, then, where colors may swap, the same
                          // swapped
  uint reversed_from;     // forms from here on are glyph (form - reversed_from) with its colors swapped
  ENUM(Mode) mode;
  uint color;
  uint foreground;        // 0xFFRRGGBB
  uint background;
  uint wide_forms;        // forms two cells wide: characters, then, where colors may swap, the same swapped;
                          // 0: none
  uint wide_count;        // characters two cells wide
  uint wide_from;         // left half of the first wide character; its right half and the others' halves
                          // follow
  uint wide_ramp;         // 1: ramps consist of wide characters
  uint blank_glyph;       // shown by flat cells in full color
  uint flat_threshold;    // a cell is flat if the variance of its samples, summed over channels, is below
                          // this / 16
  uint feature_pairs;     // words of a glyph's feature vector
  uint local_contrast;    // gain on the difference between samples and their surroundings, 16 = doubled; 0:
                          // none
  uint legibility;        // least luma difference between the two colors
  uint stability;         // 256 = the maximum
  uint auto_levels;
  uint level_rate;        // share of its way to the frame's own that the bright end moves, 65536 = all
  uint level_gain;        // FrameState::gain
  uint keep_previous;     // FrameState::keep
  uint two_pass;          // full: 1: cells are mapped twice, with error diffusion between neighbors (draft.glsl)
  uint dither;
  uint features_at;       // per form, then per half of a wide form: feature_pairs words of two signed 16-bit
                          // numbers
  uint bias_at;           // the same: subtracted from its score
  uint ink_at;            // fg, per glyph: 4096 / its relative mean light, at most 2^19; 0: no ink
  uint compress_at;       // mono: 8192 words by relative light: compressed() in light.glsl
  uint mono_dither_at;    // mono: 4096 words by relative light: see mono_dither() in dither.h
  uint coverage_at;       // per glyph: MaxSamples bytes, 0 to CoverageOne
  uint weights_at;        // per glyph: MaxSamples bytes: perceptual weight of each sample under its ink
                          // (fit.glsl)
  uint full_weights_at;   // the same for a cell full of ink
  uint weight_shift;      // left shift that brings sums weighted by those bytes to PerceptualLog2
  uint sums_at;           // per glyph: `a` and `contrast` of PerceivedGlyph, sums of its pixels' coverage and
                          // of its square
  uint pool_at;           // mono: PooledCount rows of sample_count weights that sum to 256
  uint linear_at;         // 256 words: 16-bit linear light of an 8-bit code value
  uint encode_at;         // 4096 words: 8-bit code value of 12-bit linear light
  uint ramp_at;           // 256 words by code value: two glyphs of 12 bits and the share of the second in
                          // 256ths; wide ramps: numbers of wide characters from 1 on, 0 for two blanks
  uint tones_at;          // per glyph: the code value that ramps use it for
  uint palette_at;        // the palette's colors; 0: none
  uint nearest_at;        // 32768 words by the upper five bits of R, G, B: index of the nearest palette color
  uint dither_at;         // DitherSize squared words: thresholds 0 to 255
  uint dither_range;      // palettes: range by which thresholds move a color, in code values
  uint surround_at;       // local contrast: weights of 5 cells by samples_x, then of 6 half cells by samples
                          // down; each set sums to 256
  uint edge_at;           // glyphs for edges, by direction and place
};

// How cells become a picture.
struct DrawParameters {
  uint columns;
  uint rows;
  uint cell_width;    // pixels
  uint cell_height;
  uint origin_x;      // pixels left of the grid, black
  uint origin_y;
  uint width;         // of the picture
  uint height;
};

// One character cell of text over the picture.
struct OverlayCell {
  uint glyph;       // of the overlay's own glyphs, or OverlayNone
  uint foreground;  // 0xFFRRGGBB
  uint paper;       // the background, 0xAARRGGBB: A is its opacity over the picture's cell, 255 = opaque
};

// How text and the picture's cells combine into the cells that are drawn.
struct OverlayParameters {
  uint columns;
  uint rows;
  uint has_picture;  // 0: there is no picture yet, draw black
  uint first_glyph;  // number of the overlay's first glyph: they follow the picture's
  uint wide_from;    // left half of the picture's first wide glyph; first_glyph: it has none
  uint blank;        // a glyph without ink
  uint coverage_at;      // GPU: byte offset after the masks: mean coverage of each picture glyph, one byte each
};

// Parameters of an effect on the picture's cells, which runs before text covers them.
struct EffectParameters {
  uint effect;
  uint time;         // milliseconds of the video; wraps
  uint cell_width;   // pixels; they keep rings round
  uint cell_height;
  MapParameters map; // what the cells were mapped with: an effect keeps to their colors and glyphs
};
