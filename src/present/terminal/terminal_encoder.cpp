#include "present/terminal/terminal_encoder.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "media/ffmpeg/base64.h"
#include "present/terminal/character_widths.h"
#include "text/code_points/unicode.h"

namespace glyphreel::present {
namespace {

// Mode 2026: the terminal applies everything between these two sequences at once
// (github.com/contour-terminal/vt-extensions).
constexpr std::string_view BeginUpdate = "\x1b[?2026h";
constexpr std::string_view EndUpdate = "\x1b[?2026l";
/// Marks a cell as the right half of the wide character in the cell to the left.
constexpr char32_t WideRight = 0xFFFF;
/// Successive frames refresh rows that are this far apart, so that no visible line sweeps the screen. Coprime
/// to RefreshPeriod.
constexpr int RefreshStride = 19;
constexpr int MaxRewritten = 8;  // unchanged cells; moving the cursor past more always takes fewer bytes

int digits(int value) {
  return value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : 4;
}

/// Returns the length of a sequence such as `CSI n X`, where n is omitted if it is 1.
int counted_length(int count) {
  return 3 + (count == 1 ? 0 : digits(count));
}

void append_counted(std::string& text, int count, char final) {
  if (count == 1)
    fmt::format_to(std::back_inserter(text), "\x1b[{}", final);
  else
    fmt::format_to(std::back_inserter(text), "\x1b[{}{}", count, final);
}

int utf8_length(char32_t c) {
  return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

// Most characters are ASCII and need no table lookup.
bool is_wide(char32_t c) {
  return c >= 0x1100 && c != WideRight && text::is_wide(c);
}
bool is_blank(char32_t c) {
  return c == U' ' || (c > 0x7F && text::is_blank_character(c));
}

void append_utf8(std::string& text, char32_t c) {
  if (c < 0x80)
    text += static_cast<char>(c);
  else
    text += text::encode_utf8(c);
}

char32_t character_of(const render::Cell& cell, const render::Characters& characters) {
  if (characters.columns(cell.glyph) == text::GlyphColumns::WideRight) return WideRight;
  return characters.code_point(cell.glyph);
}

}  // namespace

TerminalEncoder::TerminalEncoder(const TerminalCapabilities& capabilities)
    : capabilities_(capabilities), colors_(TerminalColors::Palette::None, capabilities.colors) {}

void TerminalEncoder::reset(GridSize size) {
  size_ = size;
  unknown_ = true;
  shown_.assign(static_cast<std::size_t>(size.cells()), {});
}

void TerminalEncoder::use_colors(TerminalColors colors) {
  colors_ = std::move(colors);
}

TerminalEncoder::Cell* TerminalEncoder::row_of(std::vector<Cell>& cells, int row) const {
  return cells.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns);
}

bool TerminalEncoder::near(TerminalColor a, TerminalColor b) const {
  if (a == b) return true;
  if (row_tolerance_ == 0 || !a.is_direct() || !b.is_direct()) return false;
  for (const int shift : {0, 8, 16}) {
    const int away = static_cast<int>(a.value() >> shift & 255) - static_cast<int>(b.value() >> shift & 255);
    if (std::abs(away) > row_tolerance_) return false;
  }
  return true;
}

bool TerminalEncoder::looks_equal(const Cell& wanted, const Cell& shown) const {
  return wanted.character == shown.character && near(wanted.background, shown.background) &&
         (is_blank(wanted.character) || near(wanted.foreground, shown.foreground));
}

bool TerminalEncoder::pen_fits(const Cell& cell) const {
  return near(cell.background, pen_.shown_background()) &&
         (is_blank(cell.character) || near(cell.foreground, pen_.shown_foreground()));
}

bool TerminalEncoder::is_missing(char32_t character) const {
  return std::ranges::any_of(missing_, [&](text::CharacterRange range) { return range.contains(character); });
}

void TerminalEncoder::set_wanted(const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  wanted_.assign(static_cast<std::size_t>(size_.cells()), {});
  const int columns = std::min(size_.columns, frame.grid.columns);
  const int rows = std::min(size_.rows, frame.grid.rows);
  const render::Characters characters(glyphs, frame.overlay_glyphs.get());
  // Color lookups take most of the time. Neighboring cells often have equal colors, so the last results are
  // reused.
  std::uint32_t last_foreground = 0;
  std::uint32_t last_background = 0;
  TerminalColor foreground = colors_.of(0);
  TerminalColor background = foreground;
  for (int row = 0; row < rows; ++row) {
    const render::Cell* cells =
        frame.cells.data() + static_cast<std::size_t>(row) * static_cast<std::size_t>(frame.grid.columns);
    Cell* wanted = row_of(wanted_, row);
    for (int column = 0; column < columns; ++column) {
      const render::Cell& cell = cells[column];
      if (cell.foreground != last_foreground) foreground = colors_.of(last_foreground = cell.foreground);
      if (cell.background != last_background) background = colors_.of(last_background = cell.background);
      char32_t character = character_of(cell, characters);
      if (!missing_.empty() && character != WideRight && is_missing(character)) character = U'?';
      if (character == WideRight) {
        // Both halves of a wide character get the colors of the left half. A right half alone cannot be shown
        // and becomes a space.
        if (column > 0 && is_wide(wanted[column - 1].character)) {
          wanted[column] = {character, wanted[column - 1].foreground, wanted[column - 1].background};
          continue;
        }
        character = U' ';
      } else if (is_wide(character) &&
                 (column + 1 >= columns || character_of(cells[column + 1], characters) != WideRight)) {
        character = U' ';
      } else if (character < 0x20 ||
                 (character >= 0x7F && character < 0xA0)) {  // control characters are never sent
        character = U'?';
      }
      wanted[column] = {character, foreground, background};
    }
  }
}

/// Marks the cells of a row that must be written. Marks both halves of a wide character or neither, because
/// overwriting one half blanks the other.
void TerminalEncoder::mark_changes(const Cell* wanted, const Cell* shown) {
  const int columns = size_.columns;
  changed_.assign(static_cast<std::size_t>(columns), 0);
  for (int i = 0; i < columns; ++i) {
    if (!looks_equal(wanted[i], shown[i])) changed_[static_cast<std::size_t>(i)] = 1;
  }
  const auto join = [&](const Cell* cells) {
    bool grown = false;
    for (int i = 1; i < columns; ++i) {
      if (cells[i].character != WideRight) continue;
      auto& left = changed_[static_cast<std::size_t>(i) - 1];
      auto& right = changed_[static_cast<std::size_t>(i)];
      if (left != right) grown = (left = right = 1) != 0;
    }
    return grown;
  };
  // Old and new wide characters that overlap can form chains, so marking one cell may require marking others.
  // Every pass but the last marks more cells, so there are at most as many passes as columns.
  for (bool grown = true; grown;) {
    grown = join(shown);
    grown = join(wanted) || grown;
  }
}

std::string TerminalEncoder::encode(const render::RenderedFrame& frame, const text::GlyphSet& glyphs) {
  set_wanted(frame, glyphs);
  turn_ = (turn_ + 1) % RefreshPeriod;
  return encode_changes();
}

std::string TerminalEncoder::refresh() {
  if (unknown_ || wanted_.size() != shown_.size()) return {};
  const int tolerance = std::exchange(tolerance_, 0);
  std::string text = encode_changes();
  tolerance_ = tolerance;
  return text;
}

/// Returns the bytes that change the content of the terminal to `wanted_`.
std::string TerminalEncoder::encode_changes() {
  std::string text;
  pen_ = {};
  cursor_ = {-1, -1};
  if (unknown_) {
    text += capabilities_.colors == ColorDepth::None ? "\x1b[H\x1b[2J" : "\x1b[m\x1b[H\x1b[2J";
    cursor_ = {0, 0};
    unknown_ = false;
  }
  for (int row = 0; row < size_.rows; ++row) {
    row_tolerance_ = row * RefreshStride % RefreshPeriod == turn_ ? 0 : tolerance_;
    encode_row(row, text);
  }
  if (text.empty()) return text;
  if (pen_.reversed || !pen_.foreground.is_default() || !pen_.background.is_default()) text += "\x1b[m";
  if (capabilities_.private_modes) {
    text.insert(0, BeginUpdate);
    text += EndUpdate;
  }
  return text;
}

void TerminalEncoder::encode_row(int row, std::string& text) {
  Cell* wanted = row_of(wanted_, row);
  Cell* shown = row_of(shown_, row);
  mark_changes(wanted, shown);
  for (int column = 0; column < size_.columns;) {
    if (changed_[static_cast<std::size_t>(column)] == 0) {
      ++column;
      continue;
    }
    const bool is_behind = cursor_.row == row && cursor_.column < column;
    if (!is_behind || !try_rewriting(row, cursor_.column, column, text)) move_to({column, row}, text);
    if (const int count = erase_length(row, column); count > 0) {
      use_pen(wanted[column], text);
      if (!pen_.reversed) {  // in reverse video, erased cells would get the wrong color
        if (column + count == size_.columns)
          text += "\x1b[K";
        else
          append_counted(text, count, 'X');
        for (int i = column; i < column + count; ++i)
          shown[i] = {U' ', wanted[i].foreground, pen_.background};
        column += count;
        continue;
      }
    }
    put(wanted[column], shown[column], text);
    if (column + 1 < size_.columns && wanted[column + 1].character == WideRight) {
      shown[column + 1] = {WideRight, shown[column].foreground, shown[column].background};
      ++column;
    }
    ++column;
  }
}

/// Returns the number of cells, starting at `column`, that take fewer bytes to erase than to write; 0: none.
/// These cells may include unchanged blank cells.
int TerminalEncoder::erase_length(int row, int column) const {
  const int end = size_.columns;
  const auto at = static_cast<std::size_t>(row) * static_cast<std::size_t>(size_.columns);
  const Cell* wanted = wanted_.data() + at;
  const TerminalColor background =
      pen_fits(wanted[column]) ? pen_.shown_background() : wanted[column].background;
  if (wanted[column].character != U' ') return 0;
  if (!background.is_default() && (!capabilities_.back_color_erase || pen_.reversed)) return 0;
  int run = column;
  int last_changed = column;
  while (run < end && wanted[run].character == U' ' && near(wanted[run].background, background)) {
    if (changed_[static_cast<std::size_t>(run)] != 0) last_changed = run;
    ++run;
  }
  // If the run ends with the left half of a wide character that the terminal still shows, erasing that half
  // also blanks the right half. mark_changes() has marked both halves, so the right half is written after the
  // run.
  const int count = last_changed + 1 - column;
  if (run == end) return count > 3 ? end - column : 0;
  if (!capabilities_.erase_characters) return 0;
  // Erasing does not move the cursor. If changed cells follow in the row, the cursor must also be moved past
  // the run, which takes as many bytes as erasing.
  bool more = false;
  for (int i = run; i < end && !more; ++i) more = changed_[static_cast<std::size_t>(i)] != 0;
  return counted_length(count) + (more ? counted_length(count) : 0) < count ? count : 0;
}

/// Rewrites the unchanged cells between the cursor and the next changed cell if that takes no more bytes than
/// moving the cursor. Returns whether the cells were rewritten.
bool TerminalEncoder::try_rewriting(int row, int from, int to, std::string& text) {
  if (to - from > MaxRewritten) return false;
  Cell* wanted = row_of(wanted_, row);
  if (wanted[from].character == WideRight) return false;
  int length = 0;
  for (int i = from; i < to; ++i) {
    if (wanted[i].character == WideRight) continue;
    if (!pen_fits(wanted[i]) || is_width_doubtful(wanted[i].character)) return false;
    length += utf8_length(wanted[i].character);
  }
  if (length > counted_length(to - from)) return false;
  Cell* shown = row_of(shown_, row);
  for (int i = from; i < to; ++i) {
    if (wanted[i].character == WideRight) {
      shown[i] = {WideRight, shown[i - 1].foreground, shown[i - 1].background};
    } else {
      put(wanted[i], shown[i], text);
    }
  }
  return true;
}

void TerminalEncoder::move_to(CursorPosition target, std::string& text) {
  if (cursor_.row == target.row && cursor_.column == target.column) return;
  // After a character is written to the last column, the cursor's column depends on the terminal. Then, only
  // an absolute move or a carriage return is reliable.
  const bool known = cursor_.row >= 0 && cursor_.column < size_.columns;
  const int absolute = 3 + (target.row == 0 && target.column == 0 ? 0 : digits(target.row + 1)) +
                       (target.column == 0 ? 0 : 1 + digits(target.column + 1));
  if (known && cursor_.row == target.row && cursor_.column < target.column &&
      counted_length(target.column - cursor_.column) <= absolute) {
    append_counted(text, target.column - cursor_.column, 'C');
  } else if (cursor_.row >= 0 && cursor_.row + 1 == target.row &&
             2 + (target.column == 0 ? 0 : counted_length(target.column)) <= absolute) {
    text += "\r\n";
    if (target.column > 0) append_counted(text, target.column, 'C');
  } else if (target.column == 0) {
    if (target.row == 0)
      text += "\x1b[H";
    else
      fmt::format_to(std::back_inserter(text), "\x1b[{}H", target.row + 1);
  } else {
    fmt::format_to(std::back_inserter(text), "\x1b[{};{}H", target.row + 1, target.column + 1);
  }
  cursor_ = target;
}

/// Sets the colors that the cell needs, directly or in reverse video, whichever is shorter.
void TerminalEncoder::use_pen(const Cell& cell, std::string& text) {
  if (pen_fits(cell)) return;
  const bool blank = is_blank(cell.character);
  // Appends the parameters that set the colors, in reverse video if `reversed`. Appends them to `text`, from
  // which they may be removed again, because a separate string would need an allocation.
  const auto append_change = [&](bool reversed) {
    Pen pen = pen_;
    const std::size_t start = text.size();
    const auto separate = [&] {
      if (text.size() > start) text += ';';
    };
    if (pen.reversed != reversed) text += reversed ? "7" : "27";
    pen.reversed = reversed;
    if (!near(cell.background, pen.shown_background())) {
      separate();
      append_color(text, reversed ? ColorTarget::Foreground : ColorTarget::Background, cell.background);
      (reversed ? pen.foreground : pen.background) = cell.background;
    }
    if (!blank && !near(cell.foreground, pen.shown_foreground())) {
      separate();
      append_color(text, reversed ? ColorTarget::Background : ColorTarget::Foreground, cell.foreground);
      (reversed ? pen.background : pen.foreground) = cell.foreground;
    }
    return pen;
  };
  // The default foreground cannot be set as a background color, and the default background cannot be set as a
  // foreground color. So default colors are never swapped.
  const bool defaults = cell.foreground.is_default() || cell.background.is_default() ||
                        pen_.foreground.is_default() || pen_.background.is_default();
  // If neither color is already set, swapping only adds a parameter.
  const bool may_swap = !defaults && (near(cell.background, pen_.shown_foreground()) ||
                                      (!blank && near(cell.foreground, pen_.shown_background())));
  text += "\x1b[";
  const std::size_t start = text.size();
  Pen pen = append_change(pen_.reversed && !defaults);
  if (may_swap) {
    const std::size_t length = text.size() - start;
    const Pen swapped = append_change(!pen_.reversed);
    if (text.size() - start < 2 * length) {
      text.erase(start, length);
      pen = swapped;
    } else {
      text.resize(start + length);
    }
  }
  text += 'm';
  pen_ = pen;
}

void TerminalEncoder::put(Cell& wanted, Cell& shown, std::string& text) {
  use_pen(wanted, text);
  append_utf8(text, wanted.character);
  shown = {wanted.character, is_blank(wanted.character) ? wanted.foreground : pen_.shown_foreground(),
           pen_.shown_background()};
  cursor_.column += is_wide(wanted.character) ? 2 : 1;
  if (is_width_doubtful(wanted.character)) cursor_ = {-1, -1};  // unknown: the next move must be absolute
}

std::string terminal_title(std::string_view title) {
  std::string text = "\x1b]2;";
  for (std::size_t i = 0; i < title.size(); ++i) {
    const auto byte = static_cast<unsigned char>(title[i]);
    // U+0080 to U+009F (C2 80 to C2 9F in UTF-8) are control characters too.
    const bool c1 =
        byte == 0xC2 && i + 1 < title.size() && (static_cast<unsigned char>(title[i + 1]) & 0xE0) == 0x80;
    if (c1) ++i;
    text += byte < ' ' || byte == 0x7F || c1 ? '?' : title[i];
  }
  return text + '\a';
}

std::string terminal_clipboard(std::string_view text) {
  return fmt::format("\x1b]52;c;{}\a", media::base64(text));
}

}  // namespace glyphreel::present
