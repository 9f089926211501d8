#include "batch/cell_figures.h"

#include <cstdlib>
#include <numeric>
#include <utility>

namespace glyphreel::batch {
namespace {

constexpr int EdgeDifference = 32;  // minimum luma difference (0 to 255) that counts as an edge

/// Returns a color's BT.709 luma, 0 to 255.
unsigned luma(std::uint32_t color) {
  return (((color >> 16) & 0xFFU) * 54 + ((color >> 8) & 0xFFU) * 183 + (color & 0xFFU) * 19) >> 8U;
}

}  // namespace

CellFigures::CellFigures(const text::GlyphSet& glyphs) {
  const auto pixels =
      static_cast<std::size_t>(glyphs.cell().width) * static_cast<std::size_t>(glyphs.cell().height);
  const std::vector<std::uint8_t>& masks = glyphs.masks();
  for (std::size_t at = 0; at + pixels <= masks.size(); at += pixels) {
    const auto first = masks.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t sum =
        std::accumulate(first, first + static_cast<std::ptrdiff_t>(pixels), std::size_t{0});
    coverage_.push_back(static_cast<std::uint16_t>(sum * 256 / (pixels * 255)));
  }
}

void CellFigures::add(std::span<const render::Cell> cells, GridSize grid) {
  const auto columns = static_cast<std::size_t>(grid.columns);
  if (cells.empty() || cells.size() != static_cast<std::size_t>(grid.cells())) return;
  row_.assign(columns * 2, 0);
  const bool has_before = glyphs_before_.size() == cells.size();
  glyphs_before_.resize(cells.size());
  for (std::size_t at = 0; at < cells.size(); ++at) {
    const render::Cell& cell = cells[at];
    const std::size_t column = at % columns;
    if (column == 0) std::swap_ranges(row_.begin(), row_.begin() + grid.columns, row_.begin() + grid.columns);
    const unsigned share = cell.glyph < coverage_.size() ? coverage_[cell.glyph] : 0;
    const unsigned light = (luma(cell.foreground) * share + luma(cell.background) * (256 - share)) >> 8U;
    light_ += light;
    const auto differs = [&](std::uint8_t other) {
      return std::abs(static_cast<int>(light) - other) >= EdgeDifference;
    };
    if (column > 0) edges_ += differs(row_[column - 1]) ? 1 : 0;
    if (at >= columns) edges_ += differs(row_[columns + column]) ? 1 : 0;
    row_[column] = static_cast<std::uint8_t>(light);
    if (has_before && glyphs_before_[at] != cell.glyph) ++changed_;
    glyphs_before_[at] = cell.glyph;
  }
  cells_ += cells.size();
  pairs_ += 2 * cells.size() - columns - static_cast<std::size_t>(grid.rows);
  if (has_before) compared_ += cells.size();
}

void CellFigures::write_to(Figures& figures) const {
  const auto mean = [](std::uint64_t sum, std::uint64_t count) {
    return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0.0;
  };
  figures.luma = mean(light_, cells_) / 255;
  figures.edges = mean(edges_, pairs_);
  figures.flicker = mean(changed_, compared_);
}

}  // namespace glyphreel::batch
