#pragma once

#include <cstdint>

// The code of shaders/shared compiled as plain C++, one cell at a time: the reference that every other build of it
// is tested against, and what tables and draws are made with.

#define SIDE_BY_SIDE 1
#define INT std::int32_t
#define UINT std::uint32_t
#define MASK bool
#define SHARED(type) [[maybe_unused, gnu::always_inline]] static inline type
#define IN(type) const type&
#define CONSTANT(type, name, value) inline constexpr type name = value;
#define CELL_CONTEXT \
  [[maybe_unused]] const std::uint32_t *samples, [[maybe_unused]] const std::uint32_t *tables
#define CELL_ARGUMENTS samples, tables
#define SAMPLE(i) samples[i]
#define TABLE(i) tables[i]
#define GATHER(i) tables[i]

namespace glyphreel::mapping::shared {

using uint = std::uint32_t;

#include "../../shaders/shared/structs.glsl"

/// Apart from the structures, so that argument-dependent lookup does not find these beside another build's functions.
namespace scalar {

template <typename T>
[[gnu::always_inline]] static inline T select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
[[gnu::always_inline]] static inline bool any_of(bool mask) { return mask; }
[[gnu::always_inline]] static inline bool both(bool a, bool b) { return a && b; }
[[gnu::always_inline]] static inline bool either(bool a, bool b) { return a || b; }
template <typename T>
[[gnu::always_inline]] static inline std::int32_t to_int(T x) {
  return static_cast<std::int32_t>(x);
}
template <typename T>
[[gnu::always_inline]] static inline std::uint32_t to_uint(T x) {
  return static_cast<std::uint32_t>(x);
}
[[gnu::always_inline]] static inline std::int32_t divide(std::int32_t numerator, std::int32_t denominator) {
  return numerator / denominator;
}
[[gnu::always_inline]] static inline std::int32_t broadcast(std::int32_t x) { return x; }
[[gnu::always_inline]] static inline std::int32_t multiply_add_pairs(std::int32_t sum, std::uint32_t a,
                                                                     std::uint32_t b) {
  return sum + static_cast<std::int16_t>(a & 0xFFFF) * static_cast<std::int16_t>(b & 0xFFFF) +
         static_cast<std::int16_t>(a >> 16) * static_cast<std::int16_t>(b >> 16);
}

#include "../../shaders/shared/prelude.glsl"
#include "../../shaders/shared/color.glsl"
#include "../../shaders/shared/sample.glsl"
#include "../../shaders/shared/match.glsl"
#include "../../shaders/shared/draw.glsl"

}  // namespace scalar
}  // namespace glyphreel::mapping::shared

#undef SIDE_BY_SIDE
#undef INT
#undef UINT
#undef MASK
#undef SHARED
#undef IN
#undef CONSTANT
#undef CELL_CONTEXT
#undef CELL_ARGUMENTS
#undef SAMPLE
#undef TABLE
#undef GATHER
