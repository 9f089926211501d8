#include "gpu/passes/packed_axis.h"

#include <algorithm>

#include "gpu/device/shader_interface.h"

namespace glyphreel::gpu {
namespace {

using mapping::shared::AxisOutside;
using mapping::shared::ComponentSource;

/// Returns how many bytes of a row one cell's samples span; 0 if this axis cannot be packed.
std::uint32_t span_of(const mapping::SamplePlan& plan, const ComponentSource& source) {
  const std::uint32_t samples = plan.parameters.samples_x;
  const std::uint32_t bytes = plan.parameters.bytes_per_sample;
  if (plan.parameters.transpose != 0 || samples > shared::MaxSamplesX) return 0;
  if (bytes == 1 && (source.shift != 0 || source.mask != 255)) return 0;
  const std::uint32_t* first = plan.axis_words.data() + source.axis_x;
  std::uint32_t span = 0;
  for (std::uint32_t x = 0; x < plan.parameters.lattice_width; x += samples) {
    const std::uint32_t begin = first[x];
    for (std::uint32_t i = 0; i < samples; ++i) {
      const std::uint32_t at = first[x + i];
      if ((at == AxisOutside) != (begin == AxisOutside)) return 0;
      if (at == AxisOutside) continue;
      // A packed word has 16 bits for `at`. 0xFFFF is also rejected, because it is the lower half of
      // AxisOutside.
      if (at < begin || at >= 0xFFFF) return 0;
      span = std::max(span, (at - begin + source.taps_x - 1) * source.step + bytes);
    }
  }
  return (span + 3) / 4 <= shared::MaxSpanWords ? span : 0;
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

ReadSpans pack_axes(mapping::SamplePlan& plan) {
  mapping::shared::SampleParameters& p = plan.parameters;
  ReadSpans spans{.first = span_of(plan, p.component_0)};
  if (spans.first != 0) p.component_0.axis_x = append_packed(plan, p.component_0);
  if (p.model == mapping::shared::ModelGray) return spans;
  spans.others = span_of(plan, p.component_1);
  // The second and third components are read with the same axis, so they must have the same layout.
  if (p.component_2.step != p.component_1.step || p.component_2.shift != p.component_1.shift ||
      p.component_2.mask != p.component_1.mask) {
    spans.others = 0;
  }
  if (spans.others != 0) p.component_1.axis_x = append_packed(plan, p.component_1);
  return spans;
}

}  // namespace glyphreel::gpu
