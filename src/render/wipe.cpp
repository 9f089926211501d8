#include "render/wipe.h"

#include <algorithm>
#include <cmath>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::render {

namespace shared = mapping::shared;

namespace {

constexpr std::uint32_t Line = 0xFFFFFFFF;
constexpr std::uint32_t Black = 0xFF000000;

/// Returns the color of a pixel: the source video within the wipe, white in the line to its right, black
/// outside the grid.
std::uint32_t pixel_at(const Wipe& wipe, int x, int y) {
  if (x >= wipe.grid.width || y >= wipe.grid.height) return Black;
  if (static_cast<std::uint32_t>(x) >= wipe.columns) return Line;
  return wipe.source[static_cast<std::ptrdiff_t>(y) * wipe.grid.width + x] | 0xFF000000u;
}

std::uint8_t* row_of(const Picture& picture, std::size_t plane, int y) {
  return reinterpret_cast<std::uint8_t*>(picture.planes[plane] +
                                         static_cast<std::ptrdiff_t>(y) * picture.strides[plane]);
}

/// Draws the 2x2 pixels of one chroma sample.
void draw_yuv(const Wipe& wipe, const Picture& picture, int x, int y) {
  std::uint32_t cb = 0;
  std::uint32_t cr = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const int column = x + corner % 2;
    const int row = y + corner / 2;
    const std::uint32_t yuv = shared::scalar::yuv_from_rgb(pixel_at(wipe, column, row));
    row_of(picture, 0, row)[column] = static_cast<std::uint8_t>(yuv >> 16);
    cb += shared::scalar::weigh_chroma(0, (yuv >> 8) & 255u, 0);
    cr += shared::scalar::weigh_chroma(0, yuv & 255u, 0);
  }
  row_of(picture, 1, y / 2)[x / 2] = static_cast<std::uint8_t>(shared::scalar::finish_chroma(cb));
  row_of(picture, 2, y / 2)[x / 2] = static_cast<std::uint8_t>(shared::scalar::finish_chroma(cr));
}

}  // namespace

std::uint32_t wipe_columns(double share, int width) {
  const auto columns = static_cast<int>(std::lround(share * width / 2)) * 2;
  return static_cast<std::uint32_t>(std::clamp(columns, 2, std::max(2, width / 2 * 2)));
}

void draw_wipe(const Wipe& wipe, const Picture& picture, int y) {
  const int end = std::min(static_cast<int>(wipe.columns + shared::WipeLine), picture.size.width);
  if (picture.format == PictureFormat::Yuv420p) {
    for (int x = 0; x < end; x += 2) draw_yuv(wipe, picture, x, y);
    return;
  }
  for (int row = y; row < std::min(y + 2, picture.size.height); ++row) {
    auto* pixels = reinterpret_cast<std::uint32_t*>(row_of(picture, 0, row));
    for (int x = 0; x < end; ++x) pixels[x] = pixel_at(wipe, x, row);
  }
}

}  // namespace glyphreel::render
