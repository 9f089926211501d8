#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "mapping/shared/shared_types.h"

// The functions of shaders/shared compiled as plain C++, one cell at a time. Tests compare all other builds
// of these functions with this build. The code for tables and drawing calls this build. prelude.glsl explains
// the dialect in which the functions are written.

#include "../../../shaders/shared/prelude.glsl"

namespace glyphreel::mapping::shared {

/// The structures are in the enclosing namespace, so argument-dependent lookup for a structure does not find
/// these functions. If it found them, they would conflict with the functions of the SIMD builds.
namespace scalar {

using Int = std::int32_t;
using Uint = std::uint32_t;
using Mask = bool;
using Divisor = Int;
inline constexpr int LaneCount = 1;

SHARED(Uint) load(const std::uint32_t* word) {
  return *word;
}
SHARED(void) store(std::uint32_t* word, Uint value) {
  *word = value;
}
SHARED(Uint) gather(const std::uint32_t* table, Int index) {
  return table[index];
}
SHARED(Uint) sample_byte(const std::uint32_t* samples, std::uint32_t i, std::uint32_t shift) {
  return (samples[i] >> shift) & 255u;
}
template <typename T>
SHARED(T)
select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
SHARED(Int) absolute(Int x) {
  return x < 0 ? -x : x;
}
SHARED(Int) smaller(Int a, Int b) {
  return a < b ? a : b;
}
SHARED(Int) larger(Int a, Int b) {
  return a > b ? a : b;
}
SHARED(bool) any_of(bool mask) {
  return mask;
}
SHARED(bool) both(bool a, bool b) {
  return a && b;
}
SHARED(bool) either(bool a, bool b) {
  return a || b;
}
template <typename T>
SHARED(Int)
to_int(T x) {
  return static_cast<Int>(x);
}
template <typename T>
SHARED(Uint)
to_uint(T x) {
  return static_cast<Uint>(x);
}
SHARED(Int) divide(Int numerator, Int denominator) {
  return numerator / denominator;
}
SHARED(Int) divide_small(Int numerator, Int denominator) {
  return numerator / denominator;
}
SHARED(Divisor) divisor(Int denominator) {
  return denominator;
}
SHARED(Int) divide_round(Int numerator, Divisor denominator) {
  const Int quotient = (absolute(numerator) + (denominator >> 1)) / denominator;
  return numerator < 0 ? -quotient : quotient;
}
SHARED(Int) divide_small_round(Int numerator, Int denominator) {
  return divide_round(numerator, denominator);
}
SHARED(Int) broadcast(Int x) {
  return x;
}
SHARED(Int) multiply_add_pairs(Int sum, Uint a, Uint b) {
  return sum + static_cast<std::int16_t>(a & 0xFFFF) * static_cast<std::int16_t>(b & 0xFFFF) +
         static_cast<std::int16_t>(a >> 16) * static_cast<std::int16_t>(b >> 16);
}
SHARED(Int) multiply_add_bytes(Int sum, Uint a, Uint b) {
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<std::uint8_t>(a >> shift) * static_cast<std::int8_t>(b >> shift);
  }
  return sum;
}
SHARED(Int) highest_bit(Int x) {
  return static_cast<Int>(std::bit_width(static_cast<Uint>(x))) - 1;
}

// Each of the files below uses the files before it.
// clang-format off
#include "../../../shaders/shared/color.glsl"
#include "../../../shaders/shared/sample.glsl"
#include "../../../shaders/shared/cell_samples.glsl"
#include "../../../shaders/shared/draft.glsl"
#include "../../../shaders/shared/analysis.glsl"
#include "../../../shaders/shared/palette.glsl"
#include "../../../shaders/shared/ink.glsl"
#include "../../../shaders/shared/match.glsl"
#include "../../../shaders/shared/wide.glsl"
#include "../../../shaders/shared/draw.glsl"
#include "../../../shaders/shared/effect.glsl"
#include "../../../shaders/shared/overlay.glsl"
#include "../../../shaders/shared/glow.glsl"
// clang-format on

}  // namespace scalar
}  // namespace glyphreel::mapping::shared

#include "../../../shaders/shared/postlude.glsl"
