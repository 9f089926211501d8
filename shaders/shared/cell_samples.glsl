// Functions that sum over the samples of a cell, one sample after another. Requires structs.glsl and color.glsl.
//
// src/mapping/kernels/packed_samples.h implements the same functions, bit for bit, for several samples at a
// time.

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

// Returns the same as byte_product() in match.glsl, but each cell has its own form.
SHARED(INT) own_byte_product(CELL_CONTEXT, IN(MapParameters) p, IN(ByteFeatures) f, INT form) {
  INT sum = to_int(GATHER(broadcast(int(p.forms.byte_offsets_at)) + form));
  INT row = broadcast(int(p.forms.bytes_at)) + form * int(MaxSamples / 4u);
  for (uint j = 0u; j < (p.sample_count + 3u) / 4u; ++j) sum = multiply_add_bytes(sum, f.four[j], GATHER(row + int(j)));
  return sum;
}
