#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <initializer_list>

#define CONSTANT(type, name, value) inline constexpr type name = value;

namespace glyphreel::gpu {

namespace shared {

using uint = std::uint32_t;

#include "../../../shaders/interface.glsl"

}  // namespace shared

/// The kinds of descriptor sets. Every pipeline uses exactly one set. A single set with all bindings would
/// exceed the Raspberry Pi driver's limit of 8 storage buffers per shader stage. SetKind::Source, for
/// scaling the source video to the picture's size, has the same bindings as SetKind::Sample.
enum class SetKind { Sample, Map, Draw, Source };
inline constexpr std::uint32_t SetKindCount = 4;

/// The bindings of a kind of set: bit N is 1 if the set has binding N.
using BindingMask = std::uint32_t;

/// Returns the bindings of a kind of set.
constexpr BindingMask bindings_of(SetKind kind) {
  using namespace shared;
  const auto mask = [](std::initializer_list<uint> bindings) {
    BindingMask bits = 0;
    for (const uint binding : bindings) bits |= 1u << binding;
    return bits;
  };
  switch (kind) {
    case SetKind::Sample:
    case SetKind::Source:
      return mask({FrameBinding, AxisBinding, LatticeBinding, SampleParametersBinding, FirstPlaneBinding,
                   FirstPlaneBinding + 1, FirstPlaneBinding + 2});
    case SetKind::Map:
      return mask({LatticeBinding, TableBinding, CellBinding, AnalysisBinding, HistoryBinding, StateBinding,
                   DraftBinding, MapParametersBinding});
    case SetKind::Draw:
      return mask({TableBinding, CellBinding, MaskBinding, PictureBinding, OverlayBinding, DrawnBinding,
                   TextBinding, SourceBinding, DrawParametersBinding});
  }
  return 0;
}

/// The number of storage buffers that a shader stage must be able to access.
inline constexpr std::uint32_t NeededStorageBuffers = [] {
  int most = 0;
  for (const SetKind kind : {SetKind::Sample, SetKind::Map, SetKind::Draw}) {
    constexpr BindingMask StorageBuffers = (1u << shared::FirstUniformBinding) - 1;
    most = std::max(most, std::popcount(bindings_of(kind) & StorageBuffers));
  }
  return static_cast<std::uint32_t>(most);
}();
static_assert(NeededStorageBuffers <= 8);

/// The number of invocations in a work group of frame_state.comp, the largest work group.
inline constexpr std::uint32_t NeededGroupInvocations = shared::HistogramSize;
/// The number of storage buffers (cells, masks, tables, text, source) and outputs (color) of
/// draw_glyphs.frag.
inline constexpr std::uint32_t NeededFragmentResources = 6;

}  // namespace glyphreel::gpu

#undef CONSTANT
