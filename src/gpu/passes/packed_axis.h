#pragma once

#include <cstdint>

#include "mapping/tables/sample_plan.h"

namespace glyphreel::gpu {

/// How many bytes of a source row one invocation of sample_lattice.comp reads: for the first component, and
/// for each of the second and third. 0: the component's axis is not packed, and its samples are summed one by
/// one.
struct ReadSpans {
  std::uint32_t first = 0;
  std::uint32_t others = 0;
  bool operator==(const ReadSpans&) const = default;
};

/// Returns the number of words in one entry of a packed axis. The first word has the index of the first
/// source sample in its lower 16 bits and that sample's weight in its upper 16 bits. With more than two taps,
/// the following words hold the other weights, two to a word. With two taps, the second weight is not stored:
/// it is AxisWeightSum minus the first.
[[nodiscard]] constexpr std::uint32_t packed_entry_words(std::uint32_t taps) {
  return taps <= 2 ? 1 : 1 + taps / 2;
}

/// Appends packed axes to `plan` for the components whose samples can be read as whole words, and sets the
/// axis_x of each of these components to the packed axis. A component qualifies if it has 8-bit samples or
/// samples in 16-bit words, it is neither transposed nor mirrored, and the samples of one cell span at most
/// MaxSpanWords words. If a lattice sample is outside the source, the first word of its entry is AxisOutside.
[[nodiscard]] ReadSpans pack_axes(mapping::SamplePlan& plan);

}  // namespace glyphreel::gpu
