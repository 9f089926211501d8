#pragma once

#include <cstddef>
#include <cstdint>

#include "mapping/shared/shared_types.h"

// The functions of shaders/shared compiled as plain C++, one cell at a time: the reference that all other
// builds are tested against, and what tables and drawing use.

#define SIDE_BY_SIDE 1
#define INT std::int32_t
#define UINT std::uint32_t
#define MASK bool
#define SHARED(type) [[maybe_unused, gnu::always_inline]] static inline type
#define IN(type) const type&
#define INOUT(type) type&
#define CONSTANT(type, name, value) inline constexpr type name = value;
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
#define SAMPLE(i) samples[i]
#define SAMPLE_BYTE(i, shift) ((SAMPLE(i) >> (shift)) & 255u)
#define TABLE(i) tables[i]
#define GATHER(i) tables[i]
#define TABLE_ROW(name, at) const std::uint32_t* const name = tables + (at)
#define ROW_WORD(name, i) name[i]
#define SURROUND(dx, dy) *(analysis.halves + (dy)*analysis.pitch + (dx))
#define MODE_WORD(dx, dy) *(analysis.mode_words + (dy)*analysis.pitch + (dx))
#define KEEP_DRAFT(i, word) analysis.drafts[i] = (word)
#define DRAFT_WORD(i) analysis.drafts[i]
#define DRAFT_BESIDE(dx, dy, i)                                                                \
  analysis.drafts[(dy)*analysis.draft_pitch + (dx) * static_cast<std::ptrdiff_t>(DraftWords) + \
                  static_cast<std::ptrdiff_t>(i)]
#define SAMPLE_CONTEXT , [[maybe_unused]] const std::uint32_t* axis_words
#define SAMPLE_ARGUMENTS , axis_words
#define SAMPLE_TABLE(i) axis_words[i]

#define EFFECT_CONTEXT , [[maybe_unused]] const Cell *cells, [[maybe_unused]] const std::uint32_t *tables
#define EFFECT_ARGUMENTS , cells, tables
#define MAPPED_CELL(i) cells[i]

#define HISTOGRAM_CONTEXT const std::uint32_t *histogram, [[maybe_unused]] const std::uint32_t *tables
#define HISTOGRAM_ARGUMENTS histogram, tables
#define HISTOGRAM(tone) histogram[tone]

namespace glyphreel::mapping::shared {

/// Separate from the structures' namespace, so that argument-dependent lookup does not find these functions
/// next to another build's.
namespace scalar {

template <typename T>
[[gnu::always_inline]] static inline T select(bool mask, T yes, T no) {
  return mask ? yes : no;
}
[[gnu::always_inline]] static inline std::int32_t absolute(std::int32_t x) {
  return x < 0 ? -x : x;
}
[[gnu::always_inline]] static inline std::int32_t smaller(std::int32_t a, std::int32_t b) {
  return a < b ? a : b;
}
[[gnu::always_inline]] static inline std::int32_t larger(std::int32_t a, std::int32_t b) {
  return a > b ? a : b;
}
[[gnu::always_inline]] static inline bool any_of(bool mask) {
  return mask;
}
[[gnu::always_inline]] static inline bool both(bool a, bool b) {
  return a && b;
}
[[gnu::always_inline]] static inline bool either(bool a, bool b) {
  return a || b;
}
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
[[gnu::always_inline]] static inline std::int32_t broadcast(std::int32_t x) {
  return x;
}
[[gnu::always_inline]] static inline std::int32_t multiply_add_pairs(std::int32_t sum, std::uint32_t a,
                                                                     std::uint32_t b) {
  return sum + static_cast<std::int16_t>(a & 0xFFFF) * static_cast<std::int16_t>(b & 0xFFFF) +
         static_cast<std::int16_t>(a >> 16) * static_cast<std::int16_t>(b >> 16);
}

#include "../../../shaders/shared/prelude.glsl"
#include "../../../shaders/shared/color.glsl"
#include "../../../shaders/shared/sample.glsl"
#include "../../../shaders/shared/cell_samples.glsl"
#include "../../../shaders/shared/draft.glsl"
#include "../../../shaders/shared/analysis.glsl"
#include "../../../shaders/shared/palette.glsl"
#include "../../../shaders/shared/match.glsl"
#include "../../../shaders/shared/wide.glsl"
#include "../../../shaders/shared/levels.glsl"
#include "../../../shaders/shared/draw.glsl"
#include "../../../shaders/shared/effect.glsl"
#include "../../../shaders/shared/overlay.glsl"

}  // namespace scalar
}  // namespace glyphreel::mapping::shared

#undef SIDE_BY_SIDE
#undef INT
#undef UINT
#undef MASK
#undef SHARED
#undef IN
#undef INOUT
#undef CONSTANT
#undef CELL_CONTEXT
#undef CELL_ARGUMENTS
#undef PAIR_CONTEXT
#undef PAIR_ARGUMENTS
#undef LEFT_ARGUMENTS
#undef RIGHT_ARGUMENTS
#undef SAMPLE
#undef SAMPLE_BYTE
#undef TABLE
#undef GATHER
#undef TABLE_ROW
#undef ROW_WORD
#undef SURROUND
#undef MODE_WORD
#undef KEEP_DRAFT
#undef DRAFT_WORD
#undef DRAFT_BESIDE
#undef HISTOGRAM_CONTEXT
#undef HISTOGRAM_ARGUMENTS
#undef HISTOGRAM
#undef EFFECT_CONTEXT
#undef EFFECT_ARGUMENTS
#undef MAPPED_CELL
#undef SAMPLE_CONTEXT
#undef SAMPLE_ARGUMENTS
#undef SAMPLE_TABLE
