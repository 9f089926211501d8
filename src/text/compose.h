#pragma once

namespace glyphreel::text {

/// The character that `mark` (or a Hangul vowel or final) after `base` makes: canonical composition of the
/// Unicode character database 14, basic plane. 0: there is none.
[[nodiscard]] char32_t composed(char32_t base, char32_t mark);

}  // namespace glyphreel::text
