#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "text/fonts/color_font.h"
#include "text/fonts/font.h"
#include "text/fonts/glyph_placement.h"
#include "text/glyph_set.h"

namespace glyphreel::text {

/// Draws each character with the requested font or, if that font lacks the character, with another installed
/// outline font. With Missing::LeaveOut, also uses fonts of color bitmaps.
/// Sizes and places all glyphs for cells of one size.
/// Thread-safety: one thread at a time.
class FontStack {
 public:
  /// Finds a font for each of `characters`, except those that are blank or drawn without a font. Errors:
  /// Usage if the `requested` font is not found or has no outlines, or if `missing` is Fail and one of the
  /// characters is in no outline font.
  [[nodiscard]] static Result<FontStack> make(const std::string& requested,
                                              std::span<const char32_t> characters, CellSize cell,
                                              Missing missing = Missing::Fail);

  /// Whether the character can be drawn; false for missing characters that were left out.
  [[nodiscard]] bool can_draw(char32_t character) const;

  /// Adds the coverage of one of `characters` to `mask`, which has cell.width * cell.height bytes, or twice
  /// as many for a wide character, zeroed by the caller.
  [[nodiscard]] Result<void> draw(char32_t character, std::uint8_t* mask);

  /// Returns the index of the font that draws the character; 0 is the requested font. Returns -1 if the
  /// character needs no font, was left out, or is drawn with a font of color bitmaps.
  [[nodiscard]] int font_of(char32_t character) const;
  [[nodiscard]] int size() const { return static_cast<int>(fonts_.size()); }
  /// Returns family, style and file of a font, for display.
  [[nodiscard]] const std::string& description(int font) const;

 private:
  struct Font {
    FontFace face;
    std::vector<char32_t> characters;  ///< drawn with this font
    int narrow_em_26_6 = 0;            ///< largest em for glyphs one cell wide
    int wide_em_26_6 = 0;              ///< em for glyphs two cells wide
    int size_26_6 = 0;                 ///< current em of `face`
    bool leads = false;  ///< whether this font sets the baseline and maximum narrow em of the other fonts
  };

  explicit FontStack(CellSize cell) : cell_(cell) {}
  [[nodiscard]] Result<void> add_fallbacks(std::vector<char32_t> missing, Missing allowed);
  void add_color_fonts(std::vector<char32_t> missing, std::span<const FallbackFont> candidates);
  void place_leader(Font& leader);
  void size_follower(Font& font) const;
  [[nodiscard]] CellSize canvas_of(char32_t character) const;
  [[nodiscard]] int fitting_em(const Font& font, char32_t character) const;

  CellSize cell_;
  std::vector<Font> fonts_;
  std::vector<ColorFont> color_fonts_;
  std::unordered_map<char32_t, int> font_of_;        ///< maps a character to its font's index in fonts_
  std::unordered_map<char32_t, int> color_font_of_;  ///< maps a character to its font's index in color_fonts_
  GlyphPlacement placement_;
};

/// Returns the pitch of a fixed-pitch font, in font units; 0 if the font is proportional.
[[nodiscard]] int fixed_pitch(const FontFace& face);

/// Returns the advance, in font units, to use as the width of one cell: the advance of the letter M; if the
/// font lacks M, the advance of the digit 0; otherwise, the em.
[[nodiscard]] int widest_letter(const FontFace& face);

}  // namespace glyphreel::text
