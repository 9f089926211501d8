#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace glyphreel::text {

/// One face inside a font file.
struct FontFile {
  std::string path;
  int face_index = 0;  ///< as FreeType counts: the face in the low 16 bits, a named instance above
};

/// Fonts that come with the program, in `folder`, are found beside the system's from then on; a system
/// without a font or without fontconfig's configuration does with them. To be called once at most, before
/// fonts are sought.
void add_font_folder(std::string folder);

/// An existing file is taken as it is; anything else is a family (or a fontconfig pattern such as "Noto
/// Sans:bold"). Errors: Usage where fontconfig would answer with another family than the one asked for.
[[nodiscard]] Result<FontFile> find_font(const std::string& file_or_name);

/// How a font stores its glyphs.
enum class GlyphSource {
  Outlines,
  Bitmaps,  ///< of fixed sizes
  Colors,   ///< pictures or layers in colours, as in most emoji fonts
};

/// A font that has some of the characters that were asked for.
struct FallbackFont {
  FontFile file;
  std::string family;
  GlyphSource source = GlyphSource::Outlines;
  std::vector<char32_t> characters;  ///< those of the ones asked for that it has, in their order
};

/// The installed fonts that have any of `characters`, those that suit `family` best first.
[[nodiscard]] std::vector<FallbackFont> fallback_fonts(const std::string& family,
                                                       std::span<const char32_t> characters);

/// The ideographs that a language's everyday writing takes, in order of their code points, from fontconfig's
/// table of the orthographies; `language` as in RFC 3066, such as "ja". Empty: fontconfig knows none.
[[nodiscard]] std::vector<char32_t> everyday_ideographs(const std::string& language);

}  // namespace glyphreel::text
