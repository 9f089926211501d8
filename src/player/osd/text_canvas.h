#pragma once

#include <span>
#include <string_view>

#include "base/geometry.h"
#include "player/osd/palette.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// A rectangle of cells.
struct CellArea {
  int column = 0, row = 0, columns = 0, rows = 0;
  [[nodiscard]] int right() const { return column + columns; }  ///< the first column that is no longer in it
  [[nodiscard]] int bottom() const { return row + rows; }
  [[nodiscard]] bool contains(int c, int r) const {
    return c >= column && c < right() && r >= row && r < bottom();
  }
  bool operator==(const CellArea&) const = default;
};

/// A block that fills so many eighths of a cell from the left, or from below; none or fewer: a space, eight
/// or more: all of it.
[[nodiscard]] char32_t left_block(int eighths);
[[nodiscard]] char32_t lower_block(int eighths);

/// A layer of the size, all transparent.
[[nodiscard]] render::TextLayer blank_text_layer(GridSize grid);

/// Draws text, bars and plots on a part of a TextLayer, which must outlive it and whose cells must be there.
/// Places are relative to the part; nothing is written outside it, except that the other half of a wide
/// character that is overwritten becomes a space. A view: cheap to copy.
class TextCanvas {
 public:
  explicit TextCanvas(render::TextLayer& layer);

  /// The part of this part; what sticks out of it is clipped.
  [[nodiscard]] TextCanvas part(CellArea area) const;
  [[nodiscard]] int columns() const { return area_.columns; }
  [[nodiscard]] int rows() const { return area_.rows; }

  /// Every cell a space on the backdrop.
  void fill(Backdrop backdrop);
  void fill(CellArea area, Backdrop backdrop) { part(area).fill(backdrop); }

  /// One character as in cell_text(). A wide one needs both its cells, else a space stands in its place.
  void put(int column, int row, char32_t character, const TextStyle& style);
  /// One line (see cell_text()); returns the column after it, clipped or not.
  int print(int column, int row, std::string_view utf8, const TextStyle& style);
  int print(int column, int row, std::u32string_view text, const TextStyle& style);
  /// Shortened with an ellipsis to `width` cells; returns the column after it.
  int print_within(int column, int row, int width, std::string_view utf8, const TextStyle& style);
  /// The same, its end at `end_column` (the first column after it); returns the column of its beginning.
  int print_right(int end_column, int row, int width, std::string_view utf8, const TextStyle& style);
  /// The same, centred in the part's width.
  void print_centred(int row, std::string_view utf8, const TextStyle& style);

  /// A horizontal bar of `width` cells, filled to `fraction` (0 to 1, else clamped) by eighths of a cell.
  struct BarColors {
    std::uint32_t fill = palette::Accent;
    std::uint32_t track = palette::Track;
  };
  void bar(int column, int row, int width, double fraction, BarColors colors);
  void bar(int column, int row, int width, double fraction) {
    bar(column, row, width, fraction, BarColors());
  }

  /// The last `width` of `values` as columns of eighths, the newest on the right; 0 is empty, `high` full.
  /// What is no finite number leaves a gap.
  void sparkline(int column, int row, int width, std::span<const float> values, float high,
                 const TextStyle& style);

  /// What a line plot shows from bottom to top.
  struct PlotRange {
    float low = 0, high = 1;
  };
  /// The last of `values`, two to a cell, as a line of braille dots over all of the part, the newest on the
  /// right. Values beyond the range lie on its edge; what is no finite number leaves a gap.
  void line_plot(std::span<const float> values, PlotRange range, const TextStyle& style);

 private:
  TextCanvas(render::TextLayer& layer, CellArea area, CellArea clip)
      : layer_(&layer), area_(area), clip_(clip) {}
  /// Column and row of the layer; the cell must be within the layer.
  void write(int column, int row, const render::TextCell& cell);

  render::TextLayer* layer_;
  CellArea area_;  ///< in the layer; may stick out of it
  CellArea clip_;  ///< the part of area_ that may be written
};

}  // namespace glyphreel::player
