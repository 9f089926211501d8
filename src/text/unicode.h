#pragma once

#include <string>

namespace glyphreel::text {

/// Whether a code point can fill a cell of its own, or why not.
enum class CellFitness {
  Fits,
  Control,    ///< C0, C1 and DEL, line and paragraph separators
  Combining,  ///< marks, joiners, variation selectors: they change the character before them
};

/// Decides from the Unicode character database, as utf8proc has it, not from the font, since many fonts give
/// marks an advance.
[[nodiscard]] CellFitness cell_fitness(char32_t code_point);

/// Returns true for characters two cells wide: East Asian Width Wide or Fullwidth (Unicode's annex 11).
[[nodiscard]] bool is_wide(char32_t code_point);

/// Returns true for every character whose cell is empty by definition: the spaces and the blank braille
/// pattern.
[[nodiscard]] bool is_blank_character(char32_t code_point);

/// Returns the canonical composition (NFC) of `base` with `mark` (or a Hangul vowel or final) after it. 0:
/// there is none.
[[nodiscard]] char32_t composed(char32_t base, char32_t mark);

/// Returns the code point as U+XXXX.
[[nodiscard]] std::string code_point_name(char32_t code_point);

}  // namespace glyphreel::text
