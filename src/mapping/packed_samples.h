// shaders/shared/cell_samples.glsl for lanes whose samples are packed: word 4k + c of a cell holds channel c
// (B, G, R and luma from 0) of samples 4k to 4k + 3, the first in the lowest byte and zeros behind the last
// sample. Part of lanes.h, which says what may not stand here.

/// Four bytes a lane as two pairs of 16-bit numbers: those of even places and those of odd ones.
using Pairs = std::uint16_t __attribute__((vector_size(LaneCount * 4)));
SHARED(Pairs) to_pairs(Uint words) {
  return reinterpret_cast<Pairs>(words);
}
SHARED(Uint) to_words(Pairs pairs) {
  return reinterpret_cast<Uint>(pairs);
}
SHARED(Pairs) even_bytes(Uint words) {
  return to_pairs(words & 0x00FF00FFu);
}
SHARED(Pairs) odd_bytes(Uint words) {
  return to_pairs(words) >> 8;
}

SHARED(Int) multiply_add_pairs(Int sum, Pairs a, Pairs b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return sum +
         reinterpret_cast<Int>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return sum +
         reinterpret_cast<Int>(_mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  const Int low = (to_int(to_words(a)) << 16) >> 16;
  const Int high = to_int(to_words(a)) >> 16;
  return sum + low * ((to_int(to_words(b)) << 16) >> 16) + high * (to_int(to_words(b)) >> 16);
#endif
}

/// The products of four bytes, those of `b` at most 127, added to `sum`.
SHARED(Int) multiply_add_bytes(Int sum, Uint a, Uint b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#else
  return multiply_add_pairs(multiply_add_pairs(sum, even_bytes(a), even_bytes(b)), odd_bytes(a),
                            odd_bytes(b));
#endif
}

SHARED(Uint) sample_byte(const std::uint32_t* samples, std::uint32_t i, std::uint32_t shift) {
  return (load(samples + (i / 4 * 4 + shift / 8) * LaneCount) >> (i % 4 * 8)) & 255u;
}

SHARED(Int) luma_sum(CELL_CONTEXT, uint first, uint end) {
  Int sum{};
  uint i = first;
  for (; i % 4 != 0 && i < end; ++i) sum += to_int(sample_byte(samples, i, 24));
  for (; i + 3 < end; i += 4) {
    sum = multiply_add_bytes(sum, load(samples + (i + 3) * LaneCount), Uint{} + 0x01010101u);
  }
  for (; i < end; ++i) sum += to_int(sample_byte(samples, i, 24));
  return sum;
}

#if defined(__AVX512BW__)
/// The 256 words of linear light, 16 bits each, in registers. Gathers took a third of the time of mapping.
struct LightTable {
  __m512i light[8];
};

SHARED(LightTable) light_table(const std::uint32_t* words) {
  LightTable table;
  for (int k = 0; k < 8; ++k) {
    const __m256i low = _mm512_cvtepi32_epi16(_mm512_loadu_si512(words + 32 * k));
    const __m256i high = _mm512_cvtepi32_epi16(_mm512_loadu_si512(words + 32 * k + 16));
    table.light[k] = _mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1);
  }
  return table;
}

/// By the lower byte of each half of a word, whose upper byte does not count.
SHARED(Pairs) look_up(const LightTable& table, Pairs codes) {
  const auto at = reinterpret_cast<__m512i>(codes);
  const __m512i first = _mm512_permutex2var_epi16(table.light[0], at, table.light[1]);
  const __m512i second = _mm512_permutex2var_epi16(table.light[2], at, table.light[3]);
  const __m512i third = _mm512_permutex2var_epi16(table.light[4], at, table.light[5]);
  const __m512i fourth = _mm512_permutex2var_epi16(table.light[6], at, table.light[7]);
  const __mmask32 odd = _mm512_test_epi16_mask(at, _mm512_set1_epi16(64));
  const __mmask32 upper = _mm512_test_epi16_mask(at, _mm512_set1_epi16(128));
  return reinterpret_cast<Pairs>(_mm512_mask_blend_epi16(upper, _mm512_mask_blend_epi16(odd, first, second),
                                                         _mm512_mask_blend_epi16(odd, third, fourth)));
}

SHARED(Int) linear_light(CELL_CONTEXT, IN(MapParameters) p, Uint code) {
  return to_int(to_words(look_up(light_table(tables + p.linear_at), to_pairs(code))) & 0xFFFFu);
}

SHARED(Int) light_sum(CELL_CONTEXT, IN(MapParameters) p) {
  const LightTable table = light_table(tables + p.linear_at);
  Int sum{};
  if (p.sample_count % 4 != 0) {
    for (uint i = 0; i < p.sample_count; ++i) {
      sum += to_int(to_words(look_up(table, to_pairs(sample_byte(samples, i, 24)))) & 0xFFFFu);
    }
    return sum;
  }
  // Pairs are multiplied as signed numbers: 2^15 is taken off each and put back at the end.
  const Pairs ones = Pairs{} + 1;
  for (uint i = 0; i < p.sample_count; i += 4) {
    const Uint four = load(samples + (i + 3) * LaneCount);
    sum = multiply_add_pairs(sum, look_up(table, to_pairs(four)) ^ 0x8000, ones);
    sum = multiply_add_pairs(sum, look_up(table, odd_bytes(four)) ^ 0x8000, ones);
  }
  return sum + static_cast<std::int32_t>(p.sample_count << 15);
}
#else
SHARED(Int) linear_light(CELL_CONTEXT, IN(MapParameters) p, Uint code) {
  return to_int(gather(tables + p.linear_at, to_int(code)));
}

SHARED(Int) light_sum(CELL_CONTEXT, IN(MapParameters) p) {
  Int sum{};
  for (uint i = 0; i < p.sample_count; ++i)
    sum += linear_light(CELL_ARGUMENTS, p, sample_byte(samples, i, 24));
  return sum;
}
#endif

inline constexpr std::uint32_t SampleWords = MaxSamples / 4;

struct Smoothed {
  Uint red[SampleWords], green[SampleWords], blue[SampleWords];
  Int square_r, square_g, square_b;
};

/// One channel of cells four samples across. `words`: of its first four samples; the next ones are 4 words
/// on.
SHARED(void) smooth_rows(const std::uint32_t* words, std::uint32_t rows, Uint* smoothed, Int& square) {
  Pairs even[SampleWords];  // of places 0 and 2
  Pairs odd[SampleWords];   // of places 1 and 3
  square = Int{};
  for (std::uint32_t y = 0; y < rows; ++y) {
    const Uint row = load(words + y * 4 * LaneCount);
    const Pairs middle_even = even_bytes(row);
    const Pairs middle_odd = odd_bytes(row);
    square = multiply_add_pairs(multiply_add_pairs(square, middle_even, middle_even), middle_odd, middle_odd);
    const Uint at_even = to_words(middle_even);
    const Uint at_odd = to_words(middle_odd);
    const Pairs left = to_pairs((at_even & 0xFFFFu) | (at_odd << 16));       // 0 and 1
    const Pairs right = to_pairs((at_even >> 16) | (at_odd & 0xFFFF0000u));  // 2 and 3
    even[y] = middle_even + middle_even + middle_odd + left;
    odd[y] = middle_odd + middle_odd + middle_even + right;
  }
  for (std::uint32_t y = 0; y < rows; ++y) {
    const std::uint32_t above = y > 0 ? y - 1 : y;
    const std::uint32_t below = y + 1 < rows ? y + 1 : y;
    const Pairs low = (even[above] + even[y] + even[y] + even[below] + 8) >> 4;
    const Pairs high = (odd[above] + odd[y] + odd[y] + odd[below] + 8) >> 4;
    smoothed[y] = to_words(low | (high << 8));
  }
}

/// One channel of cells of any number of samples across.
SHARED(void)
smooth_each(const std::uint32_t* samples, const MapParameters& p, std::uint32_t shift, Uint* smoothed,
            Int& square) {
  Int across[MaxSamples];
  const std::uint32_t columns = p.samples_x;
  const std::uint32_t rows = p.sample_count / columns;
  square = Int{};
  for (std::uint32_t i = 0; i < p.sample_count; ++i) {
    const std::uint32_t x = i % columns;
    const Int middle = to_int(sample_byte(samples, i, shift));
    square += middle * middle;
    across[i] = to_int(sample_byte(samples, x > 0 ? i - 1 : i, shift)) + 2 * middle +
                to_int(sample_byte(samples, x + 1 < columns ? i + 1 : i, shift));
  }
  for (Uint* word = smoothed; word != smoothed + SampleWords; ++word) *word = Uint{};
  for (std::uint32_t i = 0; i < p.sample_count; ++i) {
    const std::uint32_t y = i / columns;
    const Int sum = across[y > 0 ? i - columns : i] + 2 * across[i] + across[y + 1 < rows ? i + columns : i];
    smoothed[i / 4] |= to_uint((sum + 8) >> 4) << (i % 4 * 8);
  }
}

SHARED(Smoothed) smooth_samples(CELL_CONTEXT, IN(MapParameters) p) {
  Smoothed s;
  if (p.samples_x == 4) {
    const std::uint32_t rows = p.sample_count / 4;
    smooth_rows(samples + 2 * LaneCount, rows, s.red, s.square_r);
    smooth_rows(samples + 1 * LaneCount, rows, s.green, s.square_g);
    smooth_rows(samples, rows, s.blue, s.square_b);
  } else {
    smooth_each(samples, p, 16, s.red, s.square_r);
    smooth_each(samples, p, 8, s.green, s.square_g);
    smooth_each(samples, p, 0, s.blue, s.square_b);
  }
  return s;
}

struct SampleSums {
  Int r, g, b;
  Int rr, gg, bb, rg, rb, gb;
};

SHARED(SampleSums) sample_sums(IN(Smoothed) samples_of, IN(MapParameters) p) {
  SampleSums s{};
  const Uint ones = Uint{} + 0x01010101u;
  for (std::uint32_t k = 0; k < (p.sample_count + 3) / 4; ++k) {
    s.r = multiply_add_bytes(s.r, samples_of.red[k], ones);
    s.g = multiply_add_bytes(s.g, samples_of.green[k], ones);
    s.b = multiply_add_bytes(s.b, samples_of.blue[k], ones);
    for (int odd = 0; odd < 2; ++odd) {
      const Pairs r = odd != 0 ? odd_bytes(samples_of.red[k]) : even_bytes(samples_of.red[k]);
      const Pairs g = odd != 0 ? odd_bytes(samples_of.green[k]) : even_bytes(samples_of.green[k]);
      const Pairs b = odd != 0 ? odd_bytes(samples_of.blue[k]) : even_bytes(samples_of.blue[k]);
      s.rr = multiply_add_pairs(s.rr, r, r);
      s.gg = multiply_add_pairs(s.gg, g, g);
      s.bb = multiply_add_pairs(s.bb, b, b);
      s.rg = multiply_add_pairs(s.rg, r, g);
      s.rb = multiply_add_pairs(s.rb, r, b);
      s.gb = multiply_add_pairs(s.gb, g, b);
    }
  }
  return s;
}

/// Each lane's eight words from 8 * row on: what lies together is loaded so, and turned.
SHARED(void) load_rows(const std::uint32_t* table, Int row, Uint* words) {
  static_assert(SampleWords == 8);
  std::int32_t rows[LaneCount];
  __builtin_memcpy(rows, &row, sizeof row);
#if defined(__AVX512F__)
  for (int k = 0; k < 8; ++k) {
    const auto* first = reinterpret_cast<const __m256i*>(table + 8 * rows[2 * k]);
    const auto* second = reinterpret_cast<const __m256i*>(table + 8 * rows[2 * k + 1]);
    words[k] = reinterpret_cast<Uint>(
        _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(first)), _mm256_loadu_si256(second), 1));
  }
#else
  constexpr int Loads = 8 / LaneCount;  // a row
  for (int k = 0; k < 8; ++k) words[k] = load(table + 8 * rows[k / Loads] + k % Loads * LaneCount);
#endif
  // Word w of lane l stands at place 8 l + w. Each step brings the places of even words before those of odd
  // ones: after three of them, those of word 0 come first.
  for (int step = 0; step < 3; ++step) {
    Uint turned[8];
    for (int k = 0; k < 4; ++k) {
      const EvenOdd halves = split(words[2 * k], words[2 * k + 1]);
      turned[k] = halves.even;
      turned[k + 4] = halves.odd;
    }
    for (int k = 0; k < 8; ++k) words[k] = turned[k];
  }
}

struct CoverageSums {
  Int a, aa;
  Int at_r, at_g, at_b;
};

SHARED(CoverageSums) coverage_sums(CELL_CONTEXT, IN(MapParameters) p, IN(Smoothed) samples_of, Int glyph) {
  CoverageSums s{};
  Uint coverage[SampleWords];
  load_rows(tables + p.coverage_at, glyph, coverage);
  const Uint ones = Uint{} + 0x01010101u;
  for (std::uint32_t k = 0; k < (p.sample_count + 3) / 4; ++k) {
    s.a = multiply_add_bytes(s.a, coverage[k], ones);
    s.aa = multiply_add_bytes(s.aa, coverage[k], coverage[k]);
    s.at_r = multiply_add_bytes(s.at_r, samples_of.red[k], coverage[k]);
    s.at_g = multiply_add_bytes(s.at_g, samples_of.green[k], coverage[k]);
    s.at_b = multiply_add_bytes(s.at_b, samples_of.blue[k], coverage[k]);
  }
  return s;
}

SHARED(Uint) pack_pair(Int low, Int high) {
  return (to_uint(low) & 0xFFFFu) | (to_uint(high) << 16);
}

/// In 16 bits: what the products have beyond is lost in either order.
SHARED(Uint)
projected_pair(IN(Smoothed) samples_of, IN(MapParameters), uint j, Int r, Int g, Int b, Int zero) {
  const Pairs half_r = to_pairs(pack_pair(r >> 1, r >> 1));
  const Pairs half_g = to_pairs(pack_pair(g >> 1, g >> 1));
  const Pairs half_b = to_pairs(pack_pair(b >> 1, b >> 1));
  const Pairs half_zero = to_pairs(pack_pair(zero >> 1, zero >> 1));
  const Uint red = samples_of.red[j / 2];
  const Uint green = samples_of.green[j / 2];
  const Uint blue = samples_of.blue[j / 2];
  const Uint even =
      to_words(even_bytes(red) * half_r + even_bytes(green) * half_g + even_bytes(blue) * half_b - half_zero);
  const Uint odd =
      to_words(odd_bytes(red) * half_r + odd_bytes(green) * half_g + odd_bytes(blue) * half_b - half_zero);
  return j % 2 == 0 ? (even & 0xFFFFu) | (odd << 16) : (even >> 16) | (odd & 0xFFFF0000u);
}
