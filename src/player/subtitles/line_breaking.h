#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace glyphreel::player {

/// A character with its color, its style and its width in cells.
struct StyledCharacter {
  char32_t character = 0;
  int cells = 1;  ///< 1 or 2
  bool bold = false;
  bool italic = false;
  std::uint32_t color = 0xFFFFFF;  ///< 0xRRGGBB
};
using StyledLine = std::vector<StyledCharacter>;

/// Appends the characters of `utf8`, in the style of `like`. Appends nothing if `utf8` is not valid UTF-8.
/// Combining marks are composed with the letter before them if Unicode has a precomposed character; otherwise
/// they are dropped. Tabs and newlines become spaces; other control characters and format characters are
/// dropped.
void append_characters(StyledLine& line, std::string_view utf8, const StyledCharacter& like);

/// Returns the width of a line in cells.
[[nodiscard]] int cells_of(const StyledLine& line);

/// Breaks a line into the fewest parts of at most `cells` cells each; `cells` must be at least 2. Among
/// the ways to break the line into this number of parts, uses the narrowest width, so that the parts have
/// similar widths. A break is possible at spaces (they are dropped), after a hyphen, and before and after a
/// wide character. Next to a wide character, punctuation that must not start or end a line prevents the break
/// (kinsoku). A word that is too long is cut. Each part is in visual order: from left to right.
[[nodiscard]] std::vector<StyledLine> break_line(const StyledLine& line, int cells);

}  // namespace glyphreel::player
