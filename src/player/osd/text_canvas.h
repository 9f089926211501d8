#pragma once

#include <span>
#include <string_view>

#include "base/geometry.h"
#include "player/osd/text_style.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// A rectangle of cells.
struct CellArea {
  int column = 0, row = 0, columns = 0, rows = 0;
  [[nodiscard]] int right() const { return column + columns; }  ///< the first column to the right of the area
  [[nodiscard]] int bottom() const { return row + rows; }
  [[nodiscard]] bool contains(int c, int r) const {
    return c >= column && c < right() && r >= row && r < bottom();
  }
  bool operator==(const CellArea&) const = default;
};

/// Returns a block that fills this many eighths of a cell from the left or from below: a space for 0 or fewer
/// eighths, a full block for 8 or more.
[[nodiscard]] char32_t left_block(int eighths);
[[nodiscard]] char32_t lower_block(int eighths);

/// Returns a transparent layer of this size.
[[nodiscard]] render::TextLayer blank_text_layer(GridSize grid);

/// Draws text, bars and plots on a rectangular part of a TextLayer. A canvas is a view and is cheap to copy.
/// The layer's cells must be allocated, and the layer must outlive the canvas. Positions are relative to the
/// part. Nothing is written outside the part, with one exception: if half of a wide character is overwritten,
/// the other half becomes a space.
class TextCanvas {
 public:
  explicit TextCanvas(render::TextLayer& layer);

  /// Returns a part of this canvas, clipped to this canvas.
  [[nodiscard]] TextCanvas part(CellArea area) const;
  [[nodiscard]] int columns() const { return area_.columns; }
  [[nodiscard]] int rows() const { return area_.rows; }

  /// Sets every cell to a space on the backdrop.
  void fill(Backdrop backdrop);

  /// Draws one character, as returned by cell_text(). If only one cell of a wide character is within the
  /// part, draws a space in that cell instead.
  void put(int column, int row, char32_t character, const TextStyle& style);
  /// Draws one line of text, see cell_text(). Draws right-to-left text in its visual order. Returns the
  /// column after the line, including the clipped part of the line.
  int print(int column, int row, std::string_view utf8, const TextStyle& style);
  int print(int column, int row, std::u32string_view text, const TextStyle& style);
  /// Draws one line. If the line is wider than `width` cells, shortens it with an ellipsis. Returns the
  /// column after the drawn line.
  int print_within(int column, int row, int width, std::string_view utf8, const TextStyle& style);
  /// Draws one line like print_within(), but right-aligned: the line ends before `end_column`. Returns the
  /// column where the line begins.
  int print_right(int end_column, int row, int width, std::string_view utf8, const TextStyle& style);

  /// Draws a horizontal bar of `width` cells, filled to `fraction` (clamped to 0 to 1) in steps of an eighth
  /// of a cell.
  void bar(int column, int row, int width, double fraction);

  /// Draws the last `width` elements of `values` as vertical bars, one per cell, the newest on the right. The
  /// bar of `high` fills its cell. Heights are in steps of an eighth of a cell. A value that is not finite
  /// leaves a gap.
  void sparkline(int column, int row, int width, std::span<const float> values, float high,
                 const TextStyle& style);

  /// Draws the last `2 * columns()` of `values` as a line of braille dots, two values per cell, the newest on
  /// the right. The range is from -`limit` at the bottom to `limit` at the top. Values outside the range are
  /// clamped to it, and a value that is not finite leaves a gap.
  void line_plot(std::span<const float> values, float limit, const TextStyle& style);

 private:
  TextCanvas(render::TextLayer& layer, CellArea area, CellArea clip)
      : layer_(&layer), area_(area), clip_(clip) {}
  /// Writes the layer's cell at `column` and `row`, which must be within the layer.
  void write(int column, int row, const render::TextCell& cell);

  render::TextLayer* layer_;
  CellArea area_;  ///< in the layer's coordinates; may extend beyond the layer
  CellArea clip_;  ///< the writable part of area_
};

}  // namespace glyphreel::player
