#pragma once

#include <cstdint>

#include "mapping/tables/sample_plan.h"

namespace glyphreel::gpu {

/// How many bytes of a source row one invocation of sample_lattice.comp reads, for the first component and
/// for the other two. 0: the component is summed sample by sample from its plain axis.
struct ReadSpans {
  std::uint32_t first = 0;
  std::uint32_t others = 0;
  bool operator==(const ReadSpans&) const = default;
};

/// Returns the number of words in one entry of a packed axis. The first word has `first` in its lower 16 bits
/// and the first weight in its upper 16 bits. With more than two taps, the following words hold the other
/// weights, two to a word. With two taps, the second weight is AxisWeightSum minus the first.
[[nodiscard]] constexpr std::uint32_t packed_entry_words(std::uint32_t taps) {
  return taps <= 2 ? 1 : 1 + taps / 2;
}

/// Appends packed axes to `plan` for the components whose samples can be read in words, and points their
/// axis_x to the packed axes. These components have 8-bit samples, are neither transposed nor mirrored, and
/// span at most MaxSpanWords words. An AxisOutside entry is still a whole word.
[[nodiscard]] ReadSpans pack_axes(mapping::SamplePlan& plan);

}  // namespace glyphreel::gpu
