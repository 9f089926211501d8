#include "gpu/passes/packed_axis.h"

#include <algorithm>

#include "gpu/device/shader_interface.h"

namespace glyphreel::gpu {
namespace {

using mapping::shared::AxisOutside;
using mapping::shared::ComponentSource;

/// The reach of one cell's samples in bytes; 0 if this axis cannot be packed.
std::uint32_t reach_of(const mapping::SamplePlan& plan, const ComponentSource& source) {
  const std::uint32_t samples = plan.parameters.samples_x;
  if (plan.parameters.bytes_per_sample != 1 || plan.parameters.transpose != 0) return 0;
  if (source.shift != 0 || source.mask != 255 || samples > shared::MaxSamplesX) return 0;
  const std::uint32_t* first = plan.axis_words.data() + source.axis_x;
  std::uint32_t reach = 0;
  for (std::uint32_t x = 0; x < plan.parameters.lattice_width; x += samples) {
    const std::uint32_t begin = first[x];
    for (std::uint32_t i = 0; i < samples; ++i) {
      const std::uint32_t at = first[x + i];
      if ((at == AxisOutside) != (begin == AxisOutside)) return 0;
      if (at == AxisOutside) continue;
      // 0xFFFF is rejected too: as the lower half of a packed word it would look like that of AxisOutside.
      if (at < begin || at >= 0xFFFF) return 0;
      reach = std::max(reach, (at - begin + source.taps_x - 1) * source.step + 1);
    }
  }
  return (reach + 3) / 4 <= shared::MaxReachWords ? reach : 0;
}

std::uint32_t append_packed(mapping::SamplePlan& plan, const ComponentSource& source) {
  const auto packed_at = static_cast<std::uint32_t>(plan.axis_words.size());
  const std::uint32_t size = plan.parameters.lattice_width;
  for (std::uint32_t x = 0; x < size; ++x) {
    const std::uint32_t first = plan.axis_words[source.axis_x + x];
    const auto weight = [&](std::uint32_t tap) {
      return tap < source.taps_x ? plan.axis_words[source.axis_x + size + x * source.taps_x + tap] : 0;
    };
    plan.axis_words.push_back(first == AxisOutside ? AxisOutside : first | weight(0) << 16);
    for (std::uint32_t word = 1; word < packed_entry_words(source.taps_x); ++word) {
      plan.axis_words.push_back(weight(2 * word - 1) | weight(2 * word) << 16);
    }
  }
  return packed_at;
}

}  // namespace

Reaches pack_axes(mapping::SamplePlan& plan) {
  mapping::shared::SampleParameters& p = plan.parameters;
  Reaches reaches{.first = reach_of(plan, p.component_0)};
  if (reaches.first != 0) p.component_0.axis_x = append_packed(plan, p.component_0);
  if (p.model == mapping::shared::ModelGray) return reaches;
  reaches.others = reach_of(plan, p.component_1);
  // The third component is read with the second one's axis, so its layout must be the same.
  if (p.component_2.step != p.component_1.step || p.component_2.shift != p.component_1.shift ||
      p.component_2.mask != p.component_1.mask) {
    reaches.others = 0;
  }
  if (reaches.others != 0) p.component_1.axis_x = append_packed(plan, p.component_1);
  return reaches;
}

}  // namespace glyphreel::gpu
