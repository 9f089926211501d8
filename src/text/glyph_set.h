#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"

namespace glyphreel::text {

/// What to do with characters that look alike once they are drawn.
enum class Duplicates {
  Keep,   ///< keep every character, as the user wrote them
  Prune,  ///< of those that hardly differ at this cell size keep the first; keep MaxPrunedCharacters in all
};

/// What to do with characters that cannot be drawn.
enum class Missing {
  Fail,        ///< report an error
  LeaveOut,    ///< leave out those that no font has
  NoFallback,  ///< leave out those that the font itself lacks: fast, since no other font is searched
};

/// Maximum number of characters that Duplicates::Prune keeps; the rest are dropped.
inline constexpr int MaxPrunedCharacters = 4096;

/// Which glyphs, from which font, at which size.
struct GlyphSetOptions {
  std::string font = "DejaVu Sans Mono";  ///< a file, or a name that fontconfig resolves
  CellSize cell{8, 16};                   ///< pixels, 1x1 to 255x255
  std::string characters;                 ///< UTF-8; repeated characters count once
  Duplicates duplicates = Duplicates::Keep;
  Missing missing = Missing::Fail;
};

/// Which part of its character a glyph is.
enum class GlyphColumns {
  Narrow,     ///< the whole of a character one cell wide
  WideLeft,   ///< left half of a character two cells wide; the next index is its right half
  WideRight,  ///< right half; drawn only to the right of its left half
};

/// A font that glyphs of a set were drawn from.
struct UsedFont {
  std::string description;  ///< family, style and file
  int characters = 0;
};

/// Glyphs drawn into cells of one size, from one font and, for the characters that it lacks, from others.
/// Every glyph is placed by the font's own metrics on a common baseline. The font's size is the largest
/// whose advance and line height fit the cell; what sticks out is clipped. Other fonts share that baseline
/// and are shrunk as far as needed to fit.
///
/// A wide character (Unicode's East Asian Width: Wide or Fullwidth) is drawn over two cells and becomes two
/// glyphs. The narrow glyphs come first, in the order of `characters`, then the pairs of the wide ones.
///
/// Thread-safety: immutable once made, so it may be shared.
class GlyphSet {
 public:
  /// Makes a set. If all characters are wide, it also gets the space as its one narrow glyph, since half of
  /// a cell pair could not be filled otherwise. Errors: Usage, in one sentence, if the font is not found or
  /// is not an outline font, no font has a character (named with its code point; see Missing), or
  /// `characters` is empty or not valid UTF-8.
  [[nodiscard]] static Result<std::shared_ptr<const GlyphSet>> make(const GlyphSetOptions& options);

  /// Number of glyphs; a wide character counts as two.
  [[nodiscard]] int size() const { return static_cast<int>(code_points_.size()); }
  /// Indices [0, narrow_count()) are narrow, at least one; from there on, even offsets are left halves and
  /// odd ones right halves.
  [[nodiscard]] int narrow_count() const { return narrow_count_; }
  [[nodiscard]] bool has_wide() const { return narrow_count_ < size(); }
  [[nodiscard]] GlyphColumns columns(int index) const {
    if (index < narrow_count_) return GlyphColumns::Narrow;
    return (index - narrow_count_) % 2 == 0 ? GlyphColumns::WideLeft : GlyphColumns::WideRight;
  }
  [[nodiscard]] CellSize cell() const { return cell_; }
  /// The character of each glyph; both halves of a wide one have it.
  [[nodiscard]] const std::vector<char32_t>& code_points() const { return code_points_; }
  /// UTF-8 of glyph `index`; empty for a right half, since its character is printed with the left one.
  [[nodiscard]] const std::string& utf8(int index) const { return utf8_[static_cast<std::size_t>(index)]; }
  /// Coverage masks of all glyphs, one byte per pixel (0..255), rows from top to bottom, glyph after glyph
  /// without padding: glyph g's pixel (x, y) is at (g * cell.height + y) * cell.width + x.
  [[nodiscard]] const std::vector<std::uint8_t>& masks() const { return masks_; }
  /// Index of the first narrow glyph without any ink, which flat cells show; -1: there is none.
  [[nodiscard]] int blank() const { return blank_; }
  /// Family, style and file of the requested font, for display.
  [[nodiscard]] const std::string& font_description() const { return font_description_; }
  /// The fonts that characters were drawn from, the requested one first; empty if every glyph is blank or
  /// drawn without a font.
  [[nodiscard]] const std::vector<UsedFont>& fonts() const { return fonts_; }

 private:
  GlyphSet() = default;

  CellSize cell_;
  std::vector<char32_t> code_points_;
  std::vector<std::string> utf8_;
  std::vector<std::uint8_t> masks_;
  int narrow_count_ = 0;
  int blank_ = -1;
  std::string font_description_;
  std::vector<UsedFont> fonts_;
};

/// Splits valid UTF-8 into code points. Errors: Usage at the first invalid byte, with its offset.
[[nodiscard]] Result<std::vector<char32_t>> decode_utf8(const std::string& utf8);
/// Returns one code point as UTF-8.
[[nodiscard]] std::string encode_utf8(char32_t code_point);

}  // namespace glyphreel::text
