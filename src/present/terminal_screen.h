#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.h"
#include "present/terminal_capabilities.h"
#include "present/terminal_colors.h"
#include "render/renderer.h"
#include "text/glyph_set.h"

namespace glyphreel::present {

/// What stands in a terminal's cell.
struct TerminalCell {
  /// WideRight: the right half of the wide character to the left.
  char32_t character = U' ';
  TerminalColor ink, paper;
  bool operator==(const TerminalCell&) const = default;
  static constexpr char32_t WideRight = 0xFFFF;  ///< no character
};

/// The character that a cell shows: the one place that knows what a cell's glyph is.
[[nodiscard]] char32_t character_of(const render::Cell& cell, const render::Characters& characters);

/// The escape sequences that turn what a terminal shows into the next frame: changed cells alone, the cursor
/// moved by the shortest way, colours named where they change, blanks erased where that is shorter. Pure: no
/// terminal is asked, but what was encoded is taken to be shown. Each frame begins and ends with the
/// terminal's own colours.
class TerminalScreen {
 public:
  /// `tolerance`: how far a cell's colours may be from the frame's before they are sent again, in code values
  /// of each component, 0 to 255. The error stays within it, since it counts from what was sent.
  explicit TerminalScreen(const TerminalCapabilities& capabilities, int tolerance = 0);

  /// The terminal has this size and shows nothing that is known: the next frame is sent whole.
  void start_over(GridSize size);
  [[nodiscard]] GridSize size() const { return size_; }
  /// From the next frame on; 0 to 255.
  void set_tolerance(int tolerance) { tolerance_ = tolerance; }
  /// What the picture's colours become from the next frame on.
  void use_colors(TerminalColors colors);

  /// The bytes for a frame at the top left; beyond it the terminal is blank, and what is beyond the terminal
  /// is left out. Empty where nothing changes.
  [[nodiscard]] std::string encode(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

 private:
  struct Pen {
    TerminalColor ink, paper;  ///< as named to the terminal, which swaps them while reversed
    bool reversed = false;
    [[nodiscard]] TerminalColor shown_ink() const { return reversed ? paper : ink; }
    [[nodiscard]] TerminalColor shown_paper() const { return reversed ? ink : paper; }
  };
  struct Place {
    int column = 0,
        row = 0;  ///< column == the terminal's: behind its last one, where the next character may wrap
  };

  void take(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  void mark_changes(const TerminalCell* wanted, const TerminalCell* shown,
                    std::vector<std::uint8_t>& changed) const;
  void encode_row(int row, std::string& text);
  int erase_length(int row, int column, int end) const;
  void move_to(Place target, std::string& text);
  void use_pen(const TerminalCell& cell, std::string& text);
  bool try_rewriting(int row, int from, int to, std::string& text);
  void put(TerminalCell& wanted, TerminalCell& shown, std::string& text);
  [[nodiscard]] bool near(TerminalColor a, TerminalColor b) const;
  [[nodiscard]] bool same_look(const TerminalCell& wanted, const TerminalCell& shown) const;
  [[nodiscard]] bool pen_fits(const TerminalCell& cell) const;
  TerminalCell* row_of(std::vector<TerminalCell>& cells, int row) const;

  TerminalCapabilities capabilities_;
  int tolerance_;
  TerminalColors colors_;
  GridSize size_;
  bool unknown_ = true;               ///< what the terminal shows
  std::vector<TerminalCell> shown_;   ///< of size_
  std::vector<TerminalCell> wanted_;  ///< of size_
  std::vector<std::uint8_t> changed_;
  Pen pen_;
  Place cursor_;
};

/// The escape sequence that sets a terminal window's title; control characters in it become question marks.
/// Pure.
[[nodiscard]] std::string terminal_title(std::string_view title);

}  // namespace glyphreel::present
