#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::text {

/// One face inside a font file.
struct FontFile {
  std::string path;
  int face_index = 0;  ///< as in FreeType: face in the low 16 bits, named instance in the high bits
};

/// Adds the folder of the fonts shipped with the program to the system's fonts, so that a system without
/// fonts or without a fontconfig configuration also works. Call at most once, before any font search.
void add_font_folder(std::string folder);

/// Finds a font by file, by name or by fontconfig pattern ("Noto Sans:bold"). Errors: Usage if there is no
/// such file, or if no installed font has that name.
[[nodiscard]] Result<FontFile> find_font(const std::string& file_or_name);

/// How a font stores its glyphs.
enum class GlyphSource {
  Outlines,
  Bitmaps,  ///< of fixed sizes
  Colors,   ///< color bitmaps or layers, as in most emoji fonts
};

/// A font that has some of the requested characters.
struct FallbackFont {
  FontFile file;
  std::string family;
  GlyphSource source = GlyphSource::Outlines;
  std::vector<char32_t> characters;  ///< the requested characters that the font has, in the requested order
};

/// Returns the installed fonts that have any of `characters`, the best match for `family` first.
[[nodiscard]] std::vector<FallbackFont> fallback_fonts(const std::string& family,
                                                       std::span<const char32_t> characters);

/// Returns the ideographs of a language's everyday writing in code point order, from fontconfig's
/// orthography tables. `language` is an RFC 3066 code such as "ja". Empty if fontconfig has no table for the
/// language.
[[nodiscard]] std::vector<char32_t> everyday_ideographs(const std::string& language);

}  // namespace glyphreel::text
