// Structures and constants shared by GLSL and C++. Members are int and uint only, so that std430 and C++ use
// the same layout; tests/gpu compares the offsets.

#include "modes.glsl"

CONSTANT(uint, MaxSamples, 32u)       // maximum number of samples in a cell
CONSTANT(uint, CoverageOne, 32u)      // fixed-point 1.0 of a glyph's coverage at a sample
CONSTANT(uint, PerceptualLog2, 11u)         // log2 of the perceptual weight of a fully covered cell (fit.glsl)
CONSTANT(uint, AxisWeightSum, 256u)   // sum of the weights of an axis entry
CONSTANT(uint, AxisOutside, 0xFFFFFFFFu)  // `first` of an axis entry that lies outside the source and is black
CONSTANT(uint, DraftMeanError, 34u)   // index of the mean_error() in the words of a cell's draft (mix.glsl)
CONSTANT(uint, DraftWords, 35u)       // words per draft: MaxSamples residuals, two pairs of candidates, mean_error()
CONSTANT(uint, CandidateCount, 4u)    // number of best-scoring glyphs that are compared by their true error
CONSTANT(uint, GlyphGroups, 4u)       // number of groups of glyphs that contribute candidates (ranking.glsl)
CONSTANT(int, ScoreShift, 12)         // lowest bit of the score in a key of Ranking (ranking.glsl)
CONSTANT(int, ByteFeatureShift, 9)    // see ByteFeatures in cell_samples.glsl
CONSTANT(int, ByteFeatureZero, 64)
CONSTANT(uint, PooledCount, 8u)       // low-passed light values of a cell that mono and fg compare, besides the mean
CONSTANT(int, SurroundColumns, 2)     // a cell reads the CellAnalysis of cells up to this many columns away
CONSTANT(int, SurroundRows, 1)        // a cell reads the CellAnalysis of cells up to this many rows away
CONSTANT(uint, RegionsX, 16u)         // clarity.glsl: maximum number of regions along x
CONSTANT(uint, RegionsY, 9u)          // clarity.glsl: maximum number of regions along y
CONSTANT(uint, RegionCount, 144u)
CONSTANT(uint, DitherSize, 64u)       // dither thresholds repeat after this many columns and rows of cells
CONSTANT(uint, MeanFeatureGain, 3u)   // mono: factor on the mean's feature; the mean's squared error counts 9-fold
CONSTANT(uint, MonoNoise, 400u)       // mono: in still video, noise of the squared distance between a cell and a form
CONSTANT(uint, InkNoise, 32u)         // fg: noise of ink_score() in still video
CONSTANT(uint, FullNoise, 380u)       // full: noise of ColorFit::error in still video
CONSTANT(uint, LegibleNoise, 570u)    // full with legibility: noise of ColorFit::error in still video
CONSTANT(uint, StillDifference, 4u)   // a smaller change of a code value counts as flickering
CONSTANT(uint, UnseenDifference, 1u)  // a change of a code value up to this is too small to see
CONSTANT(int, LightInkBelow, 140)     // legibility: ink is light if the mean luma of its surroundings is below this
CONSTANT(int, PolarityMargin, 20)     // legibility: half the width of the hysteresis around LightInkBelow
CONSTANT(int, WeakVariance, 140)      // legibility: surroundings set polarity if channel variances total less than this
CONSTANT(int, WeakContrast, 24)       // legibility: surroundings set polarity if drawn luma's variance is below this
CONSTANT(int, PolarityCost, 5)        // legibility: changing polarity costs this / 16 of the error that a glyph removes
CONSTANT(int, PolarityAversion, 3)    // legibility: the unwanted polarity costs a candidate 2^-3 of its score
CONSTANT(int, InkGray, 32)            // legibility: channels are moved apart in proportion to the mean color + this
CONSTANT(uint, EdgeShading, 9u)       // edge mode, fg: factor on light between contours, in sixteenths
CONSTANT(uint, EdgeMonoShading, 2u)   // the same for mono, where strokes and shading have one color
CONSTANT(uint, EdgeTint, 6u)          // edge mode, full with legibility: sixteenths of background in a stroke's color
CONSTANT(uint, MixesPerColor, 4u)     // number of mixes that the table at MixTables::mixes_at has for each palette_key()
CONSTANT(uint, MixOne, 64u)           // fixed-point 1.0 of a share of a cell (mix.glsl)
CONSTANT(uint, InkMeanGain, 2u)       // fg: factor on the mean's feature; the mean's squared error counts 4-fold

// Offsets in the table at MapParameters::edge_at (edge.glsl), and its dimensions.
CONSTANT(uint, EdgeWeightXx, 0u)
CONSTANT(uint, EdgeWeightXy, 1u)
CONSTANT(uint, EdgeWeightYy, 2u)
CONSTANT(uint, EdgeHigh, 3u)
CONSTANT(uint, EdgeLow, 4u)
CONSTANT(uint, EdgeHeader, 5u)
CONSTANT(uint, EdgeDirections, 8u)
CONSTANT(uint, EdgeDirectionWords, 3u)
CONSTANT(uint, EdgePlaces, 5u)
CONSTANT(uint, EdgeGlyphs, 29u)  // the glyphs follow the header and the directions

CONSTANT(int, SaturationOne, 256)

CONSTANT(uint, ModelGray, 0u)
CONSTANT(uint, ModelYuv, 1u)
CONSTANT(uint, ModelRgb, 2u)

CONSTANT(uint, ToneNone, 0u)   // SDR whose primaries are BT.709's or similar: R'G'B' is shown unchanged
CONSTANT(uint, ToneGamut, 1u)  // SDR with other primaries
CONSTANT(uint, TonePq, 2u)     // HDR: SMPTE ST 2084
CONSTANT(uint, ToneHlg, 3u)    // HDR: ARIB STD-B67
// Logarithms of light have 4096 steps per octave. LogWhite is the logarithm of SDR white (203 cd/m2 in HDR), so
// the logarithm 0 means 2^-16 of SDR white, almost exactly. Tables indexed by logarithms have an entry for every 16
// steps: the entry's value in the lower 16 bits, and the difference to the next entry in the upper 16 bits.
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

CONSTANT(uint, GlowColumns, 2u)           // a cell has this many columns of glow tiles (glow.glsl)
CONSTANT(uint, GlowRows, 4u)

CONSTANT(uint, OverlayNone, 0xFFFFFFFFu)  // OverlayCell::glyph of a cell without text
CONSTANT(uint, WipeLine, 2u)              // width in pixels of the line between source video and glyphs
CONSTANT(uint, NoPixel, 0xFFFFFFFFu)      // text_index() outside the text image

// One character cell. Colors are 0xFFRRGGBB: bytes B, G, R, 255 in memory.
struct Cell {
  uint glyph;
  uint foreground;
  uint background;
};

// Where one component's samples are in the frame's buffer, in bytes, and where the component's two axes are in the
// axis table, in words.
struct ComponentSource {
  uint base;      // byte offset of the first sample
  uint stride;    // bytes from row to row
  uint step;      // bytes from sample to sample
  uint shift;     // low bits to drop, so that at most 12 significant bits are left
  uint mask;      // significant bits after the shift
  uint sum_shift; // brings a weighted sum of samples to 12 bits
  uint axis_x;    // first word of the axis along source rows: all entries' `first`, then all entries' taps_x weights
  uint taps_x;
  uint axis_y;
  uint taps_y;
};

// A conversion from Y'CbCr, or from R'G'B' of another range, to R'G'B'.
struct YuvScale {
  int y_offset;   // subtracted from the 12-bit code value
  int y_scale;    // 2^14 * 255 / (code range in 8 bits)
  int r_from_cr;  // gains on centered chroma, 2^14 = 1
  int g_from_cb;
  int g_from_cr;
  int b_from_cb;
};

// A matrix from the source's linear light to BT.709's primaries, 2^14 = 1. Each row sums to 2^14.
struct GamutMatrix {
  int r_from_r;
  int r_from_g;
  int r_from_b;
  int g_from_r;
  int g_from_g;
  int g_from_b;
  int b_from_r;
  int b_from_g;
  int b_from_b;
};

// Tables for sources in HDR or with other primaries. Members are offsets in words into the axis table.
struct ToneTables {
  int code_light_at;  // 4096 words, one per 12-bit code: 16-bit linear light with ToneGamut, else its signed logarithm
  int system_at;      // ToneHlg: 4096 words, one per 12-bit scene luminance: signed logarithm of the display's gain
  int loss_at;        // indexed by the brightest component's logarithm, up to LogPeak: the number that tone mapping
                      // subtracts from every component's logarithm
  int light_at;       // indexed by a logarithm up to LogWhite: 16-bit linear light
  int srgb_at;        // 4096 words of four bytes, one byte for each 14-bit linear light: its 8-bit code value
};

// How a frame is sampled to the lattice.
struct SampleParameters {
  uint lattice_width;   // samples across: columns * samples_x
  uint lattice_height;
  uint samples_x;       // samples across one cell
  uint samples_y;
  uint columns;         // cells across
  uint model;
  uint bytes_per_sample;
  uint transpose;       // 1: lattice rows run along source columns (rotation by 90 or 270 degrees)
  YuvScale yuv;
  uint luma_from_rgb;   // 1: luma is computed from R'G'B'; 0: it is the expanded Y'
  int luma_weight_r;    // the three weights sum to 2^14
  int luma_weight_g;
  int luma_weight_b;
  YuvScale luma_yuv;    // conversion by the matrix of the luma weights; 2^14 = 1, factors have 13 fractional bits
  int adjust_at;        // offset of 256 words in the axis table: the adjusted value of each code value; 0: unadjusted
  int saturation;       // used if adjust_at is not 0; SaturationOne = unchanged
  uint tone;            // one of Tone*; with ToneNone, `curve` and `gamut` are unused
  ToneTables curve;
  GamutMatrix gamut;
  ComponentSource component_0;
  ComponentSource component_1;
  ComponentSource component_2;
};

// What mapping needs to know about the whole frame and its history. Computed once per frame, before the frame's
// cells are matched.
struct FrameState {
  uint level;   // 16-bit linear light of the picture's bright end (frame_state.glsl), smoothed over time
  uint gain;    // factor on light that scales the bright end to white, 4096 = 1
  uint keep;    // 1: the previous frame's cells are used; 0: they are ignored
  uint frames;  // number of frames since the last reset
};

// The properties of a cell that its neighbors, and the same cell in the next frame, depend on. If mapping needs an
// analysis (needs_analysis() in glyph_tables.h), both members are written for every cell before any cell is matched.
// A cell reads its own analysis and the analyses of neighbors up to SurroundColumns and SurroundRows away (SURROUND,
// MODE_WORD in prelude.glsl). Beyond the grid, the analysis of the nearest cell is read.
struct CellAnalysis {
  uint halves;     // cell_halves(): mean luma, 16 = one code value; bits 0 to 15: upper half, bits 16 to 31: lower half
  uint mode_word;  // mode_word(). ModeEdge: edge_word(); ModeRamp: mean_light(), 16 bits; ModeShape: 0
};

// In the following structures, members named *_at are offsets in words into the glyph tables.

// The forms that cells are compared with: each glyph and, if colors may swap, the glyph with swapped colors.
struct FormParameters {
  uint narrow;         // number of narrow forms: one per narrow glyph or, if colors may swap, two
  uint wide;           // number of wide forms: one per wide character or, if colors may swap, two
  uint reversed_from;  // a form from this index on is glyph (form - reversed_from) with swapped colors
  uint wide_count;     // number of characters two cells wide
  uint wide_from;      // glyph index of the first wide character's left half; all other halves follow it
  uint wide_ramp;      // 1: ramps consist of wide characters
  uint feature_pairs;  // words of a form's feature vector
  uint features_at;    // per narrow form, then per half of a wide form: feature_pairs words of two signed 16-bit values
  uint bias_at;        // per narrow form, then per half of a wide form: its feature vector's squared length / 2
  // Full color has two more tables, in the same order, for byte_product():
  uint bytes_at;         // MaxSamples signed bytes: the form's features, scaled so that the largest of all forms is 127
  uint byte_offsets_at;  // -(ByteFeatureZero - 1/2) times the sum of the form's bytes
  uint index_mask;       // 2^n - 1, at least 4095 and at least every form's index
};

// In mono and fg: how much the contrast between a cell's samples and their surroundings is raised.
struct SurroundParameters {
  uint contrast;    // gain on the difference between samples and their surroundings, at most 8; 2 = doubled; 0: none
  uint weights_at;  // for each sample column of a cell, the weights of 5 cells, then for each sample row, the weights
                    // of 6 half cells: 3 pairs each, which sum to 256
};

// The regions of the grid (clarity.glsl).
struct RegionParameters {
  uint columns;  // size in cells of a region; 0: no clarity
  uint rows;
  uint step_x;   // 8 / columns, 4096 = 1; region_position() increases by twice this number from cell to cell
  uint step_y;   // 8 / rows
};

// In full color: how legible a cell's glyph has to be.
struct LegibilityParameters {
  uint contrast;        // minimum contrast of the two colors, 128 times Parameters::legibility; 0: none
  uint differences_at;  // 256 words, indexed by a cell's mean luma: minimum luma difference between its two colors
  uint flat_glyphs_at;  // DitherSize^2 words that glyph_if_flat() reads; 0: flat cells are blank
  uint flat_coverage;   // mean coverage of the flat glyphs, 256 = all pixels
};

// How much of the previous frame's cells is kept.
struct HistoryParameters {
  uint stability;  // 0 to 256: how strongly a cell keeps the previous frame's glyph and colors
  uint keep;       // FrameState::keep
};

// Auto-levels (frame_state.glsl).
struct LevelParameters {
  uint automatic;  // 1: light is scaled so that the frame's bright end becomes white
  uint rate;       // how far FrameState::level moves toward the frame's bright end, 65536 = all the way
  uint gain;       // FrameState::gain
};

struct DitherParameters {
  uint kind;
  uint thresholds_at;  // DitherSize^2 words: thresholds 0 to 255
  uint range;          // palettes: dithering adds offsets from -range / 2 to range / 2 to a color, in code values
  uint mono_at;        // mono: 4096 words, indexed by relative light: see mono_dither() in dither.h
};

// Tables of light, most of them for mono and fg (light.glsl).
struct LightTables {
  uint linear_at;    // 256 words: 16-bit linear light of an 8-bit code value
  uint encode_at;    // 4096 words: 8-bit code value of 12-bit linear light
  uint root_at;      // 4096 words: the code value whose square is 16 times the index
  uint ink_at;       // fg, per glyph: 4096 / the glyph's relative mean light, at most 2^19; 0: the glyph is blank
  uint compress_at;  // mono: 8192 words, indexed by relative light: compressed() in light.glsl
  uint pool_at;      // mono and fg: PooledCount rows of sample_count weights, in pairs; each row sums to 256
};

// Tables from which a glyph's two colors are fitted (fit.glsl).
struct FitTables {
  uint coverage_at;      // per glyph: MaxSamples bytes, 0 to CoverageOne
  uint weights_at;       // per glyph: MaxSamples bytes, the weights of the samples in inked_sums()
  uint full_weights_at;  // MaxSamples bytes, the weights of the samples in full_sums()
  uint weight_shift;     // left shift of the results of inked_sums() and full_sums(), after which the weights of
                         // full_sums() sum to 2^PerceptualLog2
  uint sums_at;          // 2 words per glyph: PerceivedGlyph::a and ::contrast, GlyphSums::a and ::aa, 16 bits each
};

struct RampTables {
  uint entries_at;  // 256 words, indexed by tone: two 12-bit glyph numbers, the second one's share in 256ths (see Ramp)
  uint tones_at;    // per glyph: its tone in ramps, a code value
};

struct PaletteTables {
  uint colors_at;   // the palette's colors; 0: none
  uint nearest_at;  // 32768 words, one per palette_key(): index of the nearest palette color
};

// Tables for mixes, which are pairs of palette colors that a glyph blends. Used in full color with a palette (mixes.h).
struct MixTables {
  uint mixes_at;      // MixesPerColor words for each palette_key(); 0: none
  uint fits_palette;  // 1: fitted colors compete with mixes; 0: they do not (coarse palette); unused if mixes_at is 0
  uint levels_at;     // MixOne + 1 words, indexed by a mix's share: the glyph with the least texture, and the
                      // lowest and highest contrast of glyphs with about this share (mixes.h)
  uint forms_at;      // per narrow glyph: standard deviation of its perceived coverage (lower 10 bits, 1024 = 1), and
                      // its coverage (upper bits, MixOne = all)
  uint scale;         // converts the contrast of two colors to the scale of features
};

// How the lattice is mapped to cells.
struct MapParameters {
  uint columns;
  uint rows;
  uint sample_count;    // in a cell, at most MaxSamples
  uint samples_x;       // number of sample columns in a cell
  ENUM(Mode) mode;
  uint color;
  uint foreground;      // 0xFFRRGGBB
  uint background;
  uint blank_glyph;     // the blank glyph; in full color, flat cells show it if legibility.flat_glyphs_at is 0
  uint flat_threshold;  // 16 * V: a cell is flat if its samples' variance, summed over the channels, is less than V
  uint two_pass;        // 1: full color is mapped twice, with error diffusion between neighboring cells (draft.glsl)
  FormParameters forms;
  SurroundParameters surround;
  RegionParameters regions;
  LegibilityParameters legibility;
  HistoryParameters history;
  LevelParameters levels;
  DitherParameters dither;
  LightTables light;
  FitTables fit;
  RampTables ramp;
  PaletteTables palette;
  MixTables mix;
  uint edge_at;         // offset of the table that edge.glsl describes; 0: no table
  uint glow_at;         // offset of the table that glow.glsl describes
};

// How cells are drawn to pixels.
struct DrawParameters {
  uint columns;
  uint rows;
  uint cell_width;    // pixels
  uint cell_height;
  uint origin_x;      // width in pixels of the black border to the left of the grid
  uint origin_y;
  uint width;         // of the whole picture in pixels, with its black borders
  uint height;
  uint text_x;        // position and size of the TextImage; text_width is 0 if there is none
  uint text_y;
  uint text_width;
  uint text_height;
  uint wipe;          // number of pixel columns, from the grid's left edge, that show the source video; 0: no wipe
  uint glow;          // how much of the surrounding light is added to each pixel, 256 = all (glow.glsl)
  uint scanlines;     // how dark scan lines are, 256 = black
  uint glow_at;       // the table that glow.glsl describes: its offset in words into the glyph tables
  uint glow_glyphs;   // glyphs from this index on are the overlay's; only their backgrounds glow
};

// One character cell of text over the mapped cells.
struct OverlayCell {
  uint glyph;       // index among the overlay's glyphs, or OverlayNone
  uint foreground;  // 0xFFRRGGBB
  uint background;  // 0xAARRGGBB: A is its opacity over the mapped cell, 255 = opaque
};

// How text is composed over the mapped cells.
struct OverlayParameters {
  uint columns;
  uint rows;
  uint has_picture;  // 0: no frame has been mapped yet, and text is drawn over black cells
  uint first_glyph;  // index of the first overlay glyph; overlay glyphs follow the picture's glyphs
  uint wide_from;    // glyph index of the left half of the picture's first wide character; first_glyph if there is none
  uint blank;        // the blank glyph
  uint coverage_at;  // GPU: byte offset, in the mask buffer, of the picture glyphs' mean coverages, one byte each
};

// Parameters of an effect, which changes the mapped cells before text is composed over them.
struct EffectParameters {
  uint effect;
  uint time;         // time in the video in milliseconds; wraps
  uint cell_width;   // pixels; the ripple uses the cell size to draw round rings
  uint cell_height;
  MapParameters map; // parameters of the mapping; an effect uses the same colors and glyphs
};
