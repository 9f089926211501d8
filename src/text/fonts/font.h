#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "text/fonts/font_search.h"
#include "text/fonts/glyph_placement.h"

namespace glyphreel::text {

/// Whether horizontal strokes are aligned with pixel rows.
enum class Hinting { None, Light };

/// An outline font. Each face has its own FreeType library object, so two faces never share state.
/// Thread-safety: one thread at a time.
class FontFace {
 public:
  /// Opens a font file. `name` is the user's name for the font, used in error messages. Errors: Usage if
  /// the file is not a font, has only bitmaps, or has no Unicode character map.
  [[nodiscard]] static Result<FontFace> open(const FontFile& file, const std::string& name);

  FontFace(FontFace&&) noexcept;
  FontFace& operator=(FontFace&&) noexcept;
  ~FontFace();

  /// Whether the font has an outline for the character; false for blank glyphs and color glyphs.
  [[nodiscard]] bool has(char32_t code_point) const;
  /// Returns every character that the font maps to a glyph, in code point order.
  [[nodiscard]] std::vector<char32_t> code_points() const;
  /// Returns the character's advance width in font units; 0 if the font lacks the character or its advance.
  [[nodiscard]] int advance(char32_t code_point) const;
  /// Returns the vertical extents of the glyph's outline; both 0 if it has no outline.
  [[nodiscard]] GlyphExtents extents(char32_t code_point) const;
  /// Returns the width, in font units, of the narrowest box that is centered on the advance and contains the
  /// glyph's outline.
  [[nodiscard]] int centered_width(char32_t code_point) const;
  [[nodiscard]] FontMetrics metrics() const;
  [[nodiscard]] const std::string& family() const;
  /// Returns family, style and file, for display.
  [[nodiscard]] const std::string& description() const;

  /// Sets the size of the em in 1/64 pixels, at least 1.
  [[nodiscard]] Result<void> set_size(int em_26_6);

  /// Returns Light unless hinting would move part of the glyph out of the cell, for example an underscore at
  /// the bottom of the line box.
  [[nodiscard]] Hinting best_hinting(char32_t code_point, int baseline, CellSize cell) const;

  /// Adds the glyph's coverage to `mask` (cell.width * cell.height bytes, rows from the top, zeroed by the
  /// caller). `origin_x_26_6`: distance of the glyph's origin from the left edge, in 1/64 pixels. `baseline`:
  /// distance of the baseline from the top edge, in pixels. Clips the glyph to the cell.
  [[nodiscard]] Result<void> draw(char32_t code_point, Hinting hinting, int origin_x_26_6, int baseline,
                                  CellSize cell, std::uint8_t* mask);

 private:
  struct State;
  explicit FontFace(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::text
