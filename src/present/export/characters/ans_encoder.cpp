#include "present/export/characters/ans_encoder.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include <fmt/format.h>

#include "base/decimal.h"
#include "text/code_points/code_page_437.h"

namespace glyphreel::present {
namespace {

constexpr std::uint32_t Bright = 8;           // bit of a palette index that makes the color bright
constexpr std::uint32_t MinDirectColor = 16;  // libansilove reads smaller values as palette indices

std::int64_t distance(std::uint32_t a, std::uint32_t b) {
  std::int64_t sum = 0;
  for (const int shift : {0, 8, 16}) {
    const std::int64_t away =
        static_cast<std::int64_t>(a >> shift & 255) - static_cast<std::int64_t>(b >> shift & 255);
    sum += away * away;
  }
  return sum;
}

}  // namespace

std::vector<std::uint32_t> AnsEncoder::palette() {
  return {0x000000, 0xAA0000, 0x00AA00, 0xAA5500, 0x0000AA, 0xAA00AA, 0x00AAAA, 0xAAAAAA,
          0x555555, 0xFF5555, 0x55FF55, 0xFFFF55, 0x5555FF, 0xFF55FF, 0x55FFFF, 0xFFFFFF};
}

/// Returns a color in this dialect. TrueColor: 0xRRGGBB, with near-blacks as 0. Ice: the index of the nearest
/// palette color.
std::uint32_t AnsEncoder::color_of(std::uint32_t color) const {
  color &= 0xFFFFFF;
  if (dialect_ == Dialect::TrueColor) return color < MinDirectColor ? 0 : color;
  static const std::vector<std::uint32_t> Colors = palette();
  const auto nearest =
      std::ranges::min_element(Colors, {}, [&](std::uint32_t each) { return distance(each, color); });
  return static_cast<std::uint32_t>(nearest - Colors.begin());
}

/// Returns the character's byte in code page 437, or a question mark.
unsigned char AnsEncoder::byte_of(char32_t character) {
  return text::code_page_437(character).value_or('?');
}

std::vector<AnsEncoder::Cell> AnsEncoder::cells_of(const render::RenderedFrame& frame) const {
  const render::Characters characters(*glyphs_, frame.overlay_glyphs.get());
  std::vector<Cell> cells;
  cells.reserve(frame.cells.size());
  using Known = std::pair<std::uint32_t, std::uint32_t>;  // a color, and the result of color_of()
  Known last_foreground{1, 0}, last_background{1, 0};
  const auto remembered = [this](Known& last, std::uint32_t color) {
    if (last.first != color) last = {color, color_of(color)};
    return last.second;
  };
  for (const render::Cell& cell : frame.cells) {
    const unsigned char byte =
        cell.glyph < bytes_.size() ? bytes_[cell.glyph] : byte_of(characters.code_point(cell.glyph));
    cells.push_back(
        {byte, remembered(last_foreground, cell.foreground), remembered(last_background, cell.background)});
  }
  return cells;
}

/// Appends the shortest SGR sequence that sets two colors of the palette.
void AnsEncoder::set_indexed(std::string& bytes, std::uint32_t foreground, std::uint32_t background) const {
  // The bold attribute means a bright foreground, and the blink attribute means a bright background. Only a
  // reset ends them.
  const bool resets = !is_pen_known_ || (pen_.foreground & ~foreground & Bright) != 0 ||
                      (pen_.background & ~background & Bright) != 0;
  const Cell before = resets ? Cell{' ', 7, 0} : pen_;
  std::string codes = resets ? "0" : "";
  const auto add = [&codes](std::uint32_t code) {
    codes += fmt::format("{}{}", codes.empty() ? "" : ";", code);
  };
  if ((foreground & ~before.foreground & Bright) != 0) add(1);
  if ((background & ~before.background & Bright) != 0) add(5);
  if (foreground % Bright != before.foreground % Bright) add(30 + foreground % Bright);
  if (background % Bright != before.background % Bright) add(40 + background % Bright);
  fmt::format_to(std::back_inserter(bytes), "\x1b[{}m", codes);
}

void AnsEncoder::set_colors(std::string& bytes, const Cell& cell) {
  const bool needs_foreground = !is_pen_known_ || (cell.byte != ' ' && cell.foreground != pen_.foreground);
  const bool needs_background = !is_pen_known_ || cell.background != pen_.background;
  if (!needs_foreground && !needs_background) return;
  const std::uint32_t foreground = needs_foreground ? cell.foreground : pen_.foreground;
  if (dialect_ == Dialect::Ice) {
    set_indexed(bytes, foreground, cell.background);
  } else {
    if (!is_pen_known_) bytes += "\x1b[0m";
    const auto direct = [&bytes](int ground, std::uint32_t color) {
      // Instead of 24-bit black, libansilove shows the current SGR color, so black is set with SGR.
      if (color == 0) {
        bytes += ground == 1 ? "\x1b[30m" : "\x1b[40m";
        return;
      }
      std::array<char, sizeof "\x1b[1;255;255;255t"> sequence{'\x1b', '[', ground == 1 ? '1' : '0'};
      char* end = sequence.data() + 3;
      for (const int shift : {16, 8, 0}) {
        *end++ = ';';
        end = put_decimal(end, static_cast<std::uint8_t>(color >> shift));
      }
      *end++ = 't';
      bytes.append(sequence.data(), end);
    };
    if (needs_background) direct(0, cell.background);
    if (needs_foreground) direct(1, foreground);
  }
  pen_ = {cell.byte, foreground, cell.background};
  is_pen_known_ = true;
}

std::string AnsEncoder::encode(const render::RenderedFrame& frame) {
  std::vector<Cell> cells = cells_of(frame);
  std::string bytes;
  const bool is_first = shown_.size() != cells.size();
  const auto columns = static_cast<std::size_t>(frame.grid.columns);
  std::size_t cursor = is_first ? 0 : cells.size();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_first && (cells[i] == shown_[i] || i + 1 == cells.size())) continue;
    if (cursor != i)
      fmt::format_to(std::back_inserter(bytes), "\x1b[{};{}H", i / columns + 1, i % columns + 1);
    set_colors(bytes, cells[i]);
    bytes += static_cast<char>(cells[i].byte);
    // After the last column, the cursor's position depends on the viewer, so later frames always set it.
    cursor = is_first || (i + 1) % columns != 0 ? i + 1 : cells.size();
  }
  shown_ = std::move(cells);
  return bytes;
}

std::optional<char32_t> outside_code_page_437(const text::GlyphSet& glyphs) {
  const auto found = std::ranges::find_if(
      glyphs.code_points(), [](char32_t character) { return !text::code_page_437(character).has_value(); });
  return found == glyphs.code_points().end() ? std::nullopt : std::optional(*found);
}

}  // namespace glyphreel::present
