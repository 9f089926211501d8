#include "present/export/padding.h"

#include <cstring>
#include <utility>

#include "mapping/shared/shared_scalar.h"
#include "render/picture_layout.h"

namespace glyphreel::present {
namespace {

/// Writes `count` samples. Each sample is the first `bytes` bytes of `color` in memory.
void fill(std::byte* row, int count, int bytes, std::uint32_t color) {
  for (int i = 0; i < count; ++i) std::memcpy(row + static_cast<std::ptrdiff_t>(i) * bytes, &color, bytes);
}

}  // namespace

Result<Picture> Padder::pad(const Picture& picture) {
  if (picture.size == padding_.size) return picture;
  const Extent size = padding_.size;
  const render::PictureLayout layout =
      render::picture_layout(picture.format, {size.width, size.height}, {1, 1});
  std::shared_ptr<const HostBlock> block = memory_->acquire(layout.bytes);
  if (!block)
    return Error{ErrorCode::Failed, "Out of memory for recorded pictures; choose a smaller --size."};
  Picture padded = render::make_picture(picture.format, layout, std::move(block));

  const bool is_yuv = picture.format == PictureFormat::Yuv420p;
  const std::uint32_t opaque = 0xFF000000u | padding_.color;
  const std::uint32_t yuv = mapping::shared::scalar::yuv_from_rgb(opaque);
  // Place the picture at even coordinates, so that each chroma sample still covers the same pixels.
  const int left = (size.width - drawn_.width) / 4 * 2;
  const int top = (size.height - drawn_.height) / 4 * 2;
  for (int plane = 0; plane < (is_yuv ? 3 : 1); ++plane) {
    const auto p = static_cast<std::size_t>(plane);
    const int step = plane == 0 ? 1 : 2;  // pixels per sample
    const int bytes = is_yuv ? 1 : 4;     // per sample
    const std::uint32_t color = is_yuv ? yuv >> (16 - 8 * plane) & 255 : opaque;
    const int width = size.width / step;
    const int from_x = left / step;
    const int from_y = top / step;
    const int columns = (drawn_.width + step - 1) / step;
    const int rows = (drawn_.height + step - 1) / step;
    for (int y = 0; y < size.height / step; ++y) {
      std::byte* row = padded.planes[p] + static_cast<std::ptrdiff_t>(y) * padded.strides[p];
      if (y < from_y || y >= from_y + rows) {
        fill(row, width, bytes, color);
        continue;
      }
      fill(row, from_x, bytes, color);
      std::memcpy(row + static_cast<std::ptrdiff_t>(from_x) * bytes,
                  picture.planes[p] + static_cast<std::ptrdiff_t>(y - from_y) * picture.strides[p],
                  static_cast<std::size_t>(columns) * static_cast<std::size_t>(bytes));
      const int right = from_x + columns;
      fill(row + static_cast<std::ptrdiff_t>(right) * bytes, width - right, bytes, color);
    }
  }
  return padded;
}

}  // namespace glyphreel::present
