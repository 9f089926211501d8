#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace glyphreel::player {

/// A character of a text that is laid into cells, and how it looks.
struct StyledCharacter {
  char32_t character = 0;
  int cells = 1;  ///< 1 or 2
  bool bold = false;
  bool italic = false;
  std::optional<std::uint32_t> color = std::nullopt;  ///< 0xRRGGBB
  bool operator==(const StyledCharacter&) const = default;
};
using StyledLine = std::vector<StyledCharacter>;

/// Appends the characters of valid UTF-8 that have cells, in the look of `like`. Marks are composed with the
/// letter before them where Unicode has such a character, and dropped where it has none; so are controls and
/// format characters.
void append_characters(StyledLine& line, std::string_view utf8, const StyledCharacter& like);

/// Cells that a line takes.
[[nodiscard]] int cells_of(const StyledLine& line);

/// Breaks a line into as few parts of at most `cells` (at least 2) cells as it takes, and these as narrow as
/// that number permits, so that they are of like width. Breaks are at spaces, which go, after hyphens, and
/// before and after wide characters but for punctuation that may not stand at a line's start or end
/// (kinsoku); a word too long is cut.
[[nodiscard]] std::vector<StyledLine> break_line(const StyledLine& line, int cells);

}  // namespace glyphreel::player
