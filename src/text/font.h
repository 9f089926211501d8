#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/geometry.h"
#include "base/result.h"
#include "text/placement.h"

namespace glyphreel::text {

/// One face inside a font file.
struct FontFile {
  std::string path;
  int face_index = 0;  ///< as FreeType counts: the face in the low 16 bits, a named instance above
};

/// An existing file is taken as it is; anything else is a family (or a fontconfig pattern such as "Noto
/// Sans:bold"). Errors: Usage where fontconfig would answer with another family than the one asked for.
[[nodiscard]] Result<FontFile> find_font(const std::string& file_or_name);

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

  [[nodiscard]] bool has(char32_t code_point) const;
  /// Advance width in font units; 0 where the font lacks the character or gives it none.
  [[nodiscard]] int advance(char32_t code_point) const;
  /// How far the glyph's outline reaches from the baseline; both 0 where it has none.
  [[nodiscard]] Reach reach(char32_t code_point) const;
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
