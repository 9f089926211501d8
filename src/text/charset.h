#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "text/glyph_set.h"

namespace glyphreel::text {

/// The characters to draw with.
struct Charset {
  std::string characters;  ///< UTF-8
  Duplicates duplicates = Duplicates::Keep;
  /// What was left out or replaced, such as "sextants instead of octants"; may be empty.
  std::string fallback;
};

struct CharacterRange {
  char32_t first = 0, last = 0;
  [[nodiscard]] constexpr bool contains(char32_t character) const {
    return character >= first && character <= last;
  }
};

/// Returns the character set that a user's `word` describes:
///   - A name (ascii, octants, cjk ...), or several names joined by + (ascii+braille), means these sets. If
///     several of their characters look alike, only the first of these characters is kept.
///   - @FILE means the characters of a UTF-8 text file, without line ends.
///   - Anything else means the characters of the word itself. A leading @@ stands for @.
/// A word of three or more lower-case letters or hyphens is always a name, so that a misspelled name is an
/// error. The set "font" has the characters of `font`.
/// Leaves out the characters in `missing`, which the output cannot show. If less than half of a named set is
/// left, the set is replaced by the first of sextants, blocks, half and ascii of which at least half is left.
/// Errors: Usage if there is no set of that name, if the file cannot be read or is not valid UTF-8, if the
/// set is empty, or if less than half of an unnamed set is left.
[[nodiscard]] Result<Charset> resolve_charset(const std::string& word, const std::string& font,
                                              std::span<const CharacterRange> missing = {});

/// A name that resolve_charset() knows, with a one-line description.
struct NamedCharset {
  const char* name;
  const char* description;
};
[[nodiscard]] std::vector<NamedCharset> named_charsets();

}  // namespace glyphreel::text
