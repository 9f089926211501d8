#include "present/export/image/cell_picture.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::present {
namespace {

constexpr int PixelBytes = 4;
constexpr std::uint32_t Opaque = 0xFF000000;

const std::byte* row_of(const Picture& picture, int y) {
  return picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0];
}

}  // namespace

PixelArea changed_area(const Picture& before, const Picture& after) {
  const int width = after.size.width;
  const std::size_t bytes = static_cast<std::size_t>(width) * PixelBytes;
  const auto differs = [&](int y) { return std::memcmp(row_of(before, y), row_of(after, y), bytes) != 0; };
  int top = 0;
  int bottom = after.size.height;
  while (top < bottom && !differs(top)) ++top;
  if (top == bottom) return {};
  while (!differs(bottom - 1)) --bottom;
  int left = width;
  int right = 0;
  for (int y = top; y < bottom; ++y) {
    const auto* a = reinterpret_cast<const std::uint32_t*>(row_of(before, y));
    const auto* b = reinterpret_cast<const std::uint32_t*>(row_of(after, y));
    left = std::min(left, static_cast<int>(std::mismatch(a, a + left, b).first - a));
    while (right < width &&
           std::memcmp(a + right, b + right, bytes - static_cast<std::size_t>(right) * PixelBytes) != 0) {
      int last = width;
      while (a[last - 1] == b[last - 1]) --last;
      right = std::max(right, last);
    }
  }
  return {left, top, {right - left, bottom - top}};
}

Picture part_of(const Picture& picture, PixelArea area) {
  Picture part = picture;
  part.planes[0] += static_cast<std::ptrdiff_t>(area.y) * picture.strides[0] +
                    static_cast<std::ptrdiff_t>(area.x) * PixelBytes;
  part.size = area.size;
  return part;
}

const std::uint8_t* mask_of(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                            const render::Cell& cell) {
  const CellSize size = glyphs.cell();
  const std::size_t bytes = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  const auto count = static_cast<std::uint32_t>(glyphs.size());
  if (cell.glyph < count) return glyphs.masks().data() + cell.glyph * bytes;
  return frame.overlay_glyphs->masks.data() + (cell.glyph - count) * bytes;
}

Picture draw_transparent(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                         std::uint32_t background) {
  const CellSize cell_size = glyphs.cell();
  const Extent size{frame.grid.columns * cell_size.width, frame.grid.rows * cell_size.height};
  Picture picture{.format = PictureFormat::Bgra8, .size = size, .strides = {size.width * PixelBytes}};
  picture.block = make_heap_memory()->acquire(static_cast<std::size_t>(picture.strides[0]) *
                                              static_cast<std::size_t>(size.height));
  CHECK(picture.block != nullptr, "out of memory");
  picture.planes[0] = picture.block->bytes;
  for (int row = 0; row < frame.grid.rows; ++row) {
    for (int column = 0; column < frame.grid.columns; ++column) {
      const render::Cell& cell = frame.cells[static_cast<std::size_t>(row) * frame.grid.columns + column];
      const std::uint8_t* mask = mask_of(frame, glyphs, cell);
      const bool is_transparent = (cell.background & ~Opaque) == background;
      for (int y = 0; y < cell_size.height; ++y, mask += cell_size.width) {
        auto* pixels = reinterpret_cast<std::uint32_t*>(
                           picture.planes[0] +
                           static_cast<std::ptrdiff_t>(row * cell_size.height + y) * picture.strides[0]) +
                       static_cast<std::ptrdiff_t>(column) * cell_size.width;
        for (int x = 0; x < cell_size.width; ++x) {
          pixels[x] = !is_transparent
                          ? mapping::shared::scalar::blend(cell.foreground, cell.background, mask[x])
                      : mask[x] == 0 ? 0
                                     : std::uint32_t{mask[x]} << 24 | (cell.foreground & ~Opaque);
        }
      }
    }
  }
  return picture;
}

}  // namespace glyphreel::present
