#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::player {

enum class LineEnds {
  Spaces,  ///< line ends become spaces
  Keep,    ///< line ends become "\n"
};

/// Converts UTF-8 to characters that each fill one or two cells. A combining mark is composed with the letter
/// before it if Unicode has a precomposed character for the pair (Latin, kana, Hangul); otherwise it is
/// dropped, like joiners, variation selectors and carriage returns. Tabs become spaces; other control
/// characters, invalid UTF-8 bytes and noncharacters become U+FFFD. Emoji sequences become single characters,
/// see text::simple_emoji(). Right-to-left text keeps its logical order.
[[nodiscard]] std::u32string cell_text(std::string_view utf8, LineEnds line_ends = LineEnds::Spaces);

/// Returns the number of cells that a character of cell_text() fills: 1 or 2, or 0 for a line end.
[[nodiscard]] int cell_width(char32_t character);
[[nodiscard]] int cell_width(std::u32string_view text);
[[nodiscard]] int cell_width(std::string_view utf8);

/// Returns `text`. If it is wider than `columns` cells, cuts its end and appends an ellipsis, so that the
/// result fits. Returns an empty text if `columns` is less than 1.
[[nodiscard]] std::u32string shortened(std::u32string_view text, int columns);

/// A part of a text: [begin, end).
struct TextRange {
  std::size_t begin = 0, end = 0;
};
/// Breaks a text into lines of at most `columns` cells: at line ends, at spaces, before and after wide
/// characters, and inside a word only if the word is longer than a line. Drops the spaces at breaks. If
/// `columns` is 1, also drops wide characters.
[[nodiscard]] std::vector<TextRange> wrapped(std::u32string_view text, int columns);

}  // namespace glyphreel::player
