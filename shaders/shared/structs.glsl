// Structures and constants that both languages see. Members are int and uint alone, so that std430 and C++ lay them
// out alike; tests/gpu compares the offsets.

CONSTANT(uint, MaxSamples, 32u)       // samples in a cell
CONSTANT(uint, CoverageOne, 32u)      // fixed-point 1.0 of a glyph's coverage at a sample
CONSTANT(uint, AxisWeightSum, 256u)   // the weights of an axis entry sum to this
CONSTANT(uint, AxisOutside, 0xFFFFFFFFu)  // "first" of an axis entry that no source pixel falls into: black
CONSTANT(uint, CandidateCount, 4u)    // best-scoring glyphs that are compared by their true error
CONSTANT(uint, PooledCount, 8u)       // low-passed numbers that mono matching compares, besides the mean
CONSTANT(uint, MeanFeatureGain, 2u)   // of the mean beside the pooled numbers: its squared error weighs 4

CONSTANT(uint, ModelGray, 0u)
CONSTANT(uint, ModelYuv, 1u)
CONSTANT(uint, ModelRgb, 2u)

CONSTANT(uint, ModeRamp, 0u)
CONSTANT(uint, ModeShape, 1u)

CONSTANT(uint, ColorMono, 0u)
CONSTANT(uint, ColorFg, 1u)
CONSTANT(uint, ColorFull, 2u)

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
  ComponentSource component_0;
  ComponentSource component_1;
  ComponentSource component_2;
};

// How the lattice becomes cells. Members named *_at are offsets in words into the glyph tables.
struct MapParameters {
  uint columns;
  uint rows;
  uint sample_count;      // in a cell, at most MaxSamples
  uint glyph_count;
  uint mode;
  uint color;
  uint foreground;        // 0xFFRRGGBB
  uint background;
  uint blank_glyph;       // what a flat cell shows in full colour
  uint gate;              // flat: sum over channels of the variance of the samples is below this / 16
  uint feature_pairs;     // words of a glyph's feature vector
  uint invert_light;      // mono: 1 where ink is darker than paper
  uint light_gain;        // mono: mean light of the brightest glyph, 4096 = 1
  uint features_at;       // per glyph: feature_pairs words of two signed 16-bit numbers
  uint bias_at;           // per glyph: what its score loses
  uint coverage_at;       // per glyph: MaxSamples bytes, 0 to CoverageOne
  uint sums_at;           // per glyph: sum of coverage, sum of squared coverage
  uint pool_at;           // mono: PooledCount rows of sample_count weights that sum to 256
  uint linear_at;         // 256 words: 16-bit linear light of an 8-bit code value
  uint encode_at;         // 4096 words: 8-bit code value of 12-bit linear light
  uint ramp_at;           // 256 words: glyph for a code value
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
