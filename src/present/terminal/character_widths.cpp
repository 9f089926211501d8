#include "present/terminal/character_widths.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "text/code_points/unicode.h"

namespace glyphreel::present {
namespace {

struct CharacterClass {
  text::CharacterRange range;
  char32_t sample;
};

// Many terminals can be set to show characters of East Asian width "ambiguous" in two columns. Ranges
// of such characters are therefore separate classes.
constexpr CharacterClass Classes[] = {
    {{0x00A1, 0x00FF}, 0x00B1},     // Latin-1, partly ambiguous
    {{0x2500, 0x257F}, 0x2500},     // box drawing, ambiguous
    {{0x2580, 0x2595}, 0x2588},     // half blocks, eighths and shades, ambiguous
    {{0x2596, 0x259F}, 0x259F},     // quadrants
    {{0x25A0, 0x25FF}, 0x25CF},     // geometric shapes, partly ambiguous
    {{0x2800, 0x28FF}, 0x28FF},     // braille
    {{0x3041, 0x9FFF}, 0x4E00},     // kana and ideographs, wide
    {{0xFF61, 0xFF9F}, 0xFF71},     // half-width kana
    {{0x1FB00, 0x1FBCA}, 0x1FB13},  // sextants and other symbols of Unicode 13
    {{0x1FBCB, 0x1FBEF}, 0x1FBE6},  // symbols of Unicode 16
    {{0x1CC00, 0x1CEBF}, 0x1CD00},  // octants and other symbols of Unicode 16
};

}  // namespace

std::string width_probe() {
  std::string text = "\x1b[8m";
  for (const CharacterClass& each : Classes)
    fmt::format_to(std::back_inserter(text), "\x1b[{};1H{}\x1b[6n", ProbeRow, text::encode_utf8(each.sample));
  return text + "\x1b[m\x1b[2J";
}

std::size_t width_probe_queries() {
  return std::size(Classes);
}

std::vector<text::CharacterRange> misshown_classes(std::span<const int> columns) {
  std::vector<text::CharacterRange> misshown;
  for (std::size_t i = 0; i < std::min(columns.size(), std::size(Classes)); ++i) {
    const int width = text::is_wide(Classes[i].sample) ? 2 : 1;
    if (columns[i] != 1 + width) misshown.push_back(Classes[i].range);
  }
  return misshown;
}

}  // namespace glyphreel::present
