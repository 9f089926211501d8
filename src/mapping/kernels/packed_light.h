// The functions of cell_samples.glsl that compute light, for lanes whose samples are packed as
// packed_samples.h describes. They return exactly the same as their namesakes. Part of lanes.h, whose
// restrictions apply.

/// Extends two of a word's four bytes to 16 bits: bytes 2 * `half` and 2 * `half` + 1.
SHARED(Pairs) two_bytes(Uint four, std::uint32_t half) {
  const Uint two = half == 0 ? four : four >> 16;
  return to_pairs((two & 0xFFu) | ((two & 0xFF00u) << 8));
}

SHARED(Int) exposed(Int light, IN(MapParameters) p) {
  const Int raised = ((light >> 2) * static_cast<std::int32_t>(p.levels.gain >> 6)) >> 4;
  return smaller(raised, broadcast(65535));
}

enum class Light { Linear, Exposed };

/// Returns light of the table at LightTables::linear_at, exposed() if requested.
template <Light Kind>
SHARED(Int)
light_of(Uint linear, IN(MapParameters) p) {
  return Kind == Light::Exposed ? exposed(to_int(linear), p) : to_int(linear);
}

#if defined(__AVX512BW__)
/// The light of each code value. The table is in registers, 16 bits for each of its 256 numbers, because
/// gathers from memory took a third of the mapping time.
template <Light Kind>
struct LightTable {
  __m512i light[8];
};

template <Light Kind>
SHARED(LightTable<Kind>)
light_table(CELL_CONTEXT, IN(MapParameters) p) {
  LightTable<Kind> table;
  for (std::uint32_t k = 0; k < 8; ++k) {
    const std::uint32_t* const words = tables + p.light.linear_at + 32 * k;
    const auto low = reinterpret_cast<__m512i>(light_of<Kind>(load(words), p));
    const auto high = reinterpret_cast<__m512i>(light_of<Kind>(load(words + 16), p));
    table.light[k] = _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi32_epi16(low)),
                                        _mm512_cvtepi32_epi16(high), 1);
  }
  return table;
}

/// Returns the light of two code values in each lane: of the lower bytes of the elements of `codes`.
template <Light Kind>
SHARED(Pairs)
look_up(const LightTable<Kind>& table, IN(MapParameters), Pairs codes) {
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
#else
/// The light of each code value.
template <Light Kind>
struct LightTable {
  const std::uint32_t* linear;
};

template <Light Kind>
SHARED(LightTable<Kind>)
light_table(CELL_CONTEXT, IN(MapParameters) p) {
  return {tables + p.light.linear_at};
}

/// Returns the light of two code values in each lane: of the lower bytes of the elements of `codes`.
template <Light Kind>
SHARED(Pairs)
look_up(const LightTable<Kind>& table, IN(MapParameters) p, Pairs codes) {
  const Int at = to_int(to_words(codes));
  return to_pairs(pack_pair(light_of<Kind>(gather(table.linear, at & 0xFF), p),
                            light_of<Kind>(gather(table.linear, (at >> 16) & 0xFF), p)));
}
#endif

/// Pairs are multiplied as signed 16-bit numbers, but light is unsigned. So 2^15 is subtracted from light
/// that is multiplied, and the sum of the products is corrected.
SHARED(Uint) signed_light(Pairs light) {
  return to_words(light ^ 0x8000);
}

struct CellCodes {
  Uint four[SampleWords];
};

SHARED(CellCodes) cell_codes(CELL_CONTEXT, IN(MapParameters) p, uint shift) {
  CellCodes codes;
  for (std::uint32_t k = 0; k < words_of(p); ++k)
    codes.four[k] = load(samples + (4 * k + shift / 8) * LaneCount);
  return codes;
}

SHARED(CellCodes) raised_codes(IN(MapParameters) p, IN(CellCodes) codes, Int added) {
  using Bytes = std::uint8_t __attribute__((vector_size(LaneCount * 4)));
  const auto up = reinterpret_cast<Bytes>(to_uint(larger(added, broadcast(0))) * 0x01010101u);
  const auto down = reinterpret_cast<Bytes>(to_uint(larger(-added, broadcast(0))) * 0x01010101u);
  CellCodes raised;
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    const auto four = reinterpret_cast<Bytes>(codes.four[k]);
    const Bytes room = ~four;
    const Bytes above = four + (up < room ? up : room);
    raised.four[k] = reinterpret_cast<Uint>(above - (down < above ? down : above));
  }
  return raised;
}

/// Returns a word for the multiplication of two samples' light: 1 for each sample that exists.
SHARED(std::uint32_t) ones_for(IN(MapParameters) p, std::uint32_t first, std::uint32_t second) {
  return (first < p.sample_count ? 1u : 0u) | (second < p.sample_count ? 0x10000u : 0u);
}

/// Returns the sum of the samples' light. four[k]: the code values of samples 4k to 4k + 3.
template <Light Kind, typename Words>
SHARED(Int)
sum_of_light(CELL_CONTEXT, IN(MapParameters) p, const Words& four) {
  const LightTable<Kind> table = light_table<Kind>(CELL_ARGUMENTS, p);
  Int sum = broadcast(static_cast<std::int32_t>(p.sample_count << 15));  // see signed_light()
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    const Uint codes = four[k];
    const Pairs even = look_up(table, p, to_pairs(codes));
    const Pairs odd = look_up(table, p, odd_bytes(codes));
    sum = multiply_add_pairs(sum, signed_light(even), ones_for(p, 4 * k, 4 * k + 2));
    sum = multiply_add_pairs(sum, signed_light(odd), ones_for(p, 4 * k + 1, 4 * k + 3));
  }
  return sum;
}

/// The luma of a cell's samples in memory: a CellCodes object would copy it.
struct StoredLuma {
  const std::uint32_t* samples;
  [[gnu::always_inline]] Uint operator[](std::uint32_t k) const {
    return load(samples + (4 * k + 3) * LaneCount);
  }
};

SHARED(Int) light_sum(CELL_CONTEXT, IN(MapParameters) p) {
  return sum_of_light<Light::Linear>(CELL_ARGUMENTS, p, StoredLuma{samples});
}

SHARED(Int) exposed_light_sum(CELL_CONTEXT, IN(MapParameters) p, IN(CellCodes) codes) {
  return sum_of_light<Light::Exposed>(CELL_ARGUMENTS, p, codes.four);
}

struct Surroundings {
  Uint halves[4 * 3];
};

/// Returns the blurred luma of the surroundings at sample `i`, 2^15 = one code value.
SHARED(Uint) blurred_at(CELL_CONTEXT, IN(MapParameters) p, IN(Surroundings) around, std::uint32_t i) {
  const std::uint32_t* const weights = tables + p.surround.weights_at + (p.samples_x + i / p.samples_x) * 3;
  Int blurred = broadcast(1024);
  for (std::uint32_t j = 0; j < 3; ++j)
    blurred = multiply_add_pairs(blurred, around.halves[i % p.samples_x * 3 + j], weights[j]);
  return to_uint(blurred);
}

/// Raises the contrast of two code values in 16 bits, by the formula of contrasted() in cell_samples.glsl.
/// `blurred`: blurred luma of the surroundings, 16 = one code value.
SHARED(Uint) contrasted_pair(IN(MapParameters) p, Pairs codes, Uint blurred) {
  const auto code = reinterpret_cast<SignedPairs>(codes << 4);
  const SignedPairs difference = code - reinterpret_cast<SignedPairs>(blurred);
  const SignedPairs sum = code + ((difference * static_cast<std::int16_t>(p.surround.contrast)) >> 1);
  const SignedPairs rounded = (sum + std::int16_t{8}) >> 4;
  const SignedPairs least{};
  const SignedPairs most = least + std::int16_t{255};
  const SignedPairs positive = rounded > least ? rounded : least;
  return reinterpret_cast<Uint>(positive < most ? positive : most);
}

SHARED(CellCodes)
contrasted(CELL_CONTEXT, IN(MapParameters) p, IN(CellCodes) codes, IN(Surroundings) around) {
  CellCodes raised;
  for (std::uint32_t k = 0; k < words_of(p); ++k) {
    Uint blurred[4]{};
    for (std::uint32_t i = 4 * k; i < 4 * k + 4 && i < p.sample_count; ++i)
      blurred[i % 4] = blurred_at(CELL_ARGUMENTS, p, around, i);
    const Uint even = (blurred[0] >> 11) | ((blurred[2] << 5) & 0xFFFF0000u);
    const Uint odd = (blurred[1] >> 11) | ((blurred[3] << 5) & 0xFFFF0000u);
    const Uint four = codes.four[k];
    raised.four[k] = contrasted_pair(p, even_bytes(four), even) | contrasted_pair(p, odd_bytes(four), odd)
                                                                      << 8;
  }
  return raised;
}

struct Pools {
  Int light[PooledCount];
};

SHARED(Pools) pool_light(CELL_CONTEXT, IN(MapParameters) p, IN(CellCodes) codes) {
  const auto table = light_table<Light::Exposed>(CELL_ARGUMENTS, p);
  const std::uint32_t pairs = (p.sample_count + 1) / 2;
  Uint light[MaxSamples / 2];
  for (std::uint32_t j = 0; j < pairs; ++j)
    light[j] = signed_light(look_up(table, p, two_bytes(codes.four[j / 2], j % 2)));
  Pools pools;
  for (std::uint32_t k = 0; k < PooledCount; ++k) {
    const std::uint32_t* const weights = tables + p.light.pool_at + k * pairs;
    Int sum = broadcast(128 + (256 << 15));  // the weights sum to 256; see signed_light()
    for (std::uint32_t j = 0; j < pairs; ++j) sum = multiply_add_pairs(sum, light[j], weights[j]);
    pools.light[k] = sum >> 8;
  }
  return pools;
}
