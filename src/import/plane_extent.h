#pragma once

#include <algorithm>
#include <cstddef>

#include "base/frame.h"

namespace glyphreel::importer {

/// One plane of a frame: how much of each row holds samples, and how many rows there are.
struct PlaneExtent {
  std::size_t row_bytes = 0;
  int rows = 0;
};

/// The part of plane `plane` that the frame's components use.
[[nodiscard]] inline PlaneExtent plane_extent(const FrameView& view, int plane) {
  PlaneExtent extent;
  for (int c = 0; c < view.layout.component_count(); ++c) {
    const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
    if (component.plane != plane) continue;
    const auto reduce = [](int pixels, int log2) { return (pixels + (1 << log2) - 1) >> log2; };
    const int columns = reduce(view.size.width, component.log2_subsampling_x);
    const std::size_t bytes = component.offset + static_cast<std::size_t>(columns - 1) * component.step +
                              view.layout.bytes_per_sample;
    extent.row_bytes = std::max(extent.row_bytes, bytes);
    extent.rows = std::max(extent.rows, reduce(view.size.height, component.log2_subsampling_y));
  }
  return extent;
}

}  // namespace glyphreel::importer
