#pragma once

#include <algorithm>
#include <cstdint>

#include "base/geometry.h"

namespace glyphreel::text {

/// A cell's coverage, drawn by arithmetic rather than from a font, so that neighbouring cells meet without a
/// seam. Coordinates are pixels from the cell's top left corner; `mask` is cell.width * cell.height bytes,
/// zeroed at first.
class CellCanvas {
 public:
  CellCanvas(CellSize cell, std::uint8_t* mask) : cell_(cell), mask_(mask) {}

  [[nodiscard]] CellSize cell() const { return cell_; }

  /// A rectangle in parts of the cell, x0..x1 of `across` and y0..y1 of `down`: the exact area of each pixel
  /// is covered. Rectangles that touch or overlap no more than fill a pixel.
  void fill_fraction(int x0, int x1, int across, int y0, int y1, int down);

  /// The pixels x0..x1, y0..y1 (ends excluded, clipped to the cell).
  void fill_pixels(int x0, int x1, int y0, int y1);

  /// Every pixel `coverage`.
  void fill_uniform(std::uint8_t coverage);

  /// Covers every point for which `inside(x, y)` holds, in the pixels x0..x1, y0..y1 (ends excluded, in the
  /// cell).
  template <typename Inside>
  void fill_where(int x0, int x1, int y0, int y1, Inside inside) {
    // Samples each way per pixel: many where pixels are few, or a set of large cells would take seconds.
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
/// (U+1CD00..U+1CDE5 and the quarters that complete them) and box drawing (U+2500..U+257F) from edge to edge
/// of the cell. False: the character is none of them, nothing is drawn.
[[nodiscard]] bool draw_without_font(char32_t code_point, CellCanvas canvas);

/// True for the characters that draw_without_font draws.
[[nodiscard]] bool is_drawn_without_font(char32_t code_point);

/// The character for a mosaic of two by four tiles; bit column + 2 * row of `tiles` fills one, row 0 on top.
/// Every one of the 256 patterns has a character: the space, a block element, a quarter or an octant.
[[nodiscard]] char32_t octant_character(unsigned tiles);

/// The box-drawing part: code_point is within U+2500..U+257F.
void draw_box_character(char32_t code_point, CellCanvas canvas);

}  // namespace glyphreel::text
