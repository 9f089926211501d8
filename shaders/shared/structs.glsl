// Structures and constants that both languages see. Members are int and uint alone, so that std430 and C++ lay them
// out alike; tests/gpu compares the offsets.

CONSTANT(uint, MaxSamples, 32u)       // samples in a cell
CONSTANT(uint, CoverageOne, 32u)      // fixed-point 1.0 of a glyph's coverage at a sample
CONSTANT(uint, SeenLog2, 11u)         // what eyes make of a cell full of ink is 2 to the power of this (fit.glsl)
CONSTANT(uint, AxisWeightSum, 256u)   // the weights of an axis entry sum to this
CONSTANT(uint, AxisOutside, 0xFFFFFFFFu)  // "first" of an axis entry that no source pixel falls into: black
CONSTANT(uint, DraftWords, 34u)       // a cell's draft: what it leaves of MaxSamples samples, and two pairs of candidates
CONSTANT(uint, CandidateCount, 4u)    // best-scoring glyphs that are compared by their true error
CONSTANT(uint, PooledCount, 8u)       // low-passed numbers that mono matching compares, besides the mean
CONSTANT(uint, DitherSize, 64u)       // the side of the square that thresholds repeat in
CONSTANT(uint, MeanFeatureGain, 3u)   // mono: of the mean beside the pooled numbers: its squared error weighs 9
CONSTANT(uint, MonoNoise, 400u)       // what the squared distance of a cell's light to a form's varies by in still pictures
CONSTANT(uint, InkNoise, 32u)         // fg: the same, of ink_score()
CONSTANT(uint, FullNoise, 380u)       // full: the same, of ColorFit::error
CONSTANT(uint, StillDifference, 4u)   // code values that a colour may change by and still count as flickering
CONSTANT(uint, InkMeanGain, 2u)       // fg: the same

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

CONSTANT(uint, ToneNone, 0u)   // R'G'B' are shown as they are: SDR of BT.709's primaries, or near enough
CONSTANT(uint, ToneGamut, 1u)  // SDR of other primaries
CONSTANT(uint, TonePq, 2u)     // HDR by SMPTE ST 2084
CONSTANT(uint, ToneHlg, 3u)    // HDR by ARIB STD-B67
// Logarithms of light have 4096 steps an octave; SDR white, 203 cd/m2 of HDR, has this one, so that 0 is 2^-16 of it.
// Tables by them have an entry for every 16: its value in the lower 16 bits and what the next one has more in the upper.
CONSTANT(int, LogWhite, 65520)
CONSTANT(int, LogPeak, 88549)  // 10000 cd/m2: LogWhite + 4096 * log2(10000 / 203)

CONSTANT(uint, ModeRamp, 0u)
CONSTANT(uint, ModeShape, 1u)
CONSTANT(uint, ModeEdge, 2u)

CONSTANT(uint, ColorMono, 0u)
CONSTANT(uint, ColorFg, 1u)
CONSTANT(uint, ColorFull, 2u)

CONSTANT(uint, EffectNone, 0u)
CONSTANT(uint, EffectRain, 1u)
CONSTANT(uint, EffectTube, 2u)
CONSTANT(uint, EffectGlitch, 3u)
CONSTANT(uint, EffectRipple, 4u)

CONSTANT(uint, OverlayNone, 0xFFFFFFFFu)  // OverlayCell::glyph where the picture shows through

// One character cell. Colours are 0xFFRRGGBB: bytes B, G, R, 255 in memory.
struct Cell {
  uint glyph;
  uint foreground;
  uint background;
};

// Where one component's samples lie in the frame's buffer (bytes), and its two axes in the axis table (words).
struct ComponentSource {
  uint base;      // byte offset of the first sample
  uint stride;    // bytes from row to row
  uint step;      // bytes from sample to sample
  uint shift;     // low bits to drop, so that at most 12 significant bits are left
  uint mask;      // significant bits after the shift
  uint sum_shift; // brings a weighted sum of samples to 12 bits
  uint axis_x;    // first word of the axis along source rows: `first` per entry, then taps_x weights per entry
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
  uint luma_from_rgb;   // 1: luma is weighed from R'G'B'; 0: it is the expanded Y'
  int luma_weight_r;    // sum to 2^14
  int luma_weight_g;
  int luma_weight_b;
  int y_offset;         // of the 12-bit code value
  int y_scale;          // 2^14 / (code range in 8 bits / 255)
  int r_from_cr;        // 2^14 fixed point, from 12-bit centred chroma to 8 bits
  int g_from_cb;
  int g_from_cr;
  int b_from_cb;
  int luma_y_scale;     // the same five of the matrix that luma is weighed by
  int luma_r_from_cr;
  int luma_g_from_cb;
  int luma_g_from_cr;
  int luma_b_from_cb;
  int adjust_at;        // offset into the axis table, 256 words by 8-bit code value: what it is adjusted to; 0: nothing is
  int saturation;       // of what is adjusted, SaturationOne = as it is
  uint tone;            // one of Tone*; ToneNone: the members from here to component_0 are not used
  // Offsets in words into the axis table.
  int code_light_at;    // 4096 words, by 12-bit code value: 16-bit linear light (ToneGamut) or its logarithm, signed
  int system_at;        // ToneHlg: 4096 words, by 12-bit scene luminance: what the display adds to logarithms, signed
  int loss_at;          // by the logarithm of the brightest component, up to LogPeak: what tone mapping takes off
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

// What the whole frame and its neighbours in time say about mapping it: made once a frame, before its cells.
struct FrameState {
  uint level;   // 16-bit linear light of the picture's bright end, smoothed in time
  uint gain;    // light is multiplied by this to bring it there, 4096 = 1
  uint keep;    // 1: the cells of the frame before count
  uint frames;  // since the last reset
};

// What one cell's neighbours and its next frame need to know of it.
struct CellAnalysis {
  uint halves;  // mean luma of its upper half in the lower 16 bits and of its lower half in the upper, 16 = one code value
  uint edge;    // ModeEdge: see edge.glsl; ModeRamp: mean light of its luma, 16 bits; else 0
};

// How the lattice becomes cells. Members named *_at are offsets in words into the glyph tables.
struct MapParameters {
  uint columns;
  uint rows;
  uint sample_count;      // in a cell, at most MaxSamples
  uint samples_x;         // across a cell
  uint glyph_count;       // forms to choose from: narrow glyphs, then the same again with their colours swapped, if so asked
  uint reversed_from;     // forms from here on are glyph (form - reversed_from) with its colours swapped
  uint mode;
  uint color;
  uint foreground;        // 0xFFRRGGBB
  uint background;
  uint wide_forms;        // forms two cells wide to choose from: characters, then the same swapped, if so asked; 0: none
  uint wide_count;        // characters two cells wide
  uint wide_from;         // the left half of the first one; its right half and the others' two halves follow
  uint wide_ramp;         // 1: ramps are of wide characters
  uint blank_glyph;       // what a flat cell shows in full colour
  uint gate;              // flat: sum over channels of the variance of the samples is below this / 16
  uint feature_pairs;     // words of a glyph's feature vector
  uint local_contrast;    // of the samples against their surroundings, 16 = as they are seen again; 0: none
  uint legibility;        // least difference of the two colours' luma
  uint stability;         // 256 = all that can be asked
  uint auto_levels;
  uint level_rate;        // of the bright end towards the frame's own, 65536 = at once
  uint level_gain;        // FrameState::gain
  uint keep_previous;     // FrameState::keep
  uint second_look;       // full: 1: cells are drafted first, and make good what neighbours' drafts leave (draft.glsl)
  uint dither;
  uint features_at;       // per form, then per half of a wide form: feature_pairs words of two signed 16-bit numbers
  uint bias_at;           // the same: what its score loses
  uint ink_at;            // fg, per glyph: 4096 / its relative mean light, at most 2^19; 0: no ink
  uint compress_at;       // mono: 8192 words by relative light
  uint turns_at;          // mono: 4096 words by relative light: mono_turns.h
  uint coverage_at;       // per glyph: MaxSamples bytes, 0 to CoverageOne
  uint seen_at;           // per glyph: MaxSamples bytes: what each sample counts for its ink, as eyes see it (fit.glsl)
  uint seen_full_at;      // the same of a cell full of ink
  uint seen_shift;        // brings sums of samples weighted by those bytes to SeenLog2
  uint sums_at;           // per glyph: `seen` and `contrast` of SeenGlyph; sums of its pixels' coverage and of its square
  uint pool_at;           // mono: PooledCount rows of sample_count weights that sum to 256
  uint linear_at;         // 256 words: 16-bit linear light of an 8-bit code value
  uint encode_at;         // 4096 words: 8-bit code value of 12-bit linear light
  uint ramp_at;           // 256 words by code value: two glyphs of 12 bits and the share of the second in 256ths; of wide
                          // ramps the number of a wide character from 1 on, 0 for two blanks
  uint tones_at;          // per glyph: the code value that ramps use it for
  uint palette_at;        // the palette's colours; 0: none
  uint nearest_at;        // 32768 words by the upper five bits of R, G, B: index of the palette's nearest colour
  uint dither_at;         // DitherSize squared words: thresholds 0 to 255
  uint dither_range;      // palettes: how far thresholds move a colour, in code values
  uint surround_at;       // weights for local contrast: 5 cells by samples_x, then 6 half cells by the samples down, sums 256
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
  uint paper;       // 0xAARRGGBB: A is how much of it covers the picture's cell, 255 = all
};

// How text and the picture's cells become the cells that are drawn.
struct OverlayParameters {
  uint columns;
  uint rows;
  uint has_picture;  // 0: there is no picture yet: black
  uint first_glyph;  // number of the overlay's first glyph: they follow the picture's
  uint wide_from;    // the picture's left half of its first wide glyph; first_glyph: it has none
  uint blank;        // a glyph without ink
  uint inks_at;      // GPU: byte offset behind the masks: mean coverage of each of the picture's glyphs, one byte
};

// What an effect does with the picture's cells, before text lies over them.
struct EffectParameters {
  uint effect;
  uint time;         // milliseconds of the film; it wraps
  uint cell_width;   // pixels: rings are round
  uint cell_height;
  MapParameters map; // what the cells were made with: an effect keeps to their colours and glyphs
};
