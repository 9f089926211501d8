#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::text {

/// Splits UTF-8 into code points. Errors: Usage if the text is not valid UTF-8; the message then states the
/// offset of the first invalid byte.
[[nodiscard]] Result<std::vector<char32_t>> decode_utf8(const std::string& utf8);
/// Returns one code point as UTF-8.
[[nodiscard]] std::string encode_utf8(char32_t code_point);

/// Whether a code point can fill a cell alone, or why not.
enum class CellFitness {
  Fits,
  Control,    ///< C0, C1 and DEL, line and paragraph separators
  Combining,  ///< marks, joiners, variation selectors, which change the preceding character
};

/// Returns the fitness from utf8proc's copy of the Unicode character database. Ignores fonts, since many
/// fonts give marks an advance.
[[nodiscard]] CellFitness cell_fitness(char32_t code_point);

/// Whether the character is two cells wide: its East Asian Width, a property that Unicode's annex 11 defines,
/// is "Wide" or "Fullwidth".
[[nodiscard]] bool is_wide(char32_t code_point);

/// Whether the character is blank by definition: a space or the blank braille pattern.
[[nodiscard]] bool is_blank_character(char32_t code_point);

/// Returns the canonical composition (NFC) of `base` and the following `mark`, which may be a Hangul vowel or
/// final. Returns 0 if they have no composition.
[[nodiscard]] char32_t compose_pair(char32_t base, char32_t mark);

/// Replaces each emoji sequence by characters that one or two cells can show. A sequence with joiners, skin
/// tones, tags or variation selectors becomes its first emoji. A flag becomes the two letters of its country.
[[nodiscard]] std::u32string simple_emoji(std::u32string_view text);

/// Returns the code point as U+XXXX.
[[nodiscard]] std::string code_point_name(char32_t code_point);

}  // namespace glyphreel::text
