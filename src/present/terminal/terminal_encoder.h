#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "present/terminal/terminal_capabilities.h"
#include "present/terminal/terminal_colors.h"
#include "render/renderer.h"
#include "text/charset.h"
#include "text/glyph_set.h"

namespace glyphreel::present {

/// Produces the escape sequences that change the content of a terminal to the next frame. Sends only changed
/// cells, moves the cursor by the shortest sequence, sets colors only where they change, and erases blanks
/// where that is shorter. Each frame begins and ends with the terminal's default colors. Pure: queries no
/// terminal, and assumes that the terminal shows all that was encoded.
class TerminalEncoder {
 public:
  explicit TerminalEncoder(const TerminalCapabilities& capabilities);

  /// Sets the terminal's size and discards the recorded content: all cells of the next frame are sent.
  void reset(GridSize size);
  /// Sets the maximum difference between a cell's color on the terminal and in the frame, in code values per
  /// component, 0 to 255. A color that differs by at most `tolerance` is not sent again. Differences are
  /// measured from the color last sent, so errors do not add up. Still, a shape that moves across a flat area
  /// leaves a trail, so each row is sent without tolerance once in RefreshPeriod frames.
  void set_tolerance(int tolerance) { tolerance_ = tolerance; }
  /// Characters in these ranges, which the terminal does not show in the right width, become question marks.
  void set_missing(std::vector<text::CharacterRange> missing) { missing_ = std::move(missing); }
  /// Sets the color mapping from the next frame on.
  void use_colors(TerminalColors colors);

  /// Returns the bytes that show a frame at the top left. Cells outside the frame become blank, and a frame
  /// larger than the terminal is cropped. Empty if nothing changes.
  [[nodiscard]] std::string encode(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  /// Returns the bytes that show the last encoded frame without tolerance. Call it if no new frame follows
  /// soon. Empty if nothing changes or the content of the terminal is unknown.
  [[nodiscard]] std::string refresh();

  static constexpr int RefreshPeriod = 24;  // frames

 private:
  /// Content of one terminal cell.
  struct Cell {
    char32_t character = U' ';
    TerminalColor foreground, background;
  };
  struct Pen {
    TerminalColor foreground, background;  ///< as sent; the terminal swaps them while `reversed`
    bool reversed = false;
    [[nodiscard]] TerminalColor shown_foreground() const { return reversed ? background : foreground; }
    [[nodiscard]] TerminalColor shown_background() const { return reversed ? foreground : background; }
  };
  struct CursorPosition {
    /// After a character was written to the last column, `column` equals the number of columns: the next
    /// character may wrap.
    int column = 0, row = 0;
  };

  std::string encode_changes();
  void set_wanted(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  void mark_changes(const Cell* wanted, const Cell* shown);
  void encode_row(int row, std::string& text);
  int erase_length(int row, int column) const;
  void move_to(CursorPosition target, std::string& text);
  void use_pen(const Cell& cell, std::string& text);
  bool try_rewriting(int row, int from, int to, std::string& text);
  void put(Cell& wanted, Cell& shown, std::string& text);
  [[nodiscard]] bool near(TerminalColor a, TerminalColor b) const;
  [[nodiscard]] bool looks_equal(const Cell& wanted, const Cell& shown) const;
  [[nodiscard]] bool is_missing(char32_t character) const;
  [[nodiscard]] bool pen_fits(const Cell& cell) const;
  Cell* row_of(std::vector<Cell>& cells, int row) const;

  TerminalCapabilities capabilities_;
  int tolerance_ = 0;
  int row_tolerance_ = 0;  ///< for the row being encoded: tolerance_, or 0 if it is refreshed
  int turn_ = 0;           ///< 0 to RefreshPeriod - 1: selects the rows to refresh
  TerminalColors colors_;
  std::vector<text::CharacterRange> missing_;
  GridSize size_;
  bool unknown_ = true;                ///< whether the content of the terminal is unknown
  std::vector<Cell> shown_;            ///< content of the terminal: size_.cells() cells
  std::vector<Cell> wanted_;           ///< content of the next frame: size_.cells() cells
  std::vector<std::uint8_t> changed_;  ///< for the row being encoded: 1 for cells to write
  Pen pen_;
  CursorPosition cursor_;
};

/// Returns the escape sequence that sets a terminal window's title. Replaces control characters in the title
/// with question marks. Pure.
[[nodiscard]] std::string terminal_title(std::string_view title);

/// Returns the escape sequence OSC 52, with which terminals put a text on the desktop's clipboard. Pure.
[[nodiscard]] std::string terminal_clipboard(std::string_view text);

}  // namespace glyphreel::present
