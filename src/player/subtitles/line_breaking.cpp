#include "player/subtitles/line_breaking.h"

#include <algorithm>
#include <string>

#include "base/result.h"
#include "player/osd/cell_text.h"
#include "text/code_points/unicode.h"
#include "text/code_points/visual_order.h"

namespace glyphreel::player {
namespace {

constexpr char32_t NoBreakSpace = 0xA0;

/// Whether a line may break at this blank character. False for the no-break spaces U+00A0 and U+202F, and for
/// U+2800, a blank braille pattern.
bool is_breaking_space(const StyledCharacter& c) {
  return text::is_blank_character(c.character) && c.character != NoBreakSpace && c.character != 0x202F &&
         c.character != 0x2800;
}

// Characters that must not start a line (closing punctuation and small kana) or end a line (opening
// punctuation) in Japanese, Chinese and Korean (JIS X 4051).
constexpr std::u32string_view NotAtStart =
    U"!),.:;?]}"
    U"’”…‥、。々〉》」』】〕〗〙〟・ーァィゥェォッャュョヮヵヶぁぃぅぇぉっゃゅょゎゝゞ！％），．：；？］｝～";
constexpr std::u32string_view NotAtEnd = U"([{‘“〈《「『【〔〖〘〝（［｛￥＄";

bool may_break_between(const StyledCharacter& before, const StyledCharacter& after) {
  if (is_breaking_space(after)) return false;  // the line breaks after the space instead
  if (is_breaking_space(before)) return true;
  if (before.character == '-' || before.character == 0x2010) return after.character != '-';
  if (before.cells == 1 && after.cells == 1) return false;
  if (before.character == NoBreakSpace || after.character == NoBreakSpace) return false;
  return NotAtStart.find(after.character) == std::u32string_view::npos &&
         NotAtEnd.find(before.character) == std::u32string_view::npos;
}

/// Returns the width in cells of the longest part of `line` without a possible break.
int longest_word(const StyledLine& line) {
  int longest = 0;
  int width = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (i > 0 && may_break_between(line[i - 1], line[i])) width = 0;
    if (!is_breaking_space(line[i])) width += line[i].cells;
    longest = std::max(longest, width);
  }
  return longest;
}

/// Breaks `line` into parts of at most `cells` cells, without leading or trailing spaces.
std::vector<TextRange> fill(const StyledLine& line, int cells) {
  std::vector<TextRange> parts;
  std::size_t begin = 0;
  while (true) {
    while (begin < line.size() && is_breaking_space(line[begin])) ++begin;
    if (begin == line.size()) return parts;
    int width = 0;
    std::size_t end = begin;
    std::size_t last_break = 0;
    // Spaces may exceed the width, because they are dropped at the break.
    while (end < line.size() && (width + line[end].cells <= cells || is_breaking_space(line[end]))) {
      width += line[end].cells;
      ++end;
      if (end < line.size() && may_break_between(line[end - 1], line[end])) last_break = end;
    }
    if (end < line.size() && last_break > begin) end = last_break;
    end = std::max(end, begin + 1);
    TextRange part{begin, end};
    while (part.end > part.begin + 1 && is_breaking_space(line[part.end - 1])) --part.end;
    parts.push_back(part);
    begin = end;
  }
}

/// Returns the characters of one line in the order in which they are drawn.
StyledLine visual_line(const StyledLine& line) {
  std::u32string characters;
  for (const StyledCharacter& c : line) characters += c.character;
  const text::VisualLine visual = text::visual_order(characters);
  StyledLine drawn;
  for (std::size_t i = 0; i < visual.characters.size(); ++i) {
    drawn.push_back(line[visual.from[i]]);
    drawn.back().character = visual.characters[i];
  }
  return drawn;
}

}  // namespace

void append_characters(StyledLine& line, std::string_view utf8, const StyledCharacter& like) {
  const auto characters = text::decode_utf8(std::string(utf8));
  if (!characters) return;
  bool has_base = !line.empty();
  for (const char32_t character : text::simple_emoji({characters->data(), characters->size()})) {
    StyledCharacter next = like;
    switch (text::cell_fitness(character)) {
      case text::CellFitness::Control:
        if (character != '\t' && character != '\n') continue;
        next.character = ' ';
        break;
      case text::CellFitness::Combining:
        if (!has_base) continue;
        if (const char32_t composed = text::compose_pair(line.back().character, character); composed != 0)
          line.back().character = composed;
        continue;
      case text::CellFitness::Fits:
        next.character = character;
        break;
    }
    has_base = true;
    next.cells = text::is_wide(character) ? 2 : 1;
    if (const char32_t composed = line.empty() ? 0 : text::compose_pair(line.back().character, character);
        composed != 0) {
      line.back().character = composed;  // adds a Hangul vowel or final consonant to its syllable
    } else {
      line.push_back(next);
    }
  }
}

int cells_of(const StyledLine& line) {
  int cells = 0;
  for (const StyledCharacter& c : line) cells += c.cells;
  return cells;
}

std::vector<StyledLine> break_line(const StyledLine& line, int cells) {
  CHECK(cells >= 2, "no room for a wide character");
  std::vector<TextRange> parts = fill(line, cells);
  const std::size_t count = parts.size();
  // Search for the smallest width that needs no more lines than the full width `cells`, and cuts no word that
  // fits into the full width.
  int too_narrow = std::min(longest_word(line), cells) - 1;
  int enough = cells;
  while (count > 1 && enough - too_narrow > 1) {
    const int middle = (too_narrow + enough) / 2;
    if (fill(line, middle).size() <= count) {
      enough = middle;
    } else {
      too_narrow = middle;
    }
  }
  if (enough < cells) parts = fill(line, enough);
  std::vector<StyledLine> lines;
  for (const TextRange part : parts) {
    lines.push_back(visual_line({line.begin() + static_cast<std::ptrdiff_t>(part.begin),
                                 line.begin() + static_cast<std::ptrdiff_t>(part.end)}));
  }
  return lines;
}

}  // namespace glyphreel::player
