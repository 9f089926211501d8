#include "render/picture_layout.h"

#include <utility>

namespace glyphreel::render {
namespace {

constexpr int StrideAlignment = 64;  // a cache line; encoders' SIMD code prefers it

int align_stride(int bytes) {
  return (bytes + StrideAlignment - 1) / StrideAlignment * StrideAlignment;
}

}  // namespace

PictureLayout picture_layout(PictureFormat format, GridSize grid, CellSize cell) {
  PictureLayout layout;
  layout.size = {grid.columns * cell.width, grid.rows * cell.height};
  if (format == PictureFormat::Bgra8) {
    layout.strides[0] = align_stride(layout.size.width * 4);
    layout.bytes = static_cast<std::size_t>(layout.strides[0]) * layout.size.height;
  } else if (format == PictureFormat::Yuv420p) {
    layout.size.width += layout.size.width % 2;
    layout.size.height += layout.size.height % 2;
    layout.strides = {align_stride(layout.size.width), align_stride(layout.size.width / 2),
                      align_stride(layout.size.width / 2)};
    layout.offsets[1] = static_cast<std::size_t>(layout.strides[0]) * layout.size.height;
    layout.offsets[2] =
        layout.offsets[1] + static_cast<std::size_t>(layout.strides[1]) * (layout.size.height / 2);
    layout.bytes = layout.offsets[2] + static_cast<std::size_t>(layout.strides[2]) * (layout.size.height / 2);
  }
  return layout;
}

Picture make_picture(PictureFormat format, const PictureLayout& layout,
                     std::shared_ptr<const HostBlock> block) {
  Picture picture{.format = format, .size = layout.size, .strides = layout.strides};
  const int planes = format == PictureFormat::Yuv420p ? 3 : 1;
  for (int plane = 0; plane < planes; ++plane) {
    picture.planes[static_cast<std::size_t>(plane)] =
        block->bytes + layout.offsets[static_cast<std::size_t>(plane)];
  }
  picture.block = std::move(block);
  return picture;
}

}  // namespace glyphreel::render
