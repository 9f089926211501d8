#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "text/font_search.h"
#include "text/placement.h"

namespace glyphreel::text {

/// Whether horizontal strokes are moved to whole pixel rows.
enum class Hinting { None, Light };

/// An outline font, with a FreeType library of its own: two faces never share state.
/// Thread-safety: one thread at a time.
class FontFace {
 public:
  /// `asked` is what the user called the font, for the errors (Usage): no font file, bitmaps only, no Unicode
  /// map.
  [[nodiscard]] static Result<FontFace> open(const FontFile& file, const std::string& asked);

  FontFace(FontFace&&) noexcept;
  FontFace& operator=(FontFace&&) noexcept;
  ~FontFace();

  /// True where the font has an outline for the character: a blank one or a coloured picture is none.
  [[nodiscard]] bool has(char32_t code_point) const;
  /// Every character that the font maps to a glyph, in order.
  [[nodiscard]] std::vector<char32_t> code_points() const;
  /// Advance width in font units; 0 where the font lacks the character or gives it none.
  [[nodiscard]] int advance(char32_t code_point) const;
  /// How far the glyph's outline reaches from the baseline; both 0 where it has none.
  [[nodiscard]] Reach reach(char32_t code_point) const;
  /// Width, in font units, of the narrowest box round the middle of the advance that holds the glyph's ink.
  [[nodiscard]] int centred_width(char32_t code_point) const;
  [[nodiscard]] FontMetrics metrics() const;
  [[nodiscard]] const std::string& family() const;
  /// Family, style and file, for people.
  [[nodiscard]] const std::string& description() const;

  /// Size of the em in 1/64 pixels, at least 1.
  [[nodiscard]] Result<void> set_size(int em_26_6);

  /// Light, except where it would push the glyph over the cell's top or bottom edge: an underscore at the
  /// foot of the line box would leave the cell altogether.
  [[nodiscard]] Hinting best_hinting(char32_t code_point, int baseline, CellSize cell) const;

  /// Adds the glyph's coverage to `mask` (cell.width * cell.height bytes, rows from the top, zeroed by the
  /// caller); its origin is `origin_x_26_6` 1/64 pixels from the left edge, its baseline `baseline` pixels
  /// below the top edge. What lies outside the cell is clipped.
  [[nodiscard]] Result<void> draw(char32_t code_point, Hinting hinting, int origin_x_26_6, int baseline,
                                  CellSize cell, std::uint8_t* mask);

 private:
  struct State;
  explicit FontFace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::text
