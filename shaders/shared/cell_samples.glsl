// Functions that process the samples of a cell, one sample after another. Requires structs.glsl and color.glsl.
//
// packed_samples.h and packed_light.h in src/mapping/kernels implement the same functions, bit for bit, for several
// samples at a time.

// Returns the 16-bit linear light of an 8-bit code value.
SHARED(INT) linear_light(CELL_CONTEXT, IN(MapParameters) p, UINT code) {
  return to_int(GATHER(broadcast(int(p.light.linear_at)) + to_int(code)));
}

// Returns the sum, over the cell's samples, of the linear light of their luma.
SHARED(INT) light_sum(CELL_CONTEXT, IN(MapParameters) p) {
  INT sum = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) sum += linear_light(CELL_ARGUMENTS, p, SAMPLE_BYTE(i, 24u));
  return sum;
}

// Returns 16-bit light after auto-levels.
SHARED(INT) exposed(INT light, IN(MapParameters) p) {
  INT raised = ((light >> 2) * int(p.levels.gain >> 6)) >> 4;  // the product has 14 + 7 bits
  return smaller(raised, broadcast(65535));
}

// The code values of one byte of a cell's samples: of one channel, or luma.
struct CellCodes {
  INT code[MaxSamples];
};

// `shift`: see SAMPLE_BYTE in prelude.glsl.
SHARED(CellCodes) cell_codes(CELL_CONTEXT, IN(MapParameters) p, uint shift) {
  CellCodes codes;
  for (uint i = 0u; i < p.sample_count; ++i) codes.code[i] = to_int(SAMPLE_BYTE(i, shift));
  return codes;
}

// Adds a number from -255 to 255 to each code value, and clamps the sums.
SHARED(CellCodes) raised_codes(IN(MapParameters) p, IN(CellCodes) codes, INT added) {
  CellCodes raised;
  for (uint i = 0u; i < p.sample_count; ++i) raised.code[i] = clamp_8(codes.code[i] + added);
  return raised;
}

SHARED(INT) exposed_light(CELL_CONTEXT, IN(MapParameters) p, INT code) {
  return exposed(linear_light(CELL_ARGUMENTS, p, to_uint(code)), p);
}

// Returns the sum of the exposed() light of code values.
SHARED(INT) exposed_light_sum(CELL_CONTEXT, IN(MapParameters) p, IN(CellCodes) codes) {
  INT sum = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) sum += exposed_light(CELL_ARGUMENTS, p, codes.code[i]);
  return sum;
}

// The mean luma of the half cells around a cell, blurred along x. halves[3x + j] is for sample column x and for the row
// of cells above (j = 0), that of the cell (1), and the row below (2). It has two numbers of 15 bits, 128 = one code
// value: the upper half cell's and the lower half cell's.
struct Surroundings {
  UINT halves[4u * 3u];
};

// Increases the difference between each sample's luma and the surroundings, which are blurred along y.
SHARED(CellCodes) contrasted(CELL_CONTEXT, IN(MapParameters) p, IN(CellCodes) lumas, IN(Surroundings) around) {
  uint weights = p.surround.weights_at + p.samples_x * 3u;
  CellCodes raised;
  for (uint i = 0u; i < p.sample_count; ++i) {
    INT blurred = broadcast(1024);
    for (uint j = 0u; j < 3u; ++j) {
      blurred = multiply_add_pairs(blurred, around.halves[i % p.samples_x * 3u + j],
                                   TABLE(weights + i / p.samples_x * 3u + j));
    }
    INT code = lumas.code[i] * 16;
    INT sum = code + (((code - (blurred >> 11)) * int(p.surround.contrast)) >> 1);
    raised.code[i] = clamp_8((sum + 8) >> 4);
  }
  return raised;
}

// Low-passed light of a cell: light at a lower resolution than that of the samples, 16 bits.
struct Pools {
  INT light[PooledCount];
};

// Returns the pools of the samples' exposed() light.
SHARED(Pools) pool_light(CELL_CONTEXT, IN(MapParameters) p, IN(CellCodes) codes) {
  uint pairs = (p.sample_count + 1u) / 2u;
  INT light[MaxSamples];
  light[2u * pairs - 1u] = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) light[i] = exposed_light(CELL_ARGUMENTS, p, codes.code[i]);
  Pools pools;
  for (uint k = 0u; k < PooledCount; ++k) {
    INT sum = broadcast(128);
    for (uint j = 0u; j < pairs; ++j) {
      uint weights = TABLE(p.light.pool_at + k * pairs + j);
      sum += int(weights & 0xFFFFu) * light[2u * j] + int(weights >> 16) * light[2u * j + 1u];
    }
    pools.light[k] = sum >> 8;
  }
  return pools;
}

// Returns the sum of the luma of samples [first, end).
SHARED(INT) luma_sum(CELL_CONTEXT, uint first, uint end) {
  INT sum = broadcast(0);
  for (uint i = first; i < end; ++i) sum += to_int(SAMPLE_BYTE(i, 24u));
  return sum;
}

// A cell's samples.
struct CellSamples {
  UINT word[MaxSamples];
};

SHARED(CellSamples) load_samples(CELL_CONTEXT, IN(MapParameters) p) {
  CellSamples cell;
  for (uint i = 0u; i < p.sample_count; ++i) cell.word[i] = SAMPLE(i);
  return cell;
}

// Sums over a cell's samples: of each channel, of its square, and of the product of each pair of channels.
struct SampleSums {
  INT r, g, b;
  INT rr, gg, bb, rg, rb, gb;
};

SHARED(SampleSums) sample_sums(IN(CellSamples) cell, IN(MapParameters) p) {
  SampleSums s;
  s.r = broadcast(0); s.g = broadcast(0); s.b = broadcast(0);
  s.rr = broadcast(0); s.gg = broadcast(0); s.bb = broadcast(0);
  s.rg = broadcast(0); s.rb = broadcast(0); s.gb = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) {
    UINT t = cell.word[i];
    INT r = sample_red(t);
    INT g = sample_green(t);
    INT b = sample_blue(t);
    s.r += r;
    s.g += g;
    s.b += b;
    s.rr += r * r;
    s.gg += g * g;
    s.bb += b * b;
    s.rg += r * g;
    s.rb += r * b;
    s.gb += g * b;
  }
  return s;
}

// For each channel, the sum of a cell's samples, each multiplied by its own weight.
struct WeightedSums {
  INT r, g, b;
};

// Returns the weighted sums. `row`: the offset of the weights in words into the glyph tables. There are MaxSamples
// weights of one byte each.
SHARED(WeightedSums) weighted_sums(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, INT row) {
  WeightedSums s;
  s.r = broadcast(0);
  s.g = broadcast(0);
  s.b = broadcast(0);
  for (uint i = 0u; i < p.sample_count; i += 4u) {
    UINT four = GATHER(row + int(i / 4u));
    for (uint j = 0u; j < 4u; ++j) {
      if (i + j < p.sample_count) {
        INT weight = to_int((four >> (8u * j)) & 255u);
        UINT t = cell.word[i + j];
        s.r += weight * sample_red(t);
        s.g += weight * sample_green(t);
        s.b += weight * sample_blue(t);
      }
    }
  }
  s.r = s.r << p.fit.weight_shift;
  s.g = s.g << p.fit.weight_shift;
  s.b = s.b << p.fit.weight_shift;
  return s;
}

// Returns P of fit.glsl for each channel: the sum of the samples, each multiplied by the glyph's perceived coverage at
// the sample.
SHARED(WeightedSums) inked_sums(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, INT glyph) {
  return weighted_sums(CELL_ARGUMENTS, p, cell, broadcast(int(p.fit.weights_at)) + glyph * int(MaxSamples / 4u));
}

// Returns T of fit.glsl for each channel: the same sum for a glyph that covers the whole cell.
SHARED(WeightedSums) full_sums(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  return weighted_sums(CELL_ARGUMENTS, p, cell, broadcast(int(p.fit.full_weights_at)));
}

// Reduces a sample's color c to one number, its feature: `(dot(c, (r, g, b)) - zero) / 2`. All members are even, and the
// result fits in 16 bits, sign included.
struct Projection {
  INT r, g, b, zero;
};

SHARED(INT) feature(UINT color, IN(Projection) to) {
  return (sample_red(color) * to.r + sample_green(color) * to.g + sample_blue(color) * to.b - to.zero) >> 1;
}

// Returns the features of samples 2j and 2j + 1.
SHARED(UINT) feature_pair(IN(CellSamples) cell, IN(MapParameters) p, uint j, IN(Projection) to) {
  INT high = broadcast(0);
  if (2u * j + 1u < p.sample_count) high = feature(cell.word[2u * j + 1u], to);
  return pack_pair(feature(cell.word[2u * j], to), high);
}

// Returns the largest absolute value of a cell's features, at least 1.
SHARED(INT) largest_feature(IN(CellSamples) cell, IN(MapParameters) p, IN(Projection) to) {
  INT largest = broadcast(1);
  for (uint i = 0u; i < p.sample_count; ++i) largest = larger(largest, absolute(feature(cell.word[i], to)));
  return largest;
}

// A cell's features in 7 bits: byte i % 4 of four[i / 4] is ByteFeatureZero plus the feature of sample i, doubled several
// times and divided by 2^ByteFeatureShift. The bytes after the last sample are undefined.
struct ByteFeatures {
  UINT four[MaxSamples / 4u];
};

// `doublings`: how often the features are doubled. The doubled features must fit in 16 bits, sign included.
SHARED(ByteFeatures) byte_features(IN(CellSamples) cell, IN(MapParameters) p, IN(Projection) to, INT doublings) {
  ByteFeatures f;
  for (uint k = 0u; k < (p.sample_count + 3u) / 4u; ++k) {
    UINT four = to_uint(broadcast(0));
    for (uint i = 0u; i < 4u; ++i) {
      if (4u * k + i < p.sample_count) {
        INT scaled = (feature(cell.word[4u * k + i], to) << doublings) >> ByteFeatureShift;
        four = four | (to_uint(scaled + ByteFeatureZero) << (8u * i));
      }
    }
    f.four[k] = four;
  }
  return f;
}

// Returns the same as byte_product() in ranking.glsl, but each cell has its own form.
SHARED(INT) own_byte_product(CELL_CONTEXT, IN(MapParameters) p, IN(ByteFeatures) f, INT form) {
  INT sum = to_int(GATHER(broadcast(int(p.forms.byte_offsets_at)) + form));
  INT row = broadcast(int(p.forms.bytes_at)) + form * int(MaxSamples / 4u);
  for (uint j = 0u; j < (p.sample_count + 3u) / 4u; ++j) sum = multiply_add_bytes(sum, f.four[j], GATHER(row + int(j)));
  return sum;
}
