#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "present/terminal/terminal_capabilities.h"
#include "present/terminal/terminal_colors.h"
#include "render/renderer.h"
#include "text/glyph_set.h"

namespace glyphreel::present {

/// Produces the escape sequences that turn what a terminal shows into the next frame. Only changed cells
/// are sent, the cursor takes the shortest way, colors are set only where they change, and blanks are
/// erased where that is shorter. Each frame begins and ends with the terminal's default colors. Pure: no
/// terminal is queried, and what was encoded is assumed to be shown.
class TerminalEncoder {
 public:
  explicit TerminalEncoder(const TerminalCapabilities& capabilities);

  /// Sets the terminal's size and forgets what it shows: the next frame is sent whole.
  void reset(GridSize size);
  /// Sets how far a cell's colors may be from the frame's before they are sent again, in code values per
  /// component, 0 to 255. The error never exceeds it, since it is measured from what was sent.
  void set_tolerance(int tolerance) { tolerance_ = tolerance; }
  /// Sets the color mapping from the next frame on.
  void use_colors(TerminalColors colors);

  /// Returns the bytes for a frame at the top left. The rest of the terminal is blank, and what does not
  /// fit on it is cropped. Empty if nothing changes.
  [[nodiscard]] std::string encode(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

 private:
  /// Content of one terminal cell.
  struct Cell {
    char32_t character = U' ';
    TerminalColor foreground, background;
  };
  struct Pen {
    TerminalColor foreground, background;  ///< as sent to the terminal, which swaps them while reversed
    bool reversed = false;
    [[nodiscard]] TerminalColor shown_foreground() const { return reversed ? background : foreground; }
    [[nodiscard]] TerminalColor shown_background() const { return reversed ? foreground : background; }
  };
  struct Place {
    /// column == the terminal's columns: past the last one, where the next character may wrap.
    int column = 0, row = 0;
  };

  void set_wanted(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  void mark_changes(const Cell* wanted, const Cell* shown);
  void encode_row(int row, std::string& text);
  int erase_length(int row, int column) const;
  void move_to(Place target, std::string& text);
  void use_pen(const Cell& cell, std::string& text);
  bool try_rewriting(int row, int from, int to, std::string& text);
  void put(Cell& wanted, Cell& shown, std::string& text);
  [[nodiscard]] bool near(TerminalColor a, TerminalColor b) const;
  [[nodiscard]] bool looks_equal(const Cell& wanted, const Cell& shown) const;
  [[nodiscard]] bool pen_fits(const Cell& cell) const;
  Cell* row_of(std::vector<Cell>& cells, int row) const;

  TerminalCapabilities capabilities_;
  int tolerance_ = 0;
  TerminalColors colors_;
  GridSize size_;
  bool unknown_ = true;                ///< the content of the terminal is unknown
  std::vector<Cell> shown_;            ///< size_.cells() of them
  std::vector<Cell> wanted_;           ///< size_.cells() of them
  std::vector<std::uint8_t> changed_;  ///< of the row being encoded: 1 for cells to write
  Pen pen_;
  Place cursor_;
};

/// Returns the escape sequence that sets a terminal window's title; control characters in it become
/// question marks. Pure.
[[nodiscard]] std::string terminal_title(std::string_view title);

}  // namespace glyphreel::present
