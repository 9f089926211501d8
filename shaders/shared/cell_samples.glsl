// What looks at all samples of a cell, one after another. Requires structs.glsl and color.glsl.
//
// src/mapping/packed_samples.h has the same, bit for bit, for several samples at a time.

// 16-bit linear light of an 8-bit code value.
SHARED(INT) linear_light(CELL_CONTEXT, IN(MapParameters) p, UINT code) {
  return to_int(GATHER(broadcast(int(p.linear_at)) + to_int(code)));
}

// Sum of that light over the cell's luma.
SHARED(INT) light_sum(CELL_CONTEXT, IN(MapParameters) p) {
  INT sum = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) sum += linear_light(CELL_ARGUMENTS, p, SAMPLE_BYTE(i, 24u));
  return sum;
}

// Sum of the luma of samples [first, end).
SHARED(INT) luma_sum(CELL_CONTEXT, uint first, uint end) {
  INT sum = broadcast(0);
  for (uint i = first; i < end; ++i) sum += to_int(SAMPLE_BYTE(i, 24u));
  return sum;
}

// A cell's samples, low-passed within it by 1 2 1 along both axes: eyes do not see single samples, and glyphs that are
// compared through the same low-pass (glyph_tables.cpp) win by what is seen. `square_*`: of the samples as they were.
struct Smoothed {
  UINT word[MaxSamples];
  INT square_r, square_g, square_b;
};

SHARED(Smoothed) smooth_samples(CELL_CONTEXT, IN(MapParameters) p) {
  Smoothed s;
  s.square_r = broadcast(0);
  s.square_g = broadcast(0);
  s.square_b = broadcast(0);
  UINT even[MaxSamples];  // two channels a word: sums stay below 2^12
  UINT odd[MaxSamples];
  uint across = p.samples_x;
  uint down = p.sample_count / across;
  for (uint y = 0u; y < down; ++y) {
    for (uint x = 0u; x < across; ++x) {
      uint i = y * across + x;
      UINT middle = SAMPLE(i);
      UINT left = SAMPLE(x > 0u ? i - 1u : i);
      UINT right = SAMPLE(x + 1u < across ? i + 1u : i);
      even[i] = (left & 0x00FF00FFu) + ((middle & 0x00FF00FFu) << 1) + (right & 0x00FF00FFu);
      odd[i] = ((left >> 8) & 0x00FF00FFu) + (((middle >> 8) & 0x00FF00FFu) << 1) + ((right >> 8) & 0x00FF00FFu);
      INT r = sample_red(middle);
      INT g = sample_green(middle);
      INT b = sample_blue(middle);
      s.square_r += r * r;
      s.square_g += g * g;
      s.square_b += b * b;
    }
  }
  for (uint y = 0u; y < down; ++y) {
    uint above = y > 0u ? across : 0u;
    uint below = y + 1u < down ? across : 0u;
    for (uint x = 0u; x < across; ++x) {
      uint i = y * across + x;
      UINT low = even[i - above] + (even[i] << 1) + even[i + below] + 0x00080008u;
      UINT high = odd[i - above] + (odd[i] << 1) + odd[i + below] + 0x00080008u;
      s.word[i] = ((low >> 4) & 0x00FF00FFu) | (((high >> 4) & 0x00FF00FFu) << 8);
    }
  }
  return s;
}

// Sums over smoothed samples: of the channels, and of their products.
struct SampleSums {
  INT r, g, b;
  INT rr, gg, bb, rg, rb, gb;
};

SHARED(SampleSums) sample_sums(IN(Smoothed) samples_of, IN(MapParameters) p) {
  SampleSums s;
  s.r = broadcast(0); s.g = broadcast(0); s.b = broadcast(0);
  s.rr = broadcast(0); s.gg = broadcast(0); s.bb = broadcast(0);
  s.rg = broadcast(0); s.rb = broadcast(0); s.gb = broadcast(0);
  for (uint i = 0u; i < p.sample_count; ++i) {
    UINT t = samples_of.word[i];
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

// Sums of a glyph's coverage, of its square, and of its products with smoothed samples.
struct CoverageSums {
  INT a, aa;
  INT at_r, at_g, at_b;
};

SHARED(CoverageSums) coverage_sums(CELL_CONTEXT, IN(MapParameters) p, IN(Smoothed) samples_of, INT glyph) {
  CoverageSums s;
  s.at_r = broadcast(0);
  s.at_g = broadcast(0);
  s.at_b = broadcast(0);
  INT word_at = broadcast(int(p.coverage_at)) + glyph * int(MaxSamples / 4u);
  for (uint i = 0u; i < p.sample_count; i += 4u) {
    UINT four = GATHER(word_at);
    word_at += 1;
    for (uint j = 0u; j < 4u; ++j) {
      if (i + j < p.sample_count) {
        INT a = to_int((four >> (8u * j)) & 255u);
        UINT t = samples_of.word[i + j];
        s.at_r += a * sample_red(t);
        s.at_g += a * sample_green(t);
        s.at_b += a * sample_blue(t);
      }
    }
  }
  INT sums_at = broadcast(int(p.sums_at)) + glyph * 4;
  s.a = to_int(GATHER(sums_at));
  s.aa = to_int(GATHER(sums_at + 1));
  return s;
}

SHARED(UINT) pack_pair(INT low, INT high) { return (to_uint(low) & 0xFFFFu) | (to_uint(high) << 16); }

// Smoothed samples 2j and 2j + 1 as features: half of their products with a direction (r, g, b), less `zero`, all of
// which are even.
SHARED(UINT) projected_pair(IN(Smoothed) samples_of, IN(MapParameters) p, uint j, INT r, INT g, INT b, INT zero) {
  UINT first = samples_of.word[2u * j];
  INT low = (sample_red(first) * r + sample_green(first) * g + sample_blue(first) * b - zero) >> 1;
  INT high = broadcast(0);
  if (2u * j + 1u < p.sample_count) {
    UINT second = samples_of.word[2u * j + 1u];
    high = (sample_red(second) * r + sample_green(second) * g + sample_blue(second) * b - zero) >> 1;
  }
  return pack_pair(low, high);
}
