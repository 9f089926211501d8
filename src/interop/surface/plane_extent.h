#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/frame.h"

namespace glyphreel::interop {

/// The alignment of rows in copied planes, in bytes: a cache line.
inline constexpr std::size_t RowAlignment = 64;

/// One plane of a frame: how much of each row holds samples, and how many rows there are.
struct PlaneExtent {
  std::size_t row_bytes = 0;
  int rows = 0;
};

/// The number of samples along `pixels` of an axis that is subsampled by 2^`log2`.
[[nodiscard]] inline int subsampled(int pixels, int log2) {
  return (pixels + (1 << log2) - 1) >> log2;
}

/// The part of plane `plane` that the frame's components use.
[[nodiscard]] inline PlaneExtent plane_extent(const FrameView& view, int plane) {
  PlaneExtent extent;
  for (int c = 0; c < view.layout.component_count(); ++c) {
    const ComponentLayout& component = view.layout.components[static_cast<std::size_t>(c)];
    if (component.plane != plane) continue;
    const int columns = subsampled(view.size.width, component.log2_subsampling_x);
    const std::size_t bytes = component.offset + static_cast<std::size_t>(columns - 1) * component.step +
                              view.layout.bytes_per_sample;
    extent.row_bytes = std::max(extent.row_bytes, bytes);
    extent.rows = std::max(extent.rows, subsampled(view.size.height, component.log2_subsampling_y));
  }
  return extent;
}

/// Whether a shader can walk a plane that starts `offset` bytes into `size` bytes: no row extends beyond
/// the end, and two-byte samples are at even addresses.
[[nodiscard]] inline bool can_walk(const FrameView& view, int plane, std::size_t offset, std::size_t stride,
                                   std::size_t size) {
  const PlaneExtent extent = plane_extent(view, plane);
  if (view.layout.bytes_per_sample == 2 && (offset % 2 != 0 || stride % 2 != 0)) return false;
  const std::size_t rows_above = static_cast<std::size_t>(extent.rows) - 1;
  if (offset > size || extent.row_bytes > size - offset) return false;
  return stride == 0 ? rows_above == 0 : rows_above <= (size - offset - extent.row_bytes) / stride;
}

}  // namespace glyphreel::interop
