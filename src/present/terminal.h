#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// How a terminal is told its colours: by number where they are in the palette, else by red, green and blue.
class TerminalColors {
 public:
  enum class Palette { None, Ansi16, Ansi256 };
  explicit TerminalColors(Palette palette = Palette::None);

  enum class Target { Ink, Paper };
  /// Appends the control sequence that makes a 0xRRGGBB colour (the top byte does not count) the current one.
  void append(std::string& text, Target target, std::uint32_t color) const;

 private:
  Palette palette_;
  std::unordered_map<std::uint32_t, int> numbers_;  ///< of the palette's colours
};

/// The escape sequences that draw a grid at the top left of a terminal: colours are named only where they change, rows
/// end by moving, the cursor is left below. Both cells of a wide character are its left one's. Pure, for tests.
[[nodiscard]] std::string terminal_frame(const render::RenderedFrame& frame, const text::GlyphSet& glyphs,
                                         const TerminalColors& colors);

/// The escape sequence that sets a terminal window's title; control characters in it become question marks. Pure.
[[nodiscard]] std::string terminal_title(std::string_view title);

/// The terminal on standard output, taken over for full-screen drawing and given back as it was found.
/// Thread-safety: one thread.
class Terminal {
 public:
  /// Switches to the alternate screen, hides the cursor, remembers the title, and reads keys unbuffered.
  /// Errors: NoDevice where standard output is no terminal.
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Columns and rows now.
  [[nodiscard]] GridSize size() const;
  /// Keys pressed since the last call, by mpv's names; waits at most `timeout_seconds` for one, or for wake().
  [[nodiscard]] std::vector<std::string> wait_keys(double timeout_seconds);
  /// Ends a wait_keys() early, or the next one. Any thread.
  void wake();
  /// Clears the screen: after a change of size.
  void clear();
  /// Errors: Failed where the terminal is gone.
  [[nodiscard]] Result<void> write(const std::string& bytes);

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
