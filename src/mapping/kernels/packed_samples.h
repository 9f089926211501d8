// The functions of cell_samples.glsl for lanes whose samples are packed. Every function returns exactly the
// same as its namesake in cell_samples.glsl, but processes several samples at a time. Part of lanes.h,
// whose restrictions apply.
//
// A block has one cell per lane. Each of its words contains four samples of one channel, the first in the
// lowest byte, with zeros after the cell's last sample. In most pictures, cells are four samples across, so
// a word contains one row of samples. The word at (4k + c) * LaneCount + lane contains samples 4k to
// 4k + 3 of channel c (0 to 3: blue, green, red, luma) of the lane's cell:
//
//   offset of lane 0's word   0       LaneCount   2 LaneCount   3 LaneCount   4 LaneCount ...
//   k                         0       0           0             0             1
//   channel                   blue    green       red           luma          blue
//
// To multiply the four bytes of a word, the functions use two vectors of 16-bit numbers: one of the bytes at
// even positions, and one of those at odd positions.

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
  return multiply_add_pairs(sum, to_words(a), to_words(b));
}

/// Multiplies the four bytes of `a` by the four bytes of `b` and adds the products to `sum`. The bytes of `a`
/// are 0 to 255, those of `b` 0 to 127.
SHARED(Int) multiply_add_codes(Int sum, Uint a, Uint b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#else
  return multiply_add_pairs(multiply_add_pairs(sum, even_bytes(a), even_bytes(b)), odd_bytes(a),
                            odd_bytes(b));
#endif
}

inline constexpr std::uint32_t SampleWords = MaxSamples / 4;

#if defined(__AVX512VNNI__)
/// Computes sums of products of any bytes, 0 to 255. The instruction multiplies by signed bytes, so 128 is
/// subtracted from each byte of `b`. To correct this, the sums begin with 128 times the sum of the bytes of
/// `a`.
struct ProductSum {
  Int sum;

  [[gnu::always_inline]] explicit ProductSum(Int sum_of_a) : sum(sum_of_a << 7) {}
  [[gnu::always_inline]] void add(Uint a, Uint b) { sum = multiply_add_bytes(sum, a, b ^ 0x80808080u); }
};
#else
struct ProductSum {
  Int sum{};

  [[gnu::always_inline]] explicit ProductSum(Int) {}
  [[gnu::always_inline]] void add(Uint a, Uint b) {
    sum = multiply_add_pairs(sum, even_bytes(a), even_bytes(b));
    sum = multiply_add_pairs(sum, odd_bytes(a), odd_bytes(b));
  }
};
#endif

SHARED(std::uint32_t) words_of(IN(MapParameters) p) {
  return (p.sample_count + 3) / 4;
}

/// Implements SAMPLE_BYTE().
SHARED(Uint) sample_byte(const std::uint32_t* samples, std::uint32_t i, std::uint32_t shift) {
  return (load(samples + (i / 4 * 4 + shift / 8) * LaneCount) >> (i % 4 * 8)) & 255u;
}

SHARED(Int) luma_sum(CELL_CONTEXT, uint first, uint end) {
  Int sum{};
  uint i = first;
  for (; i % 4 != 0 && i < end; ++i) sum += to_int(sample_byte(samples, i, 24));
  for (; i + 3 < end; i += 4) {
    sum = multiply_add_codes(sum, load(samples + (i + 3) * LaneCount), Uint{} + 0x01010101u);
  }
  for (; i < end; ++i) sum += to_int(sample_byte(samples, i, 24));
  return sum;
}

/// The samples of a cell, without luma. channel[c][k] has samples 4k to 4k + 3 of channel c.
struct CellSamples {
  Uint channel[3][SampleWords];

  [[gnu::always_inline]] Uint red(std::uint32_t k) const { return channel[2][k]; }
  [[gnu::always_inline]] Uint green(std::uint32_t k) const { return channel[1][k]; }
  [[gnu::always_inline]] Uint blue(std::uint32_t k) const { return channel[0][k]; }
};

SHARED(CellSamples) load_samples(CELL_CONTEXT, IN(MapParameters) p) {
  CellSamples cell;
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    for (std::uint32_t c = 0; c < 3; ++c) cell.channel[c][k] = load(samples + (4 * k + c) * LaneCount);
  }
  return cell;
}

struct SampleSums {
  Int r, g, b;
  Int rr, gg, bb, rg, rb, gb;
};

SHARED(SampleSums) sample_sums(IN(CellSamples) cell, IN(MapParameters) p) {
  const Uint ones = Uint{} + 0x01010101u;
  Int r{};
  Int g{};
  Int b{};
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    r = multiply_add_codes(r, cell.red(k), ones);
    g = multiply_add_codes(g, cell.green(k), ones);
    b = multiply_add_codes(b, cell.blue(k), ones);
  }
  ProductSum rr(r), gg(g), bb(b), rg(r), rb(r), gb(g);
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    rr.add(cell.red(k), cell.red(k));
    gg.add(cell.green(k), cell.green(k));
    bb.add(cell.blue(k), cell.blue(k));
    rg.add(cell.red(k), cell.green(k));
    rb.add(cell.red(k), cell.blue(k));
    gb.add(cell.green(k), cell.blue(k));
  }
  return {r, g, b, rr.sum, gg.sum, bb.sum, rg.sum, rb.sum, gb.sum};
}

/// Loads eight words per lane, starting at table[8 * row]. Each lane's eight words are loaded together; then
/// the result is transposed, so that words[w] has word w of each lane.
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
  constexpr int Loads = 8 / LaneCount;  // per row
  for (int k = 0; k < 8; ++k) words[k] = load(table + 8 * rows[k / Loads] + k % Loads * LaneCount);
#endif
  // Word w of lane l is at position 8 l + w. Each step moves the words at even positions before those at odd
  // positions. After three steps, the words with w = 0 come first, then those with w = 1, and so on.
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

struct WeightedSums {
  Int r, g, b;
};

/// Does the same as weighted_sums(), with weights that the caller has loaded.
SHARED(WeightedSums) weighted_sums(IN(MapParameters) p, IN(CellSamples) cell, const Uint* weights) {
  WeightedSums s{};
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    s.r = multiply_add_codes(s.r, cell.red(k), weights[k]);
    s.g = multiply_add_codes(s.g, cell.green(k), weights[k]);
    s.b = multiply_add_codes(s.b, cell.blue(k), weights[k]);
  }
  return {s.r << p.fit.weight_shift, s.g << p.fit.weight_shift, s.b << p.fit.weight_shift};
}

SHARED(WeightedSums) inked_sums(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell, Int glyph) {
  Uint weights[SampleWords];
  load_rows(tables + p.fit.weights_at, glyph, weights);
  return weighted_sums(p, cell, weights);
}

SHARED(WeightedSums) full_sums(CELL_CONTEXT, IN(MapParameters) p, IN(CellSamples) cell) {
  Uint weights[SampleWords];
  for (std::uint32_t k = 0; k < words_of(p); ++k) weights[k] = Uint{} + tables[p.fit.full_weights_at + k];
  return weighted_sums(p, cell, weights);
}

struct Projection {
  Int r, g, b, zero;
};

/// The features of the four samples of a word, 16 bits each.
struct FourFeatures {
  SignedPairs even, odd;
};

/// Computes in 16 bits. feature() in cell_samples.glsl halves its result; this function halves the members of
/// `to` instead, which are even. The lower 16 bits are the same.
SHARED(FourFeatures) four_features(IN(CellSamples) cell, std::uint32_t k, IN(Projection) to) {
  const auto half_of = [](Int even_number) {
    return to_pairs(pack_pair(even_number >> 1, even_number >> 1));
  };
  const auto features = [&](Pairs red, Pairs green, Pairs blue) {
    return reinterpret_cast<SignedPairs>(red * half_of(to.r) + green * half_of(to.g) + blue * half_of(to.b) -
                                         half_of(to.zero));
  };
  return {features(even_bytes(cell.red(k)), even_bytes(cell.green(k)), even_bytes(cell.blue(k))),
          features(odd_bytes(cell.red(k)), odd_bytes(cell.green(k)), odd_bytes(cell.blue(k)))};
}

SHARED(Uint) feature_pair(IN(CellSamples) cell, IN(MapParameters), uint j, IN(Projection) to) {
  const FourFeatures four = four_features(cell, j / 2, to);
  const auto even = reinterpret_cast<Uint>(four.even);
  const auto odd = reinterpret_cast<Uint>(four.odd);
  return j % 2 == 0 ? (even & 0xFFFFu) | (odd << 16) : (even >> 16) | (odd & 0xFFFF0000u);
}

SHARED(Int) largest_feature(IN(CellSamples) cell, IN(MapParameters) p, IN(Projection) to) {
  SignedPairs least{};
  SignedPairs most{};
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    const FourFeatures four = four_features(cell, k, to);
    // The last word may have bytes without samples.
    const std::uint32_t rest = p.sample_count - 4 * k;
    const auto masked = [&](SignedPairs features, std::uint32_t first) {
      const std::uint32_t mask = (rest > first ? 0xFFFFu : 0u) | (rest > first + 2 ? 0xFFFF0000u : 0u);
      return reinterpret_cast<SignedPairs>(reinterpret_cast<Uint>(features) & mask);
    };
    for (const SignedPairs features : {masked(four.even, 0), masked(four.odd, 1)}) {
      least = features < least ? features : least;
      most = features > most ? features : most;
    }
  }
  const SignedPairs size = -least > most ? -least : most;
  const auto words = reinterpret_cast<Uint>(size);
  return larger(larger(to_int(words & 0xFFFFu), to_int(words >> 16)), broadcast(1));
}

struct ByteFeatures {
  Uint four[SampleWords];
};

SHARED(ByteFeatures)
byte_features(IN(CellSamples) cell, IN(MapParameters) p, IN(Projection) to, Int doublings) {
  const Int factor = broadcast(1) << doublings;
  const auto factors = reinterpret_cast<SignedPairs>(pack_pair(factor, factor));
  ByteFeatures f;
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    const FourFeatures four = four_features(cell, k, to);
    const auto bytes = [&](SignedPairs features) {
      return reinterpret_cast<Uint>(((features * factors) >> ByteFeatureShift) +
                                    static_cast<std::int16_t>(ByteFeatureZero));
    };
    f.four[k] = bytes(four.even) | bytes(four.odd) << 8;
  }
  return f;
}

SHARED(Int) own_byte_product(CELL_CONTEXT, IN(MapParameters) p, IN(ByteFeatures) f, Int form) {
  Uint bytes[SampleWords];
  load_rows(tables + p.forms.bytes_at, form, bytes);
  Int sum = to_int(gather(tables + p.forms.byte_offsets_at, form));
  for (std::uint32_t k = 0; k < words_of(p); ++k) sum = multiply_add_bytes(sum, f.four[k], bytes[k]);
  return sum;
}
