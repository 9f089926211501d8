#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "present/terminal/graphics_support.h"
#include "present/terminal/terminal_capabilities.h"
#include "present/terminal/terminal_colors.h"
#include "present/terminal/terminal_keys.h"
#include "render/renderer.h"
#include "text/charset.h"

namespace glyphreel::present {

/// The terminal has a new size.
struct TerminalResized {};
/// The user has pressed Ctrl-L: the screen must be redrawn.
struct TerminalExposed {};
/// The program was suspended and continued: its clock must be reset, and the screen must be redrawn.
struct TerminalResumed {};
using TerminalEvent =
    std::variant<TerminalKey, TerminalMouse, TerminalResized, TerminalExposed, TerminalResumed>;

/// Returns the size that a terminal reports, limited to 1000 columns and 500 rows. `columns` and `rows` must
/// be positive.
[[nodiscard]] GridSize usable_size(int columns, int rows);

/// Draws full-screen on the terminal on standard output. Restores the terminal's previous state even if the
/// program crashes. Writing never blocks: bytes that the terminal does not accept yet stay in a buffer, and
/// no frame is accepted until they are written.
///
///     events = wait_events(until the next frame is due)
///     if (can_take_frame()) show(frame, glyphs) else keep the frame, or replace it with a newer frame
///
/// After TerminalResized, TerminalExposed and TerminalResumed, show the last frame again; all of its cells
/// are then sent.
/// Thread-safety: one thread, except wake().
class Terminal {
 public:
  /// What the terminal shows: cells, by show(), or pictures, by send_picture().
  enum class Content { Cells, Pictures };
  /// Asks the terminal on standard output which graphics it supports. Waits at most one second for the
  /// answers, and restores the terminal's settings. Returns no graphics if standard output is not a terminal
  /// or the terminal does not answer. Call it before open().
  [[nodiscard]] static GraphicsSupport probe_graphics();
  /// Switches to the alternate screen, hides the cursor, saves the title, and reads keys unbuffered. If
  /// standard input is not a terminal, reads keys from the terminal on standard output. Errors: NoDevice if
  /// standard output is not a terminal; Failed if the connection to the terminal was lost.
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open(Content content = Content::Cells);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Returns the current columns and rows.
  [[nodiscard]] GridSize size() const;
  /// Returns size() in pixels; 0x0 if the terminal does not report it.
  [[nodiscard]] Extent pixels() const;

  /// Returns the characters that the terminal shows with an unexpected width; empty if the terminal does not
  /// report its cursor position.
  [[nodiscard]] const std::vector<text::CharacterRange>& missing_characters() const;

  /// Returns the events since the last call. If there are none, waits up to `timeout_seconds` for an event,
  /// for wake(), or for a signal that asks the program to end. After can_take_frame() has returned false,
  /// also returns as soon as can_take_frame() would return true. On SIGTSTP, the program is suspended inside
  /// this call. Errors: Failed if the connection to the terminal was lost and no signal has asked the program
  /// to end.
  [[nodiscard]] Result<std::vector<TerminalEvent>> wait_events(double timeout_seconds);
  /// Makes the current or the next wait_events() return early. Thread-safety: any thread.
  void wake();

  /// Returns whether show() may be called: the terminal has accepted the last frame completely and, if it
  /// answers queries, TerminalLine permits another frame. If not, keep the next frame and call show() later,
  /// with that frame or a newer one.
  [[nodiscard]] bool can_take_frame();
  /// Sends the cells that have changed. Never blocks. Errors: Failed if the connection to the terminal was
  /// lost.
  [[nodiscard]] Result<void> show(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  /// Sends the bytes that show a picture; see GraphicsEncoder. Never blocks. Errors: those of show().
  [[nodiscard]] Result<void> send_picture(const std::string& bytes);
  /// Sets the palette that the colors of mapped cells are limited to; see TerminalColors. All cells of the
  /// next frame are sent.
  void use_palette(TerminalColors::Palette palette);
  /// Sets the terminal's title. Replaces control characters with question marks.
  void set_title(std::string_view title);
  /// Replaces the content of the desktop's clipboard, if the terminal permits this.
  void copy_to_clipboard(std::string_view text);

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
