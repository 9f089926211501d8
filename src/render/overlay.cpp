#include "render/overlay.h"

#include <algorithm>
#include <numeric>

#include "mapping/shared/shared_scalar.h"

namespace glyphreel::render {

namespace shared = mapping::shared;

bool fits_grid(const Overlay* overlay, GridSize grid, CellSize cell) {
  return overlay != nullptr && overlay->grid == grid && overlay->glyphs->cell == cell;
}

OverlayParameters overlay_parameters(const text::GlyphSet& picture, GridSize grid, const Overlay* overlay,
                                     bool has_picture) {
  const int blank = overlay != nullptr ? picture.size() : std::max(0, picture.blank());
  return {.columns = static_cast<std::uint32_t>(grid.columns),
          .rows = static_cast<std::uint32_t>(grid.rows),
          .has_picture = has_picture ? 1u : 0u,
          .first_glyph = static_cast<std::uint32_t>(picture.size()),
          .wide_from = static_cast<std::uint32_t>(picture.narrow_count()),
          .blank = static_cast<std::uint32_t>(blank),
          .coverage_at = 0};
}

std::vector<std::uint8_t> mean_coverage(const text::GlyphSet& glyphs) {
  const auto pixels = static_cast<std::uint32_t>(glyphs.cell().width * glyphs.cell().height);
  std::vector<std::uint8_t> coverage;
  coverage.reserve(static_cast<std::size_t>(glyphs.size()));
  const std::uint8_t* mask = glyphs.masks().data();
  for (int glyph = 0; glyph < glyphs.size(); ++glyph, mask += pixels) {
    const std::uint32_t sum = std::accumulate(mask, mask + pixels, 0u);
    coverage.push_back(static_cast<std::uint8_t>((sum + pixels / 2) / pixels));
  }
  return coverage;
}

void compose_row(const OverlayParameters& parameters, const shared::Cell* picture,
                 const std::uint8_t* coverage, const Overlay* overlay, int row, shared::Cell* composed) {
  constexpr std::uint32_t Black = 0xFF000000;
  constexpr OverlayCell Nothing{.glyph = shared::OverlayNone, .foreground = 0, .background = 0};
  const std::uint32_t columns = parameters.columns;
  const std::size_t first = static_cast<std::size_t>(row) * columns;
  const OverlayCell* text = overlay != nullptr ? overlay->cells.data() + first : nullptr;
  const auto covered = [&](std::uint32_t column) {
    return text != nullptr && text[column].glyph != shared::OverlayNone;
  };
  for (std::uint32_t column = 0; column < columns; ++column) {
    shared::Cell under{.glyph = parameters.blank, .foreground = Black, .background = Black};
    std::uint32_t mean = 0;
    if (parameters.has_picture != 0) {
      under = picture[first + column];
      mean = coverage[under.glyph];
    }
    composed[first + column] = shared::scalar::compose_cell(
        under, mean, text != nullptr ? text[column] : Nothing, column > 0 && covered(column - 1),
        column + 1 < columns && covered(column + 1), parameters);
  }
}

}  // namespace glyphreel::render
