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
  Keep,   ///< keep all characters, as the user wrote them
  Prune,  ///< if several characters look nearly the same at this cell size, keep only the first of them;
          ///< keep at most MaxPrunedCharacters characters in total
};

/// What to do with characters that cannot be drawn.
enum class Missing {
  Fail,        ///< report an error
  LeaveOut,    ///< leave out characters that no font has
  NoFallback,  ///< leave out characters that the requested font lacks; fast, since no other font is searched
};

/// Maximum number of characters that Duplicates::Prune keeps; the rest are dropped.
inline constexpr int MaxPrunedCharacters = 4096;

/// Characters, font and cell size of a GlyphSet.
struct GlyphSetOptions {
  std::string font = "DejaVu Sans Mono";  ///< a file, or a name that fontconfig resolves
  CellSize cell{8, 16};                   ///< pixels, 1x1 to 255x255
  std::string characters;                 ///< UTF-8; repetitions are ignored
  Duplicates duplicates = Duplicates::Keep;
  Missing missing = Missing::Fail;
};

/// The part of a character that a glyph shows.
enum class GlyphColumns {
  Narrow,     ///< all of a character one cell wide
  WideLeft,   ///< left half of a character two cells wide; the glyph with the next index is the right half
  WideRight,  ///< right half of a character two cells wide; drawn only to the right of the left half
};

/// A font that glyphs of a set were drawn from.
struct UsedFont {
  std::string description;  ///< family, style and file
  int characters = 0;       ///< number of characters that were drawn from this font
};

/// Glyphs drawn into cells of one size with the requested font, or, for characters that this font lacks, with
/// other fonts. The requested font has the largest size at which its advance and line height fit the cell;
/// parts of glyphs outside the cell are clipped. Other fonts share its baseline and are shrunk until their
/// glyphs fit.
///
/// A wide character (Unicode's East Asian Width: Wide or Fullwidth) is drawn over two cells and becomes two
/// glyphs. The narrow glyphs come first, in the order of `characters`, then the pairs of wide glyphs.
///
/// Thread-safety: immutable once made, so it may be shared.
class GlyphSet {
 public:
  /// Makes a set. If all characters are wide, adds the space, because cells that show no wide character need
  /// a narrow glyph. Errors: Usage if the font is not found or is not an outline font, if one of the
  /// characters is in no font (see Missing), or if `characters` is empty or not valid UTF-8.
  [[nodiscard]] static Result<std::shared_ptr<const GlyphSet>> make(const GlyphSetOptions& options);

  /// Returns the number of glyphs; a wide character has two.
  [[nodiscard]] int size() const { return static_cast<int>(code_points_.size()); }
  /// Returns the number of narrow glyphs, at least 1. Their indices are [0, narrow_count()); after them, left
  /// and right halves of wide characters alternate.
  [[nodiscard]] int narrow_count() const { return narrow_count_; }
  [[nodiscard]] bool has_wide() const { return narrow_count_ < size(); }
  [[nodiscard]] GlyphColumns columns(int index) const {
    if (index < narrow_count_) return GlyphColumns::Narrow;
    return (index - narrow_count_) % 2 == 0 ? GlyphColumns::WideLeft : GlyphColumns::WideRight;
  }
  [[nodiscard]] CellSize cell() const { return cell_; }
  /// Returns the character of each glyph; both halves of a wide character have the same character.
  [[nodiscard]] const std::vector<char32_t>& code_points() const { return code_points_; }
  /// Returns the UTF-8 text of glyph `index`; empty for a right half, since the left half prints the
  /// character.
  [[nodiscard]] const std::string& utf8(int index) const { return utf8_[static_cast<std::size_t>(index)]; }
  /// Returns the coverage masks of all glyphs, one byte per pixel (0..255), rows from top to bottom, one
  /// glyph after the other without padding: glyph g's pixel (x, y) is at (g * cell.height + y) * cell.width +
  /// x.
  [[nodiscard]] const std::vector<std::uint8_t>& masks() const { return masks_; }
  /// Returns the index of the first narrow glyph without any coverage; -1 if there is none. This glyph serves
  /// for cells of one uniform color.
  [[nodiscard]] int blank() const { return blank_; }
  /// Returns family, style and file of the requested font, for display.
  [[nodiscard]] const std::string& font_description() const { return font_description_; }
  /// Returns the fonts that glyphs were drawn from, the requested font first; empty if every glyph is blank
  /// or drawn without a font.
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

}  // namespace glyphreel::text
