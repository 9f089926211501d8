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

/// Resolves a user's word for a character set:
///   a name (ascii, octants, cjk ...), or several joined by + (ascii+braille): look-alikes are dropped;
///   @FILE: the characters of a UTF-8 text file, without line ends;
///   anything else: the characters themselves; a leading @ is written as @@.
/// Three or more characters that are all lower-case letters or hyphens are taken as a name, so that a
/// misspelled name is an error. `font` is where the set "font" looks for its characters. Errors: Usage if
/// there is no such name, the file cannot be read, it is not valid UTF-8, or nothing is left.
[[nodiscard]] Result<Charset> resolve_charset(const std::string& word, const std::string& font);

/// A name that resolve_charset() knows, with a one-line description.
struct NamedCharset {
  const char* name;
  const char* description;
};
[[nodiscard]] std::vector<NamedCharset> named_charsets();

}  // namespace glyphreel::text
