#include "player/osd/text_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "player/osd/cell_text.h"
#include "text/code_points/visual_order.h"

namespace glyphreel::player {
namespace {

constexpr char32_t BrailleBlank = 0x2800;
constexpr int Eighths = 8;

CellArea intersection(CellArea a, CellArea b) {
  const int column = std::max(a.column, b.column), row = std::max(a.row, b.row);
  return {column, row, std::max(0, std::min(a.right(), b.right()) - column),
          std::max(0, std::min(a.bottom(), b.bottom()) - row)};
}

std::span<const float> newest(std::span<const float> values, int count) {
  return values.last(std::min(values.size(), static_cast<std::size_t>(std::max(count, 0))));
}

/// The bit of each braille dot, by column and row. In Unicode's numbering, the left column has the dots 1, 2,
/// 3 and 7 from top to bottom, and the right column has the dots 4, 5, 6 and 8.
constexpr std::array<std::array<std::uint8_t, 4>, 2> BrailleDots = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

}  // namespace

char32_t left_block(int eighths) {
  constexpr char32_t AfterOneEighth = 0x2590;  // blocks of one to eight eighths: U+258F down to U+2588
  return eighths < 1 ? U' ' : AfterOneEighth - static_cast<char32_t>(std::min(eighths, Eighths));
}

char32_t lower_block(int eighths) {
  constexpr char32_t BeforeOneEighth = 0x2580;  // blocks of one to eight eighths: U+2581 to U+2588
  return eighths < 1 ? U' ' : BeforeOneEighth + static_cast<char32_t>(std::min(eighths, Eighths));
}

render::TextLayer blank_text_layer(GridSize grid) {
  const bool has_cells = grid.columns > 0 && grid.rows > 0;
  const std::size_t cells = has_cells ? static_cast<std::size_t>(grid.cells()) : 0;
  return {grid, std::vector<render::TextCell>(cells)};
}

TextCanvas::TextCanvas(render::TextLayer& layer)
    : layer_(&layer), area_{0, 0, layer.grid.columns, layer.grid.rows}, clip_(area_) {
  if (layer.cells.empty()) area_ = clip_ = {};
}

TextCanvas TextCanvas::part(CellArea area) const {
  area.column += area_.column;
  area.row += area_.row;
  area.columns = std::max(area.columns, 0);
  area.rows = std::max(area.rows, 0);
  return {*layer_, area, intersection(area, clip_)};
}

void TextCanvas::write(int column, int row, const render::TextCell& cell) {
  render::TextCell& old = layer_->at(column, row);
  const int last = layer_->grid.columns - 1;
  if (old.character == render::TextCell::WideRight && column > 0)
    layer_->at(column - 1, row).character = U' ';
  if (column < last && layer_->at(column + 1, row).character == render::TextCell::WideRight) {
    layer_->at(column + 1, row).character = U' ';
  }
  old = cell;
}

void TextCanvas::fill(Backdrop backdrop) {
  for (int row = clip_.row; row < clip_.bottom(); ++row) {
    for (int column = clip_.column; column < clip_.right(); ++column) {
      write(column, row, {.character = U' ', .background = backdrop.color, .opacity = backdrop.opacity});
    }
  }
}

void TextCanvas::put(int column, int row, char32_t character, const TextStyle& style) {
  const int c = area_.column + column, r = area_.row + row;
  const int width = cell_width(character);
  const auto styled = [&](int at, char32_t shown) {
    const render::TextCell& under = layer_->at(at, r);
    const bool is_bare = under.character == 0;
    const Backdrop backdrop = style.backdrop.value_or(
        Backdrop{is_bare ? 0 : under.background, is_bare ? std::uint8_t{0} : under.opacity});
    write(at, r, {shown, style.foreground, backdrop.color, backdrop.opacity, style.bold, style.italic});
  };
  const bool left_fits = clip_.contains(c, r);
  if (width == 1) {
    if (left_fits) styled(c, character);
    return;
  }
  const bool right_fits = clip_.contains(c + 1, r);
  if (left_fits) styled(c, right_fits ? character : U' ');
  if (right_fits) styled(c + 1, left_fits ? render::TextCell::WideRight : U' ');
}

int TextCanvas::print(int column, int row, std::u32string_view text, const TextStyle& style) {
  for (const char32_t character : text::visual_order(text).characters) {
    put(column, row, character, style);
    column += cell_width(character);
  }
  return column;
}

int TextCanvas::print(int column, int row, std::string_view utf8, const TextStyle& style) {
  return print(column, row, std::u32string_view(cell_text(utf8)), style);
}

int TextCanvas::print_within(int column, int row, int width, std::string_view utf8, const TextStyle& style) {
  return print(column, row, std::u32string_view(shortened(cell_text(utf8), width)), style);
}

int TextCanvas::print_right(int end_column, int row, int width, std::string_view utf8,
                            const TextStyle& style) {
  const std::u32string text = shortened(cell_text(utf8), width);
  const int column = end_column - cell_width(text);
  print(column, row, std::u32string_view(text), style);
  return column;
}

void TextCanvas::bar(int column, int row, int width, double fraction) {
  if (width < 1) return;
  const double within = fraction > 0 ? std::min(fraction, 1.0) : 0.0;  // a NaN fraction gives an empty bar
  const auto filled = static_cast<int>(std::lround(within * width * Eighths));
  for (int i = 0; i < width; ++i) {
    put(column + i, row, left_block(filled - i * Eighths),
        {.foreground = osd_colors::Accent, .backdrop = Backdrop{osd_colors::Track, 255}});
  }
}

void TextCanvas::sparkline(int column, int row, int width, std::span<const float> values, float high,
                           const TextStyle& style) {
  const std::span<const float> shown = newest(values, width);
  int at = column + width - static_cast<int>(shown.size());
  for (const float value : shown) {
    if (std::isfinite(value) && high > 0) {
      const float eighths = std::clamp(value / high, 0.0f, 1.0f) * Eighths;
      // A nonzero value shows at least one eighth, so that it differs from zero.
      const int level = value > 0 ? std::max(1, static_cast<int>(std::lround(eighths))) : 0;
      put(at, row, lower_block(level), style);
    }
    ++at;
  }
}

void TextCanvas::line_plot(std::span<const float> values, float limit, const TextStyle& style) {
  if (columns() < 1 || rows() < 1 || !(limit > 0)) return;
  const int dot_columns = columns() * 2, dot_rows = rows() * 4;
  std::vector<std::uint8_t> dots(static_cast<std::size_t>(columns()) * static_cast<std::size_t>(rows()));
  const std::span<const float> shown = newest(values, dot_columns);
  int x = dot_columns - static_cast<int>(shown.size());
  int previous = -1;  // row of the previous value; -1: a gap
  for (const float value : shown) {
    if (std::isfinite(value)) {
      const float height = std::clamp((value + limit) / (2 * limit), 0.0f, 1.0f);
      const int y = static_cast<int>(std::lround((1 - height) * static_cast<float>(dot_rows - 1)));
      // Draw a vertical line that begins one row from the previous value's dot and ends at row `y`, so that
      // the plot has no gaps. If both values are in the same row, draw one dot.
      const int from = previous < 0 ? y : previous + (previous < y ? 1 : 0) - (previous > y ? 1 : 0);
      for (int dot = std::min(from, y); dot <= std::max(from, y); ++dot) {
        const std::size_t cell = static_cast<std::size_t>(dot / 4) * static_cast<std::size_t>(columns()) +
                                 static_cast<std::size_t>(x / 2);
        dots[cell] = static_cast<std::uint8_t>(
            dots[cell] | BrailleDots[static_cast<std::size_t>(x % 2)][static_cast<std::size_t>(dot % 4)]);
      }
      previous = y;
    } else {
      previous = -1;
    }
    ++x;
  }
  for (int row = 0; row < rows(); ++row) {
    for (int column = 0; column < columns(); ++column) {
      const std::uint8_t cell = dots[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns()) +
                                     static_cast<std::size_t>(column)];
      if (cell != 0) put(column, row, BrailleBlank + cell, style);
    }
  }
}

}  // namespace glyphreel::player
