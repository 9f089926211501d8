// The code of shaders/shared compiled for several cells at once, one per SIMD lane. Each kernels_*.cpp file
// includes this once, inside its own namespace GLYPHREEL_ISA: there is no include guard, and ordinary
// inline functions are not allowed here, since the linker could pick one instruction set's copy for all.

// As wide as the instruction set's registers: GCC splits wider vectors lane by lane, which is ten times
// slower.
#if defined(__AVX512F__)
inline constexpr int LaneCount = 16;
#elif defined(__AVX2__)
inline constexpr int LaneCount = 8;
#else
inline constexpr int LaneCount = 4;
#endif
using Int = std::int32_t __attribute__((vector_size(LaneCount * 4)));
using Uint = std::uint32_t __attribute__((vector_size(LaneCount * 4)));

#define SIDE_BY_SIDE 1
#define INT Int
#define UINT Uint
#define MASK Int
#define SHARED(type) [[maybe_unused, gnu::always_inline]] static inline type
#define IN(type) const type&
#define INOUT(type) type&
#define CELL_CONTEXT                                                                           \
  [[maybe_unused]] const std::uint32_t *samples, [[maybe_unused]] const std::uint32_t *tables, \
      [[maybe_unused]] const AnalysisView &analysis
#define CELL_ARGUMENTS samples, tables, analysis
#define PAIR_CONTEXT                                                 \
  CELL_CONTEXT, [[maybe_unused]] const std::uint32_t *right_samples, \
      [[maybe_unused]] const AnalysisView &right_analysis
#define PAIR_ARGUMENTS CELL_ARGUMENTS, right_samples, right_analysis
#define LEFT_ARGUMENTS CELL_ARGUMENTS
#define RIGHT_ARGUMENTS right_samples, tables, right_analysis
#define SAMPLE_BYTE(i, shift) sample_byte(samples, i, shift)
#define TABLE(i) tables[i]
#define GATHER(i) gather(tables, i)
#define TABLE_ROW(name, at) const std::uint32_t* const name = tables + (at)
#define ROW_WORD(name, i) name[i]
#define SURROUND(dx, dy) load(analysis.halves + (dy)*analysis.pitch + (dx)*analysis.step)
#define MODE_WORD(dx, dy) load(analysis.mode_words + (dy)*analysis.pitch + (dx)*analysis.step)
#define KEEP_DRAFT(i, word) store(analysis.drafts + (i)*LaneCount, word)
#define DRAFT_WORD(i) load(analysis.drafts + (i)*LaneCount)
#define SAMPLE_CONTEXT , [[maybe_unused]] const std::uint32_t* axis_words
#define SAMPLE_ARGUMENTS , axis_words
#define SAMPLE_TABLE(i) gather(axis_words, i)

SHARED(Uint) load(const std::uint32_t* words) {
  Uint lanes;
  __builtin_memcpy(&lanes, words, sizeof lanes);
  return lanes;
}
SHARED(void) store(std::uint32_t* words, Uint lanes) {
  __builtin_memcpy(words, &lanes, sizeof lanes);
}

SHARED(Uint) gather(const std::uint32_t* table, Int index) {
#if defined(__AVX512F__)
  return reinterpret_cast<Uint>(_mm512_i32gather_epi32(reinterpret_cast<__m512i>(index), table, 4));
#elif defined(__AVX2__)
  return reinterpret_cast<Uint>(
      _mm256_i32gather_epi32(reinterpret_cast<const int*>(table), reinterpret_cast<__m256i>(index), 4));
#else
  Uint lanes{};
  for (int lane = 0; lane < LaneCount; ++lane) lanes[lane] = table[index[lane]];
  return lanes;
#endif
}

/// The words at even places of the sequence a, b, and those at odd places.
struct EvenOdd {
  Uint even, odd;
};
SHARED(EvenOdd) split(Uint a, Uint b) {
#if defined(__AVX512F__)
  return {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
          __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)};
#elif defined(__AVX2__)
  return {__builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14),
          __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)};
#else
  return {__builtin_shufflevector(a, b, 0, 2, 4, 6), __builtin_shufflevector(a, b, 1, 3, 5, 7)};
#endif
}
/// LaneCount lanes of the sequence a, b, from lane First of a on.
template <int First>
SHARED(Uint)
lanes_from(Uint a, Uint b) {
  return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(a, b, (First + Lane)...);
  }
  (std::make_integer_sequence<int, LaneCount>{});
}
SHARED(Int) broadcast(std::int32_t x) {
  return Int{} + x;
}
SHARED(Int) select(Int mask, Int yes, Int no) {
  return mask ? yes : no;
}
SHARED(Uint) select(Int mask, Uint yes, Uint no) {
  return mask ? yes : no;
}
// Intrinsics, since the compiler would compare and blend, and CPUs do few comparisons at a time.
SHARED(Int) absolute(Int x) {
#if defined(__AVX512F__)
  return reinterpret_cast<Int>(_mm512_abs_epi32(reinterpret_cast<__m512i>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<Int>(_mm256_abs_epi32(reinterpret_cast<__m256i>(x)));
#else
  return select(x < 0, -x, x);
#endif
}
SHARED(Int) smaller(Int a, Int b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Int>(_mm512_min_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Int>(_mm256_min_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return select(a < b, a, b);
#endif
}
SHARED(Int) larger(Int a, Int b) {
#if defined(__AVX512F__)
  return reinterpret_cast<Int>(_mm512_max_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<Int>(_mm256_max_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return select(a > b, a, b);
#endif
}
SHARED(Int) both(Int a, Int b) {
  return a & b;
}
SHARED(Int) either(Int a, Int b) {
  return a | b;
}
SHARED(Int) to_int(Uint x) {
  return reinterpret_cast<Int>(x);
}
SHARED(Uint) to_uint(Int x) {
  return reinterpret_cast<Uint>(x);
}
SHARED(Uint) to_uint(Uint x) {
  return x;
}

// Divides through doubles, whose 53 bits make the truncated quotient of two 32-bit integers exact: CPUs
// divide vectors of doubles, but not of integers. Halves are joined in registers: memory written in two
// parts and read as one stalls the CPU.
SHARED(Int) divide(Int numerator, Int denominator) {
#if defined(__AVX512F__)
  const auto n = reinterpret_cast<__m512i>(numerator);
  const auto d = reinterpret_cast<__m512i>(denominator);
  const auto quotients = [](__m256i a, __m256i b) {
    return _mm512_cvttpd_epi32(_mm512_div_pd(_mm512_cvtepi32_pd(a), _mm512_cvtepi32_pd(b)));
  };
  const __m256i low = quotients(_mm512_castsi512_si256(n), _mm512_castsi512_si256(d));
  const __m256i high = quotients(_mm512_extracti64x4_epi64(n, 1), _mm512_extracti64x4_epi64(d, 1));
  return reinterpret_cast<Int>(_mm512_inserti64x4(_mm512_castsi256_si512(low), high, 1));
#elif defined(__AVX2__)
  const auto n = reinterpret_cast<__m256i>(numerator);
  const auto d = reinterpret_cast<__m256i>(denominator);
  const auto quotients = [](__m128i a, __m128i b) {
    return _mm256_cvttpd_epi32(_mm256_div_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b)));
  };
  const __m128i low = quotients(_mm256_castsi256_si128(n), _mm256_castsi256_si128(d));
  const __m128i high = quotients(_mm256_extracti128_si256(n, 1), _mm256_extracti128_si256(d, 1));
  return reinterpret_cast<Int>(_mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1));
#else
  std::int32_t n[LaneCount], d[LaneCount], q[LaneCount];
  __builtin_memcpy(n, &numerator, sizeof n);
  __builtin_memcpy(d, &denominator, sizeof d);
  for (int lane = 0; lane < LaneCount; ++lane) q[lane] = n[lane] / d[lane];
  Int quotient;
  __builtin_memcpy(&quotient, q, sizeof quotient);
  return quotient;
#endif
}

SHARED(bool) any_of(Int mask) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(mask), reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
  return _mm256_testz_si256(reinterpret_cast<__m256i>(mask), reinterpret_cast<__m256i>(mask)) == 0;
#else
  std::int32_t any = 0;
  for (int lane = 0; lane < LaneCount; ++lane) any |= mask[lane];
  return any != 0;
#endif
}

SHARED(Int) multiply_add_pairs(Int sum, Uint a, std::uint32_t b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), _mm512_set1_epi32(static_cast<int>(b))));
#elif defined(__AVX2__)
  return sum + reinterpret_cast<Int>(
                   _mm256_madd_epi16(reinterpret_cast<__m256i>(a), _mm256_set1_epi32(static_cast<int>(b))));
#else
  const Int low = (to_int(a) << 16) >> 16;
  const Int high = to_int(a) >> 16;
  return sum + low * static_cast<std::int16_t>(b & 0xFFFF) + high * static_cast<std::int16_t>(b >> 16);
#endif
}

using namespace shared;

#include "../../../shaders/shared/color.glsl"
#include "../../../shaders/shared/sample.glsl"
#include "mapping/kernels/packed_samples.h"
#include "mapping/kernels/packed_drafts.h"
#include "../../../shaders/shared/analysis.glsl"
#include "../../../shaders/shared/palette.glsl"
#include "../../../shaders/shared/match.glsl"
#include "../../../shaders/shared/wide.glsl"
