#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::player {

enum class LineEnds {
  Spaces,
  Keep,  ///< as "\n"
};

/// UTF-8 as characters that fill one cell or two each. A mark is joined with the letter before it where
/// Unicode has the pair as one character (Latin, kana, Hangul), else dropped, like joiners and variation
/// selectors. Tabs become spaces; other control characters, bytes that are no UTF-8 and noncharacters become
/// U+FFFD. Right-to-left text keeps its logical order.
[[nodiscard]] std::u32string cell_text(std::string_view utf8, LineEnds line_ends = LineEnds::Spaces);

/// Cells that a character of cell_text() fills: 1 or 2, 0 for a line end.
[[nodiscard]] int cell_width(char32_t character);
[[nodiscard]] int cell_width(std::u32string_view text);
[[nodiscard]] int cell_width(std::string_view utf8);

/// `text`, or its beginning with an ellipsis where it is wider than `columns`; empty where columns < 1.
[[nodiscard]] std::u32string shortened(std::u32string_view text, int columns);
/// The same with the end kept, for paths.
[[nodiscard]] std::u32string shortened_front(std::u32string_view text, int columns);

/// A part of a text, [begin, end).
struct TextRange {
  std::size_t begin = 0, end = 0;
  bool operator==(const TextRange&) const = default;
};
/// Lines of at most `columns` cells: broken at line ends, at spaces (which are left out there) and beside
/// wide characters, in the midst of a word where there is no other way. A wide character where columns is 1
/// is left out.
[[nodiscard]] std::vector<TextRange> wrapped(std::u32string_view text, int columns);

}  // namespace glyphreel::player
