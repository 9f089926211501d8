#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "present/terminal/terminal_capabilities.h"
#include "present/terminal/terminal_colors.h"
#include "present/terminal/terminal_keys.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// The terminal has a new size.
struct TerminalResized {};
/// The screen content must be drawn again: the user asked for it (Ctrl-L).
struct TerminalExposed {};
/// The program was stopped and continued: its clock must be reset, and the screen content is gone.
struct TerminalResumed {};
using TerminalEvent =
    std::variant<TerminalKey, TerminalMouse, TerminalResized, TerminalExposed, TerminalResumed>;

/// Clamps the size that a terminal reports, both sides above 0, to the largest that a screen has room for.
[[nodiscard]] GridSize usable_size(int columns, int rows);

/// The terminal on standard output, taken over for full-screen drawing and restored to its previous state
/// however the program ends. Writing never blocks: what the line does not accept is buffered here, and
/// meanwhile no frame is accepted.
///
///     events = wait_events(until the next frame is due)
///     if (can_take_frame()) show(frame, glyphs) else drop the frame
///
/// After TerminalResized, TerminalExposed and TerminalResumed, the last frame has to be shown again; it is
/// then sent whole.
/// Thread-safety: one thread, except wake().
class Terminal {
 public:
  /// Switches to the alternate screen, hides the cursor, saves the title, and reads keys unbuffered, from
  /// the terminal itself if standard input is something else. Errors: NoDevice if standard output is not a
  /// terminal; Failed if it is gone.
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Current columns and rows.
  [[nodiscard]] GridSize size() const;

  /// Returns what happened since the last call. If nothing did, waits up to `timeout_seconds` for an event,
  /// for wake(), for a signal that asks to stop, or for the line to become free after it refused a frame.
  /// Stops the program inside this call on SIGTSTP. Errors: Failed if the terminal is gone and no signal
  /// has asked the program to stop because of that.
  [[nodiscard]] Result<std::vector<TerminalEvent>> wait_events(double timeout_seconds);
  /// Ends the current wait_events(), or the next one, early. Thread-safety: any thread.
  void wake();

  /// Returns whether the line has accepted the last frame and the terminal keeps up. If not, drop the
  /// frame.
  [[nodiscard]] bool can_take_frame();
  /// Sends what has changed. Never blocks. Errors: Failed if the terminal is gone.
  [[nodiscard]] Result<void> show(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  /// Sets the palette that the picture's colors are limited to. The next frame is sent whole.
  void use_palette(TerminalColors::Palette palette);
  /// Sets the title. Control characters in it become question marks.
  void set_title(std::string_view title);

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
