// The code of shaders/shared compiled for several cells at once, one per SIMD lane; prelude.glsl explains the
// dialect. Each kernels_*.cpp file includes this file once, inside its own namespace GLYPHREEL_ISA, so there
// is no include guard. Ordinary inline functions are not allowed here: the linker could use one instruction
// set's copy of such a function in the code of all instruction sets.
//
// Functions are written with GCC's vector types, and with intrinsics where the compiler's code would be
// slower. Names of intrinsics differ in their prefix only: SIMD(abs_epi32) is _mm256_abs_epi32 for AVX2.

#include "../../../shaders/shared/prelude.glsl"

// Vectors are as wide as the instruction set's registers: GCC splits wider vectors lane by lane, which is ten
// times slower.
#if defined(__AVX512F__)
inline constexpr int LaneCount = 16;
using Register = __m512i;
#define SIMD(name) _mm512_##name
#elif defined(__AVX2__)
inline constexpr int LaneCount = 8;
using Register = __m256i;
#define SIMD(name) _mm256_##name
#else
inline constexpr int LaneCount = 4;
#if defined(__SSE2__)
using Register = __m128i;
#define SIMD(name) _mm_##name
#endif
#endif
using Int = std::int32_t __attribute__((vector_size(LaneCount * 4)));
using Uint = std::uint32_t __attribute__((vector_size(LaneCount * 4)));
using Mask = Int;

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

/// Concatenates a and b and returns the elements at First, First + Step and so on, as many as `a` has.
template <int First, int Step, typename Vector>
SHARED(Vector)
every(Vector a, Vector b) {
  return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(a, b, (First + Step * Lane)...);
  }
  (std::make_integer_sequence<int, sizeof(Vector) / sizeof(a[0])>{});
}

/// The words at the even and at the odd positions of two concatenated vectors.
struct EvenOdd {
  Uint even, odd;
};
SHARED(EvenOdd) split(Uint a, Uint b) {
  return {every<0, 2>(a, b), every<1, 2>(a, b)};
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
// absolute(), smaller() and larger() use intrinsics where they exist. The compiler would generate a
// comparison and a blend, and CPUs execute few comparisons in parallel.
SHARED(Int) absolute(Int x) {
#if defined(__AVX2__)
  return reinterpret_cast<Int>(SIMD(abs_epi32)(reinterpret_cast<Register>(x)));
#else
  return select(x < 0, -x, x);
#endif
}
SHARED(Int) smaller(Int a, Int b) {
#if defined(__AVX2__)
  return reinterpret_cast<Int>(SIMD(min_epi32)(reinterpret_cast<Register>(a), reinterpret_cast<Register>(b)));
#else
  return select(a < b, a, b);
#endif
}
SHARED(Int) larger(Int a, Int b) {
#if defined(__AVX2__)
  return reinterpret_cast<Int>(SIMD(max_epi32)(reinterpret_cast<Register>(a), reinterpret_cast<Register>(b)));
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

// CPUs divide vectors of doubles, but not of integers. A vector of doubles has half of the lanes.
using HalfInt = std::int32_t __attribute__((vector_size(LaneCount * 2)));
using Doubles = double __attribute__((vector_size(LaneCount * 4)));

/// Converts the lanes from First on.
template <int First>
SHARED(Doubles)
to_doubles(Int x) {
  return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
    const HalfInt half = __builtin_shufflevector(x, x, (First + Lane)...);
#if defined(__AVX512F__)  // GCC converts this vector in two parts
    return reinterpret_cast<Doubles>(_mm512_cvtepi32_pd(reinterpret_cast<__m256i>(half)));
#else
    return __builtin_convertvector(half, Doubles);
#endif
  }
  (std::make_integer_sequence<int, LaneCount / 2>{});
}

// The 53 bits of a double make the truncated quotient of two 32-bit integers exact.
SHARED(Int) divide(Int numerator, Int denominator) {
  const auto quotients = [](Doubles n, Doubles d) { return __builtin_convertvector(n / d, HalfInt); };
  const HalfInt low = quotients(to_doubles<0>(numerator), to_doubles<0>(denominator));
  const HalfInt high =
      quotients(to_doubles<LaneCount / 2>(numerator), to_doubles<LaneCount / 2>(denominator));
  return [&]<int... Lane>(std::integer_sequence<int, Lane...>) {
    return __builtin_shufflevector(low, high, Lane...);
  }
  (std::make_integer_sequence<int, LaneCount>{});
}

/// The reciprocals of denominators.
struct Divisor {
  Doubles low, high;
};
// The reciprocals are too large by the factor 1 + 2^-40, so that a quotient halfway between two integers is
// rounded away from zero. Any other quotient n / d differs from halfway by at least 1 / (2 d). The factor
// changes it by less than that, because |n| < 2^31, so it is rounded correctly.
SHARED(Divisor) divisor(Int denominator) {
  constexpr double One = 1 + 0x1p-40;
  return {One / to_doubles<0>(denominator), One / to_doubles<LaneCount / 2>(denominator)};
}

// Doubles of this size have no bits for fractions, so the addition rounds. The integer is in the lower word.
SHARED(Int) divide_round(Int numerator, IN(Divisor) by) {
  constexpr double Size = 0x1.8p52;
  const Doubles low = to_doubles<0>(numerator) * by.low + Size;
  const Doubles high = to_doubles<LaneCount / 2>(numerator) * by.high + Size;
  return every<0, 2>(reinterpret_cast<Int>(low), reinterpret_cast<Int>(high));
}
SHARED(Int) divide_round(Int numerator, Int denominator) {
  return divide_round(numerator, divisor(denominator));
}

// Floats represent all integers below 2^24, and a quotient of two such integers that is not an integer is not
// rounded to one.
using Floats = float __attribute__((vector_size(LaneCount * 4)));
SHARED(Floats) to_floats(Int x) {
  return __builtin_convertvector(x, Floats);
}
SHARED(Int) divide_small(Int numerator, Int denominator) {
  return __builtin_convertvector(to_floats(numerator) / to_floats(denominator), Int);
}

// Like divide_round(). Rounding to floats changes the quotient by less than 2^-23 of itself, and the
// reciprocal is larger by 2^-22.
SHARED(Int) divide_small_round(Int numerator, Int denominator) {
  constexpr float One = 1 + 0x1p-22F;
  constexpr float Size = 0x1.8p23F;
  const Floats rounded = to_floats(numerator) * (One / to_floats(denominator)) + Size;
  return reinterpret_cast<Int>(rounded) - __builtin_bit_cast(std::int32_t, Size);
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

SHARED(Int) multiply_add_pairs(Int sum, Uint a, Uint b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpwssd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__SSE2__)
  return sum + reinterpret_cast<Int>(
                   SIMD(madd_epi16)(reinterpret_cast<Register>(a), reinterpret_cast<Register>(b)));
#else
  const auto low = [](Uint pair) { return (to_int(pair) << 16) >> 16; };
  const auto high = [](Uint pair) { return to_int(pair) >> 16; };
  return sum + low(a) * low(b) + high(a) * high(b);
#endif
}
SHARED(Int) multiply_add_pairs(Int sum, Uint a, std::uint32_t b) {
  return multiply_add_pairs(sum, a, Uint{} + b);
}

using SignedPairs = std::int16_t __attribute__((vector_size(LaneCount * 4)));

/// Sign-extends the bytes at even positions to 16 bits.
SHARED(SignedPairs) even_signed(Uint word) {
  return reinterpret_cast<SignedPairs>(word << 8) >> 8;
}
SHARED(SignedPairs) odd_signed(Uint word) {
  return reinterpret_cast<SignedPairs>(word) >> 8;
}

SHARED(Int) multiply_add_bytes(Int sum, Uint a, Uint b) {
#if defined(__AVX512VNNI__)
  return reinterpret_cast<Int>(_mm512_dpbusd_epi32(
      reinterpret_cast<__m512i>(sum), reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  // Sums of two products fit in 16 bits (prelude.glsl).
  const __m256i pairs = _mm256_maddubs_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b));
  return sum + reinterpret_cast<Int>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
#else
  sum = multiply_add_pairs(sum, a & 0x00FF00FFu, reinterpret_cast<Uint>(even_signed(b)));
  return multiply_add_pairs(sum, (a >> 8) & 0x00FF00FFu, reinterpret_cast<Uint>(odd_signed(b)));
#endif
}
SHARED(Int) multiply_add_bytes(Int sum, Uint a, std::uint32_t b) {
  return multiply_add_bytes(sum, a, Uint{} + b);
}

SHARED(Int) highest_bit(Int x) {
  return (reinterpret_cast<Int>(to_floats(x)) >> 23) - 127;  // the exponent
}

using namespace shared;

// Each of these files uses those before it.
// clang-format off
#include "../../../shaders/shared/color.glsl"
#include "../../../shaders/shared/sample.glsl"
#include "mapping/kernels/packed_samples.h"
#include "mapping/kernels/packed_light.h"
#include "mapping/kernels/packed_drafts.h"
#include "../../../shaders/shared/analysis.glsl"
#include "../../../shaders/shared/palette.glsl"
#include "../../../shaders/shared/ink.glsl"
#include "../../../shaders/shared/match.glsl"
#include "../../../shaders/shared/wide.glsl"
// clang-format on
