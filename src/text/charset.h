#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "text/glyph_set.h"

namespace glyphreel::text {

/// Which characters to draw with.
struct Charset {
  std::string characters;  ///< UTF-8
  Duplicates duplicates = Duplicates::Keep;
};

/// What a user's word for a character set means:
///   a name (ascii, octants, cjk ...), or several joined by + (ascii+braille): look-alikes are dropped;
///   @FILE: the characters of a UTF-8 text file, line ends left out;
///   anything else: its own characters; one that begins with @ is written with @@.
/// Three or more lower-case letters and hyphens alone are taken for a name, so that a misspelt one is an
/// error. `font` is where the set "font" looks for its characters. Errors: Usage: no such name, the file
/// cannot be read, no valid UTF-8, or nothing is left.
[[nodiscard]] Result<Charset> resolve_charset(const std::string& word, const std::string& font);

/// Names that resolve_charset knows, with one line about each.
struct NamedCharset {
  const char* name;
  const char* description;
};
[[nodiscard]] std::vector<NamedCharset> named_charsets();

}  // namespace glyphreel::text
