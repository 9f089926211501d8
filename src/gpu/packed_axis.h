#pragma once

#include <cstdint>

#include "mapping/sample_plan.h"

namespace glyphreel::gpu {

/// Bytes of a source row that one invocation of sample_lattice.comp reaches over, for the first component and
/// for the other two; 0: that component is summed sample by sample from its plain axis.
struct Reaches {
  std::uint32_t first = 0;
  std::uint32_t others = 0;
  bool operator==(const Reaches&) const = default;
};

/// Words of one entry of a packed axis: `first` in the lower 16 bits and the first weight in the upper; with
/// more than two taps the other weights follow, two to a word. With two, the second is what is missing to
/// AxisWeightSum.
[[nodiscard]] constexpr std::uint32_t packed_entry_words(std::uint32_t taps) {
  return taps <= 2 ? 1 : 1 + taps / 2;
}

/// Appends packed axes to `plan` for the components whose samples can be read in words, and points axis_x of
/// those to them: 8-bit samples, not transposed, not mirrored, in reach of MaxReachWords. AxisOutside stays a
/// word of its own.
[[nodiscard]] Reaches pack_axes(mapping::SamplePlan& plan);

}  // namespace glyphreel::gpu
