#pragma once

#include <algorithm>
#include <cstdint>

#include "base/geometry.h"

namespace glyphreel::text {

/// Draws shapes into a cell's coverage mask without a font, so that shapes continue into neighboring cells
/// without a gap. Coordinates are pixels from the cell's top left corner. `mask` has cell.width * cell.height
/// bytes, initially zero.
class CellCanvas {
 public:
  CellCanvas(CellSize cell, std::uint8_t* mask) : cell_(cell), mask_(mask) {}

  [[nodiscard]] CellSize cell() const { return cell_; }

  /// Fills the rectangle from x0/across to x1/across of the cell's width and from y0/down to y1/down of its
  /// height. Adds to each pixel the exact area covered, up to full coverage.
  void fill_fraction(int x0, int x1, int across, int y0, int y1, int down);

  /// Fills the pixels x0..x1, y0..y1 (ends excluded), clipped to the cell.
  void fill_pixels(int x0, int x1, int y0, int y1);

  /// Sets every pixel to `coverage`.
  void fill_uniform(std::uint8_t coverage);

  /// Covers every point for which `inside(x, y)` is true, within the pixels x0..x1, y0..y1 (ends excluded).
  /// These pixels must lie in the cell.
  template <typename Inside>
  void fill_where(int x0, int x1, int y0, int y1, Inside inside) {
    // Number of samples per pixel in each direction: fewer for large cells, whose glyph sets would otherwise
    // take seconds to draw.
    const int samples = std::clamp(256 / std::max(cell_.width, cell_.height), 4, 16);
    for (int y = y0; y < y1; ++y) {
      for (int x = x0; x < x1; ++x) {
        int hits = 0;
        for (int sample = 0; sample < samples * samples; ++sample) {
          const double sample_x = x + (sample % samples + 0.5) / samples;
          const double sample_y = y + (sample / samples + 0.5) / samples;
          hits += inside(sample_x, sample_y) ? 1 : 0;
        }
        add(x, y, (hits * 255 + samples * samples / 2) / (samples * samples));
      }
    }
  }

 private:
  void add(int x, int y, int coverage);

  CellSize cell_;
  std::uint8_t* mask_;
};

/// Draws block elements (U+2580..U+259F), braille (U+2800..U+28FF), sextants (U+1FB00..U+1FB3B), octants
/// (U+1CD00..U+1CDE5, and the quarter blocks that Unicode encodes elsewhere) and box drawing (U+2500..U+257F)
/// from edge to edge of the cell. Returns false and draws nothing for any other character.
[[nodiscard]] bool draw_without_font(char32_t code_point, CellCanvas canvas);

/// Returns true for the characters that draw_without_font() draws.
[[nodiscard]] bool is_drawn_without_font(char32_t code_point);

/// Returns the character for a mosaic of two by four tiles. The tile at (column, row) is filled if bit
/// (row * 2 + column) of `tiles` is set; row 0 is on top. Every pattern has a character: the space, a block
/// element, a quarter block or an octant.
[[nodiscard]] char32_t octant_character(unsigned tiles);

/// Draws a box-drawing character; `code_point` must be within U+2500..U+257F.
void draw_box_character(char32_t code_point, CellCanvas canvas);

}  // namespace glyphreel::text
