#include "player/osd/cell_text.h"

#include <algorithm>

#include "text/code_points/unicode.h"

namespace glyphreel::player {
namespace {

constexpr char32_t Replacement = 0xFFFD;
constexpr char32_t Ellipsis = 0x2026;

std::size_t utf8_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xE0) return 2;
  return lead < 0xF0 ? 3 : 4;
}

std::u32string lenient_utf8(std::string_view utf8) {
  if (utf8.empty()) return {};
  if (const auto all = text::decode_utf8(std::string(utf8)); all) {
    return {all->begin(), all->end()};
  }
  std::u32string text;
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t length = utf8_length(static_cast<unsigned char>(utf8[at]));
    const auto one = text::decode_utf8(std::string(utf8.substr(at, length)));
    const bool valid = one && one->size() == 1;
    text.push_back(valid ? one->front() : Replacement);
    at += valid ? length : 1;
  }
  return text;
}

bool is_noncharacter(char32_t c) {
  return (c & 0xFFFEu) == 0xFFFEu || (c >= 0xFDD0 && c <= 0xFDEF);
}

/// Whether `c` must not begin a line. True for Chinese and Japanese closing punctuation, and for small kana.
bool must_not_start_line(char32_t c) {
  constexpr std::u32string_view Clinging = U"、。，．！？：；」』）】〉》〕］｝ー々ゝヽっッゃゅょャュョ";
  return Clinging.find(c) != std::u32string_view::npos;
}
/// Whether `c` must not end a line. True for Chinese and Japanese opening brackets.
bool must_not_end_line(char32_t c) {
  constexpr std::u32string_view Clinging = U"「『（【〈《〔［｛";
  return Clinging.find(c) != std::u32string_view::npos;
}

/// Whether a line may break between two adjacent characters that no space separates.
bool can_break(char32_t before, char32_t after) {
  if (must_not_start_line(after) || must_not_end_line(before)) return false;
  return text::is_wide(before) || text::is_wide(after);
}

/// Breaks one paragraph into lines and appends them to `lines`. `paragraph`: a range of `text` that contains
/// no line ends.
void wrap_paragraph(std::u32string_view text, TextRange paragraph, int columns,
                    std::vector<TextRange>& lines) {
  std::size_t start = paragraph.begin;
  do {
    int width = 0;
    std::size_t end = start;
    std::size_t best = start;  // the last possible break so far
    while (end < paragraph.end) {
      const int next = cell_width(text[end]);
      if (width + next > columns) break;
      width += next;
      ++end;
      if (end < paragraph.end && (text[end] == U' ' || can_break(text[end - 1], text[end]))) best = end;
    }
    if (end < paragraph.end) {
      if (best > start) end = best;
      if (end == start) ++end;  // the character is wider than the line
    }
    std::size_t shown_end = end;
    while (shown_end > start && text[shown_end - 1] == U' ' && end < paragraph.end) --shown_end;
    if (cell_width(text.substr(start, shown_end - start)) <= columns) lines.push_back({start, shown_end});
    start = end;
    while (start < paragraph.end && text[start] == U' ') ++start;
  } while (start < paragraph.end);
}

}  // namespace

std::u32string cell_text(std::string_view utf8, LineEnds line_ends) {
  std::u32string cells;
  for (const char32_t c : text::simple_emoji(lenient_utf8(utf8))) {
    if (c == U'\r') continue;
    const bool is_line_end = c == U'\n' || c == 0x2028 || c == 0x2029;
    if (is_line_end || c == U'\t') {
      cells.push_back(is_line_end && line_ends == LineEnds::Keep ? U'\n' : U' ');
    } else if (is_noncharacter(c) || text::cell_fitness(c) == text::CellFitness::Control) {
      cells.push_back(Replacement);
    } else if (const char32_t joined = cells.empty() ? 0 : text::compose_pair(cells.back(), c); joined != 0) {
      cells.back() = joined;
    } else if (text::cell_fitness(c) == text::CellFitness::Fits) {
      cells.push_back(c);
    }
  }
  return cells;
}

int cell_width(char32_t character) {
  if (character == U'\n') return 0;
  return text::is_wide(character) ? 2 : 1;
}

int cell_width(std::u32string_view text) {
  int width = 0;
  for (const char32_t c : text) width += cell_width(c);
  return width;
}

int cell_width(std::string_view utf8) {
  return cell_width(cell_text(utf8));
}

std::u32string shortened(std::u32string_view text, int columns) {
  if (columns < 1) return {};
  if (cell_width(text) <= columns) return std::u32string(text);
  std::u32string kept;
  int width = 1;
  for (const char32_t c : text) {
    width += cell_width(c);
    if (width > columns) break;
    kept.push_back(c);
  }
  while (!kept.empty() && kept.back() == U' ') kept.pop_back();
  return kept + Ellipsis;
}

std::vector<TextRange> wrapped(std::u32string_view text, int columns) {
  std::vector<TextRange> lines;
  if (columns < 1 || text.empty()) return lines;
  std::size_t begin = 0;
  while (true) {
    const std::size_t line_end = std::min(text.find(U'\n', begin), text.size());
    wrap_paragraph(text, {begin, line_end}, columns, lines);
    if (line_end == text.size()) return lines;
    begin = line_end + 1;
  }
}

}  // namespace glyphreel::player
