#include "render/text_image.h"

#include <algorithm>
#include <cmath>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::render {

namespace shared = mapping::shared;

namespace {

struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;
};

/// Returns the box of pixels that the text of all overlays covers, extended to even coordinates.
Box covered_box(Extent picture, std::span<const PlacedOverlay> overlays) {
  Box box{.left = picture.width, .top = picture.height};
  for (const auto& [overlay, place] : overlays) {
    for (int i = 0; i < place.grid.cells(); ++i) {
      if (overlay->cells[static_cast<std::size_t>(i)].glyph == shared::OverlayNone) continue;
      const int x = place.x + i % place.grid.columns * place.cell.width;
      const int y = place.y + i / place.grid.columns * place.cell.height;
      box = {std::min(box.left, x), std::min(box.top, y), std::max(box.right, x + place.cell.width),
             std::max(box.bottom, y + place.cell.height)};
    }
  }
  const auto even = [](int number) { return number / 2 * 2; };
  return {even(box.left), even(box.top), even(box.right + 1), even(box.bottom + 1)};
}

/// Returns one translucent pixel that has the same effect on a picture as two layers: the text's background
/// with its own opacity, and above the background, the text's foreground with the opacity `mask`.
std::uint32_t text_pixel(const OverlayCell& cell, std::uint32_t mask) {
  const std::uint32_t opacity = cell.background >> 24;
  const std::uint32_t alpha = shared::scalar::blend_8(255, opacity, mask);
  if (alpha == 0) return 0;
  const std::uint32_t share = (mask * 255 + alpha / 2) / alpha;  // weight of the foreground
  return alpha << 24 | (shared::scalar::blend(cell.foreground, cell.background, share) & 0xFFFFFFu);
}

void draw_overlay(const Overlay& overlay, const TextPlace& place, TextImage& image) {
  const auto [width, height] = place.cell;
  const std::size_t mask_bytes = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  for (int i = 0; i < place.grid.cells(); ++i) {
    const OverlayCell& cell = overlay.cells[static_cast<std::size_t>(i)];
    if (cell.glyph == shared::OverlayNone) continue;
    const std::uint8_t* mask = overlay.glyphs->masks.data() + cell.glyph * mask_bytes;
    const int x = place.x + i % place.grid.columns * width - image.x;
    const int y = place.y + i / place.grid.columns * height - image.y;
    for (int line = 0; line < height; ++line, mask += width) {
      std::uint32_t* pixels =
          image.pixels.data() + static_cast<std::ptrdiff_t>(y + line) * image.size.width + x;
      for (int column = 0; column < width; ++column) pixels[column] = text_pixel(cell, mask[column]);
    }
  }
}

void draw_text_bgra(const TextImage& text, const Picture& picture, int y) {
  auto* pixels = reinterpret_cast<std::uint32_t*>(
      picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0] + text.x * 4);
  const std::uint32_t* source =
      text.pixels.data() + static_cast<std::ptrdiff_t>(y - text.y) * text.size.width;
  const int width = std::min(text.size.width, picture.size.width - text.x);
  for (int x = 0; x < width; ++x)
    pixels[x] = shared::scalar::blend(source[x] | 0xFF000000u, pixels[x], source[x] >> 24);
}

/// Draws the text on rows `y` and `y` + 1 of the picture. `y` is even.
void draw_text_yuv(const TextImage& text, const Picture& picture, int y) {
  const auto plane_row = [&](std::size_t plane, int row) {
    return reinterpret_cast<std::uint8_t*>(picture.planes[plane] +
                                           static_cast<std::ptrdiff_t>(row) * picture.strides[plane]);
  };
  std::uint8_t* const luma[] = {plane_row(0, y) + text.x, plane_row(0, y + 1) + text.x};
  std::uint8_t* cb = plane_row(1, y / 2) + text.x / 2;
  std::uint8_t* cr = plane_row(2, y / 2) + text.x / 2;
  const std::uint32_t* source =
      text.pixels.data() + static_cast<std::ptrdiff_t>(y - text.y) * text.size.width;
  for (int x = 0; x < text.size.width; x += 2, ++cb, ++cr) {
    std::uint32_t cb_sum = 0;
    std::uint32_t cr_sum = 0;
    for (int corner = 0; corner < 4; ++corner) {
      const int column = x + corner % 2;
      const std::uint32_t pixel = source[corner / 2 * text.size.width + column];
      const std::uint32_t yuv = shared::scalar::yuv_from_rgb(pixel);
      std::uint8_t& at = luma[corner / 2][column];
      at = static_cast<std::uint8_t>(shared::scalar::blend_8(yuv >> 16, at, pixel >> 24));
      cb_sum += shared::scalar::weigh_chroma((yuv >> 8) & 255u, *cb, pixel >> 24);
      cr_sum += shared::scalar::weigh_chroma(yuv & 255u, *cr, pixel >> 24);
    }
    *cb = static_cast<std::uint8_t>(shared::scalar::finish_chroma(cb_sum));
    *cr = static_cast<std::uint8_t>(shared::scalar::finish_chroma(cr_sum));
  }
}

}  // namespace

TextPlace text_place(Extent picture, int rows, double scale) {
  constexpr double SmallestLegible = 14;  // cell height in pixels
  constexpr int SmallestCell = 6;
  constexpr int LargestCell = 255;  // limit of text::GlyphSet
  const double height = std::max(static_cast<double>(picture.height) / rows, SmallestLegible) * scale;
  // At most a sixth of the picture's height, so that several rows fit.
  const int limit = std::clamp(picture.height / 6, SmallestCell, LargestCell);
  TextPlace place;
  place.cell.height =
      static_cast<int>(std::lround(std::clamp(height, double{SmallestCell}, static_cast<double>(limit))));
  place.cell.width = (place.cell.height + 1) / 2;
  place.grid = {std::max(1, picture.width / place.cell.width),
                std::max(1, picture.height / place.cell.height)};
  place.x = std::max(0, (picture.width - place.grid.columns * place.cell.width) / 2);
  place.y = std::max(0, (picture.height - place.grid.rows * place.cell.height) / 2);
  return place;
}

std::shared_ptr<const TextImage> make_text_image(Extent picture, std::span<const PlacedOverlay> overlays) {
  std::vector<PlacedOverlay> fitting(overlays.begin(), overlays.end());
  std::erase_if(fitting, [&](const PlacedOverlay& placed) {
    const auto& [overlay, place] = placed;
    return !overlay || overlay->grid != place.grid || overlay->glyphs->cell != place.cell ||
           place.x + place.grid.columns * place.cell.width > picture.width ||
           place.y + place.grid.rows * place.cell.height > picture.height;
  });
  const Box box = covered_box(picture, fitting);
  if (box.right <= box.left || box.bottom <= box.top) return nullptr;
  auto image = std::make_shared<TextImage>(TextImage{.picture = picture,
                                                     .x = box.left,
                                                     .y = box.top,
                                                     .size = {box.right - box.left, box.bottom - box.top},
                                                     .pixels = {}});
  image->pixels.resize(static_cast<std::size_t>(image->size.width) *
                       static_cast<std::size_t>(image->size.height));
  for (const auto& [overlay, place] : fitting) draw_overlay(*overlay, place, *image);
  return image;
}

const TextImage* fits_picture(const TextImage* text, GridSize grid, CellSize cell) {
  const Extent picture{grid.columns * cell.width, grid.rows * cell.height};
  return text != nullptr && text->picture == picture ? text : nullptr;
}

void draw_text(const TextImage& text, const Picture& picture) {
  const int to = std::min(text.y + text.size.height, picture.size.height);
  const bool is_yuv = picture.format == PictureFormat::Yuv420p;
  for (int y = text.y; y < to; y += is_yuv ? 2 : 1)
    is_yuv ? draw_text_yuv(text, picture, y) : draw_text_bgra(text, picture, y);
}

}  // namespace glyphreel::render
