// The code of shaders/shared compiled for sixteen cells at once, one per SIMD lane. Included once by each of the
// kernels_*.cpp files, inside its own namespace GLYPHREEL_ISA: no include guard, and nothing here may be an ordinary
// inline function, since the linker could then pick one instruction set's copy for all.

using Int = std::int32_t __attribute__((vector_size(64)));
using Uint = std::uint32_t __attribute__((vector_size(64)));
using Double = double __attribute__((vector_size(128)));
inline constexpr int LaneCount = 16;

#define INT Int
#define UINT Uint
#define MASK Int
#define SHARED(type) [[maybe_unused, gnu::always_inline]] static inline type
#define IN(type) const type&
#define CELL_CONTEXT \
  [[maybe_unused]] const std::uint32_t *samples, [[maybe_unused]] const std::uint32_t *tables
#define CELL_ARGUMENTS samples, tables
#define SAMPLE(i) load(samples + (i) * LaneCount)
#define TABLE(i) tables[i]
#define GATHER(i) gather(tables, i)

SHARED(Uint) load(const std::uint32_t* words) {
  Uint lanes;
  __builtin_memcpy(&lanes, words, sizeof lanes);
  return lanes;
}
SHARED(void) store(std::uint32_t* words, Uint lanes) { __builtin_memcpy(words, &lanes, sizeof lanes); }

SHARED(Uint) gather(const std::uint32_t* table, Int index) {
  Uint lanes{};
  for (int lane = 0; lane < LaneCount; ++lane) lanes[lane] = table[index[lane]];
  return lanes;
}
SHARED(Int) broadcast(std::int32_t x) { return Int{} + x; }
SHARED(Int) select(Int mask, Int yes, Int no) { return mask ? yes : no; }
SHARED(Uint) select(Int mask, Uint yes, Uint no) { return mask ? yes : no; }
SHARED(Int) both(Int a, Int b) { return a & b; }
SHARED(Int) either(Int a, Int b) { return a | b; }
SHARED(Int) to_int(Uint x) { return reinterpret_cast<Int>(x); }
SHARED(Uint) to_uint(Int x) { return reinterpret_cast<Uint>(x); }
SHARED(Uint) to_uint(Uint x) { return x; }

// Through doubles, whose 53 bits make the truncated quotient of two 32-bit integers exact: processors divide vectors
// of doubles, and none divides vectors of integers.
SHARED(Int) divide(Int numerator, Int denominator) {
  return __builtin_convertvector(
      __builtin_convertvector(numerator, Double) / __builtin_convertvector(denominator, Double), Int);
}

SHARED(bool) any_of(Int mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#else
  std::int32_t any = 0;
  for (int lane = 0; lane < LaneCount; ++lane) any |= mask[lane];
  return any != 0;
#endif
}

SHARED(Int) multiply_add_pairs(Int sum, Uint a, std::uint32_t b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpwssd_epi32(reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a),
                                                   _mm512_set1_epi32(static_cast<int>(b))));
#elif defined(__AVX2__)
  const __m256i weights = _mm256_set1_epi32(static_cast<int>(b));
  __m256i halves[2];
  __builtin_memcpy(halves, &a, sizeof halves);
  halves[0] = _mm256_madd_epi16(halves[0], weights);
  halves[1] = _mm256_madd_epi16(halves[1], weights);
  Int products;
  __builtin_memcpy(&products, halves, sizeof products);
  return sum + products;
#else
  const Int low = (to_int(a) << 16) >> 16;
  const Int high = to_int(a) >> 16;
  return sum + low * static_cast<std::int16_t>(b & 0xFFFF) + high * static_cast<std::int16_t>(b >> 16);
#endif
}

using namespace shared;

#include "../../shaders/shared/color.glsl"
#include "../../shaders/shared/sample.glsl"
#include "../../shaders/shared/match.glsl"
