#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "base/frame.h"

namespace glyphreel::interop {

/// The alignment of rows in copied planes, in bytes: a cache line.
inline constexpr std::size_t RowAlignment = 64;

/// One plane of a frame: how many bytes of each row are samples, and how many rows there are.
struct PlaneExtent {
  std::size_t row_bytes = 0;
  int rows = 0;
};

/// Returns the number of samples that cover `pixels` pixels along an axis subsampled by 2^`log2`.
[[nodiscard]] inline int subsampled(int pixels, int log2) {
  return (pixels + (1 << log2) - 1) >> log2;
}

/// Returns the components that a layout has.
[[nodiscard]] inline std::span<const ComponentLayout> components_of(const PixelLayout& layout) {
  return std::span(layout.components).first(static_cast<std::size_t>(layout.component_count()));
}

[[nodiscard]] inline std::size_t plane_count(const PixelLayout& layout) {
  std::size_t count = 0;
  for (const ComponentLayout& component : components_of(layout)) {
    count = std::max<std::size_t>(count, component.plane + std::size_t{1});
  }
  return count;
}

/// Returns the part of plane `plane` that the frame's components use.
[[nodiscard]] inline PlaneExtent plane_extent(const FrameView& view, std::size_t plane) {
  PlaneExtent extent;
  for (const ComponentLayout& component : components_of(view.layout)) {
    if (component.plane != plane) continue;
    const int columns = subsampled(view.size.width, component.log2_subsampling_x);
    const std::size_t bytes = component.offset + static_cast<std::size_t>(columns - 1) * component.step +
                              view.layout.bytes_per_sample;
    extent.row_bytes = std::max(extent.row_bytes, bytes);
    extent.rows = std::max(extent.rows, subsampled(view.size.height, component.log2_subsampling_y));
  }
  return extent;
}

/// The layout of a frame's planes in the buffer to which they are copied.
struct PlaneBufferLayout {
  std::array<PlaneExtent, 4> extents{};
  std::array<std::size_t, 4> offsets{};
  std::array<std::ptrdiff_t, 4> strides{};
  std::size_t size = 0;  ///< bytes that all planes need together
};

[[nodiscard]] inline PlaneBufferLayout lay_out_planes(const FrameView& view) {
  PlaneBufferLayout layout;
  for (std::size_t p = 0; p < layout.extents.size(); ++p) {
    layout.extents[p] = plane_extent(view, p);
    const std::size_t stride = (layout.extents[p].row_bytes + RowAlignment - 1) / RowAlignment * RowAlignment;
    layout.offsets[p] = layout.size;
    layout.strides[p] = static_cast<std::ptrdiff_t>(stride);
    layout.size += stride * static_cast<std::size_t>(layout.extents[p].rows);
  }
  return layout;
}

/// The offset from a plane's first decoded sample to its first visible sample: bytes along a row, and rows.
struct CropOffset {
  std::size_t x_bytes = 0;
  std::size_t y = 0;
};

/// Returns the offset if `left` columns and `top` rows of pixels are cropped. Packed 4:2:2 is cropped by
/// whole pairs of pixels, because the pixels of a pair share their chroma.
[[nodiscard]] inline CropOffset crop_offset(const PixelLayout& layout, std::size_t plane, std::size_t left,
                                            std::size_t top) {
  for (const ComponentLayout& component : components_of(layout)) {
    if (component.plane != plane) continue;
    return {.x_bytes = (left >> component.log2_subsampling_x) * component.step,
            .y = top >> component.log2_subsampling_y};
  }
  return {};
}

/// Whether a shader can read a plane that starts at byte `offset` of a buffer of `size` bytes: no row extends
/// beyond the end, and two-byte samples are at even addresses.
[[nodiscard]] inline bool can_walk(const FrameView& view, std::size_t plane, std::size_t offset,
                                   std::size_t stride, std::size_t size) {
  const PlaneExtent extent = plane_extent(view, plane);
  if (view.layout.bytes_per_sample == 2 && (offset % 2 != 0 || stride % 2 != 0)) return false;
  const std::size_t rows_above = static_cast<std::size_t>(extent.rows) - 1;
  if (offset > size || extent.row_bytes > size - offset) return false;
  return stride == 0 ? rows_above == 0 : rows_above <= (size - offset - extent.row_bytes) / stride;
}

}  // namespace glyphreel::interop
