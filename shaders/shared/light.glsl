// The color modes mono and fg match glyphs by light. This file computes it. Requires cell_samples.glsl and fit.glsl.
//
// Light is linear (the tables use the sRGB curve of IEC 61966-2-1) and has 16 bits: 65535 = white. Relative light has
// 12 bits: 4095 = 1. For the source, 1 is white. For forms (see match.glsl) in mono, 1 is the light of the glyph set's
// brightest form. For forms in fg, 1 is 80 % of that light. Even the brightest form is far below white, because glyphs
// leave most of a cell empty.

// Returns the mean linear light of the cell's luma, 16 bits.
SHARED(INT) mean_light(CELL_CONTEXT, IN(MapParameters) p) {
  return divide_by_samples(light_sum(CELL_ARGUMENTS, p), p);
}

// Returns the 8-bit code value of 16-bit light.
SHARED(INT) encoded(CELL_CONTEXT, IN(MapParameters) p, INT light) {
  return to_int(GATHER(broadcast(int(p.light.encode_at)) + (light >> 4)));
}

// Returns numerator / count, rounded down. `numerator` must not be negative. Counts are usually powers of two, for
// which a shift suffices.
SHARED(INT) divide_by_count(INT numerator, uint count) {
  if ((count & (count - 1u)) != 0u) return divide(numerator, broadcast(int(count)));
  uint log2 = 0u;
  while ((1u << log2) < count) ++log2;
  return numerator >> log2;
}

// Returns CellAnalysis::halves.
SHARED(UINT) cell_halves(CELL_CONTEXT, IN(MapParameters) p) {
  uint half_count = p.sample_count / (2u * p.samples_x) * p.samples_x;  // samples in the upper half
  INT upper = luma_sum(CELL_ARGUMENTS, 0u, half_count);
  INT lower = luma_sum(CELL_ARGUMENTS, half_count, p.sample_count);
  uint rest = p.sample_count - half_count;
  if (half_count == 0u) {  // a single row of samples
    upper = lower;
    half_count = rest;
  }
  INT upper_mean = divide_by_count(upper * 16 + int(half_count >> 1), half_count);
  INT lower_mean = divide_by_count(lower * 16 + int(rest >> 1), rest);
  return to_uint(upper_mean) | (to_uint(lower_mean) << 16);
}

// Returns the luma of a cell's samples after raising its contrast against a blur of the surroundings. The blur uses the
// mean luma of the cells' upper and lower halves: it weights neighboring halves 1 2 1 along both axes and interpolates
// between them. Local contrast is needed because glyphs show little contrast, and eyes recognize a picture by its
// contours.
SHARED(CellCodes) local_contrast(CELL_CONTEXT, IN(MapParameters) p) {
  CellCodes lumas = cell_codes(CELL_ARGUMENTS, p, 24u);
  if (p.surround.contrast == 0u) return lumas;
  Surroundings around;
  for (uint j = 0u; j < 3u; ++j) {
    UINT halves[6];
    for (uint k = 0u; k < 5u; ++k) halves[k] = SURROUND(int(k) - 2, int(j) - 1);
    halves[5] = to_uint(broadcast(0));
    UINT upper[3];
    UINT lower[3];
    for (uint k = 0u; k < 3u; ++k) {
      upper[k] = (halves[2u * k] & 0xFFFFu) | (halves[2u * k + 1u] << 16);
      lower[k] = (halves[2u * k] >> 16) | (halves[2u * k + 1u] & 0xFFFF0000u);
    }
    for (uint x = 0u; x < p.samples_x; ++x) {
      INT upper_sum = broadcast(16);
      INT lower_sum = broadcast(16);
      for (uint k = 0u; k < 3u; ++k) {
        uint weights = TABLE(p.surround.weights_at + x * 3u + k);
        upper_sum = multiply_add_pairs(upper_sum, upper[k], weights);
        lower_sum = multiply_add_pairs(lower_sum, lower[k], weights);
      }
      around.halves[x * 3u + j] = pack_pair(upper_sum >> 5, lower_sum >> 5);
    }
  }
  return contrasted(CELL_ARGUMENTS, p, lumas, around);
}

// Returns the mean light, 16 bits, of one byte of the cell's samples (see cell_codes()), after raised_codes().
SHARED(INT) channel_light(CELL_CONTEXT, IN(MapParameters) p, uint shift, INT added) {
  CellCodes raised = raised_codes(p, cell_codes(CELL_ARGUMENTS, p, shift), added);
  return divide_by_samples(exposed_light_sum(CELL_ARGUMENTS, p, raised), p);
}

// A cell's light. The mean is computed without local_contrast(), which would change the cell's tone.
struct PooledLight {
  Pools low_passed;
  INT mean;   // 16 bits
  INT added;  // clarity() of the cell, which the other members include
};

SHARED(PooledLight) pooled_light(CELL_CONTEXT, IN(MapParameters) p, INT column, INT row) {
  PooledLight l;
  l.added = clarity(CELL_ARGUMENTS, p, column, row);
  l.low_passed = pool_light(CELL_ARGUMENTS, p, raised_codes(p, local_contrast(CELL_ARGUMENTS, p), l.added));
  l.mean = channel_light(CELL_ARGUMENTS, p, 24u, l.added);
  return l;
}

// A cell's feature vector, for the dot product with each form's feature vector. Each word holds two signed
// 16-bit numbers.
struct Features {
  UINT pair[MaxSamples / 2u];
};

// Returns half of the squared length of a feature vector.
SHARED(INT) half_square(IN(MapParameters) p, Features f) {
  INT sum = broadcast(0);
  for (uint j = 0u; j < p.forms.feature_pairs; ++j) {
    INT low = to_int(f.pair[j] << 16) >> 16;
    INT high = to_int(f.pair[j]) >> 16;
    sum += (low * low + high * high) >> 1;
  }
  return sum;
}

// Returns relative light after perceptual compression: raised to the power of 0.7, 12 bits, 2047 = 1.
SHARED(INT) compressed(CELL_CONTEXT, IN(MapParameters) p, INT relative) {
  INT bound = smaller(larger(relative, broadcast(0)), broadcast(8191));
  return to_int(GATHER(broadcast(int(p.light.compress_at)) + bound));
}

// Returns the features for mono. If the cell's mean light lies between the light of two forms of adjacent
// brightness, the cell's light is moved by a fraction of the difference between the two forms. The fraction
// alternates from cell to cell, so that adjacent cells average to tones that no single form has.
SHARED(Features) mono_features(CELL_CONTEXT, IN(MapParameters) p, PooledLight l, INT column, INT row) {
  INT mean = l.mean >> 4;
  UINT turns = GATHER(broadcast(int(p.dither.mono_at)) + mean);
  INT turn = ((column ^ row) & 1) * 4 + (row & 1) * 2 - 3;  // -3, 1, -1, 3: Bayer's 2 x 2
  INT moved = (to_int(turns) >> 16) + ((to_int(turns & 0xFFFFu) * turn) >> 3);
  Features f;
  for (uint j = 0u; j < PooledCount / 2u; ++j) {
    f.pair[j] = pack_pair(compressed(CELL_ARGUMENTS, p, (l.low_passed.light[2u * j] >> 4) + moved),
                          compressed(CELL_ARGUMENTS, p, (l.low_passed.light[2u * j + 1u] >> 4) + moved));
  }
  f.pair[PooledCount / 2u] =
      pack_pair(compressed(CELL_ARGUMENTS, p, mean + moved) * int(MeanFeatureGain), broadcast(0));
  return f;
}

CONSTANT(int, ToneCost, 125)        // weight of the cost that ink_score() subtracts in bright cells
CONSTANT(int, ToneCostFrom, 1024)   // a cell is bright if its light minus the background's exceeds this, 4096 = white
CONSTANT(int, ToneCostRange, 1024)  // the weight rises from 0 to ToneCost over this range of light above ToneCostFrom

// What --color fg needs to choose a glyph. If the foreground is brighter than the background by y, a glyph of light G
// emits y G more than the background alone; y is chosen so that the drawn cell has the mean light of its samples.
// `features` and `mean` are the cell's light minus the background's, doubled `doublings` times so that dark cells keep
// enough bits.
struct InkTarget {
  Features features;
  INT doublings;
  INT mean;
  INT least, most;  // y of a black foreground, and of the brightest foreground of the cell's hue; 4096 = 1, not doubled
  INT tone_cost;    // see ink_score(); 0 for dark cells
  INT r, g, b;      // mean light of the channels, 16 bits
};

SHARED(INT) background_light(CELL_CONTEXT, IN(MapParameters) p) {
  INT r = broadcast(int(TABLE(p.light.linear_at + ((p.background >> 16) & 255u))));
  INT g = broadcast(int(TABLE(p.light.linear_at + ((p.background >> 8) & 255u))));
  INT b = broadcast(int(TABLE(p.light.linear_at + (p.background & 255u))));
  return (r * 871 + g * 2929 + b * 296) >> 12;  // BT.709's weights
}

// Converts `light`, which is 16-bit light minus the background's, to 12 bits, doubles it `doublings` times and
// clamps it to the range of a feature.
SHARED(INT) beyond_background(INT light, INT doublings) {
  INT scaled = absolute(light) << doublings;
  scaled = scaled >> 4;
  scaled = smaller(scaled, broadcast(16383));
  return select(light < 0, -scaled, scaled);
}

SHARED(Features) ink_features(PooledLight l, INT background, INT doublings, INT mean) {
  Features f;
  for (uint j = 0u; j < PooledCount / 2u; ++j) {
    f.pair[j] = pack_pair(beyond_background(l.low_passed.light[2u * j] - background, doublings),
                          beyond_background(l.low_passed.light[2u * j + 1u] - background, doublings));
  }
  f.pair[PooledCount / 2u] = pack_pair(mean * int(InkMeanGain), broadcast(0));
  return f;
}

// Sets `least` and `most` of the target. `mean`: mean light of the cell's luma.
SHARED(InkTarget) bound_ink(InkTarget target, INT mean, INT background) {
  InkTarget t = target;
  INT brightest = select(t.r > t.g, t.r, t.g);
  brightest = select(t.b > brightest, t.b, brightest);
  brightest = select(mean > brightest, mean, brightest);
  t.most = divide((mean >> 1) * 8192, select(brightest > 0, brightest, broadcast(1))) - (background >> 4);
  t.most = select(t.most < 0, broadcast(0), t.most);
  t.least = -(background >> 4);
  return t;
}

// Sets `tone_cost` of a target. The target's other members must be set.
SHARED(InkTarget) with_tone_cost(InkTarget target) {
  InkTarget t = target;
  INT bright = larger((t.mean >> t.doublings) - ToneCostFrom, broadcast(0));
  bright = smaller(bright, broadcast(ToneCostRange)) >> 4;
  t.tone_cost = ((t.mean >> 4) * bright * ToneCost) >> 10;
  return t;
}

SHARED(InkTarget) ink_target(CELL_CONTEXT, IN(MapParameters) p, PooledLight l) {
  InkTarget t;
  t.r = channel_light(CELL_ARGUMENTS, p, 16u, l.added);
  t.g = channel_light(CELL_ARGUMENTS, p, 8u, l.added);
  t.b = channel_light(CELL_ARGUMENTS, p, 0u, l.added);
  INT background = background_light(CELL_ARGUMENTS, p);
  t = bound_ink(t, l.mean, background);
  INT away = l.mean - background;
  t.doublings = broadcast(0);
  INT scaled = absolute(away);
  for (uint k = 0u; k < 6u; ++k) {
    MASK dark = scaled < 32768;
    scaled = select(dark, scaled << 1, scaled);
    t.doublings += select(dark, broadcast(1), broadcast(0));
  }
  t.mean = select(away < 0, -scaled, scaled) >> 4;
  t.features = ink_features(l, background, t.doublings, t.mean);
  return with_tone_cost(t);
}

// Returns InkTarget's y: how much brighter than the background the foreground must be for a glyph to emit the cell's
// mean light. The result is doubled t.doublings times. It may exceed the target's bounds. `reciprocal`: 4096 / the
// glyph's relative mean light.
SHARED(INT) ink_needed(InkTarget t, INT reciprocal) { return (t.mean * (reciprocal >> 3)) >> 9; }

// Returns an eighth of the amount by which a glyph reduces the squared error if its foreground is brighter than the
// background by y, which is `needed` clamped to the target's bounds. `product`: the dot product of the cell's and the
// glyph's feature vectors. `square`: half of the dot product of the glyph's vector with itself.
// In bright cells, a cost is subtracted. It grows with the distance from `needed` to the target's upper bound, but only
// a quarter as fast if `needed` is above the bound. Without this cost, the brightest glyph would represent every tone
// of a bright sky, and only the colors would show the clouds.
SHARED(INT) ink_score(InkTarget t, INT needed, INT product, INT square) {
  INT most = smaller(t.most << t.doublings, broadcast(16383));
  INT least = larger(t.least << t.doublings, broadcast(-16383));
  INT y = smaller(larger(needed, least), most);
  INT gain = (product >> 14) * y;
  INT loss = ((square >> 12) * y) >> 14;
  INT away = larger(most - needed, (needed - most) >> 2);
  return gain - loss * y - smaller(away, most >> 1) * t.tone_cost;
}

// Returns the light that the foreground needs in one channel so that the drawn cell has the mean light `mean`.
// `reciprocal`: see ink_needed(). The result may exceed white.
SHARED(INT) foreground_light(CELL_CONTEXT, IN(MapParameters) p, INT mean, uint background_code, INT reciprocal) {
  INT background = broadcast(int(TABLE(p.light.linear_at + background_code)));
  INT light = background + (((mean - background) * (reciprocal >> 5)) >> 7);
  return select(light < 0, broadcast(0), light);
}

// Scales one channel's light down if `brightest`, the light of the brightest channel, exceeds white. All channels
// are divided by the same number, which preserves the hue.
SHARED(INT) within_white(INT light, INT brightest) {
  INT scaled = divide((light >> 9) << 15, select(brightest > 511, brightest >> 9, broadcast(1))) << 1;
  scaled = select(brightest > 65535, scaled, light);
  return select(scaled > 65535, broadcast(65535), scaled);
}

SHARED(UINT) foreground_color(CELL_CONTEXT, IN(MapParameters) p, INT mean_r, INT mean_g, INT mean_b, INT glyph) {
  INT reciprocal = to_int(GATHER(broadcast(int(p.light.ink_at)) + glyph));
  INT r = foreground_light(CELL_ARGUMENTS, p, mean_r, (p.background >> 16) & 255u, reciprocal);
  INT g = foreground_light(CELL_ARGUMENTS, p, mean_g, (p.background >> 8) & 255u, reciprocal);
  INT b = foreground_light(CELL_ARGUMENTS, p, mean_b, p.background & 255u, reciprocal);
  INT brightest = select(r > g, r, g);
  brightest = select(b > brightest, b, brightest);
  return pack_color(encoded(CELL_ARGUMENTS, p, within_white(r, brightest)),
                    encoded(CELL_ARGUMENTS, p, within_white(g, brightest)),
                    encoded(CELL_ARGUMENTS, p, within_white(b, brightest)));
}
