#pragma once

namespace glyphreel::player {

/// The one character that Unicode has for a letter and the mark that follows it, as file names from macOS
/// have them; 0: there is none, or not among the Latin letters, kana and Hangul that are known here.
[[nodiscard]] char32_t composed(char32_t letter, char32_t mark);

}  // namespace glyphreel::player
