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

/// Whether horizontal strokes are snapped to whole pixel rows.
enum class Hinting { None, Light };

/// An outline font with its own FreeType library, so two faces never share state.
/// Thread-safety: one thread at a time.
class FontFace {
 public:
  /// Opens a font file. `name` is the user's name for the font, used in error messages. Errors: Usage if
  /// it is not a font file, has only bitmaps, or has no Unicode map.
  [[nodiscard]] static Result<FontFace> open(const FontFile& file, const std::string& name);

  FontFace(FontFace&&) noexcept;
  FontFace& operator=(FontFace&&) noexcept;
  ~FontFace();

  /// Returns true if the font has an outline for the character; blank glyphs and color pictures do not
  /// count.
  [[nodiscard]] bool has(char32_t code_point) const;
  /// Returns every character that the font maps to a glyph, in order.
  [[nodiscard]] std::vector<char32_t> code_points() const;
  /// Returns the advance width in font units; 0 if the font lacks the character or defines no advance for
  /// it.
  [[nodiscard]] int advance(char32_t code_point) const;
  /// Returns how far the glyph's outline reaches from the baseline; both 0 if it has no outline.
  [[nodiscard]] GlyphExtents extents(char32_t code_point) const;
  /// Returns the width in font units of the narrowest box centered on the advance that holds the glyph's
  /// ink.
  [[nodiscard]] int centered_width(char32_t code_point) const;
  [[nodiscard]] FontMetrics metrics() const;
  [[nodiscard]] const std::string& family() const;
  /// Family, style and file, for display.
  [[nodiscard]] const std::string& description() const;

  /// Sets the size of the em in 1/64 pixels, at least 1.
  [[nodiscard]] Result<void> set_size(int em_26_6);

  /// Returns Light, unless that would push the glyph over the cell's top or bottom edge: an underscore at
  /// the bottom of the line box would leave the cell entirely.
  [[nodiscard]] Hinting best_hinting(char32_t code_point, int baseline, CellSize cell) const;

  /// Adds the glyph's coverage to `mask` (cell.width * cell.height bytes, rows from the top, zeroed by the
  /// caller). Its origin is `origin_x_26_6` 1/64 pixels from the left edge, its baseline `baseline` pixels
  /// below the top edge. Anything outside the cell is clipped.
  [[nodiscard]] Result<void> draw(char32_t code_point, Hinting hinting, int origin_x_26_6, int baseline,
                                  CellSize cell, std::uint8_t* mask);

 private:
  struct State;
  explicit FontFace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::text
