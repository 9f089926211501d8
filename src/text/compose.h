#pragma once

namespace glyphreel::text {

/// Returns the canonical composition of `base` with `mark` (or a Hangul vowel or final) after it, by the
/// Unicode character database 14, basic plane. 0: there is none.
[[nodiscard]] char32_t composed(char32_t base, char32_t mark);

}  // namespace glyphreel::text
