#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "present/terminal_capabilities.h"
#include "present/terminal_colors.h"
#include "present/terminal_keys.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// The terminal has a new size.
struct TerminalResized {
  GridSize size;
};
/// What was shown is gone: the user asked for it again (ctrl-L).
struct TerminalExposed {};
/// The program had been stopped and was continued: its clock has to be set anew, and what was shown is gone.
struct TerminalResumed {};
using TerminalEvent =
    std::variant<TerminalKey, TerminalMouse, TerminalResized, TerminalExposed, TerminalResumed>;

/// Clamps the size that a terminal reports, both sides above 0, to what a screen has room for.
[[nodiscard]] GridSize usable_size(int columns, int rows);

/// The terminal on standard output, taken over for full-screen drawing and given back as it was found,
/// whatever ends the program. Writing never blocks: what the line does not take waits here, and meanwhile no
/// frame is taken.
///
///     events = wait_events(until the next frame is due)
///     if (can_take_frame()) show(frame, glyphs) else drop the frame
///
/// After TerminalResized, TerminalExposed and TerminalResumed the last frame has to be shown again, all of
/// which is sent then. Thread-safety: one thread, but for wake().
class Terminal {
 public:
  struct Options {
    bool mouse = true;  ///< ask for the mouse's reports
    /// See TerminalScreen. 3 is the least difference that eyes see between flat fields, and halves what is
    /// sent.
    int color_tolerance = 3;
    int most_color_tolerance = 12;  ///< while the line is too slow for every frame
  };

  /// What the terminal that the environment tells of can do; it is not asked.
  [[nodiscard]] static TerminalCapabilities expected_capabilities();

  /// Switches to the alternate screen, hides the cursor, remembers the title, and reads keys unbuffered; from
  /// the terminal itself where standard input is something else. Errors: NoDevice where standard output is no
  /// terminal; Failed where it is gone.
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open(const Options& options);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] const TerminalCapabilities& capabilities() const;
  /// Columns and rows now.
  [[nodiscard]] GridSize size() const;

  /// What happened since the last call; where nothing did, waits at most `timeout_seconds` for something, for
  /// wake(), for a signal that asks to stop, or for the line where it refused a frame. Stops the program
  /// within where SIGTSTP came. Errors: Failed where the terminal is gone and no signal told the program to
  /// stop for it.
  [[nodiscard]] Result<std::vector<TerminalEvent>> wait_events(double timeout_seconds);
  /// Ends a wait_events() early, or the next one. Any thread.
  void wake();

  /// Whether the line has taken the last frame and the terminal keeps up: if not, the frame is to be dropped.
  [[nodiscard]] bool can_take_frame();
  /// Sends what changes. Never blocks. Errors: Failed where the terminal is gone.
  [[nodiscard]] Result<void> show(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);
  /// The next frame is sent whole.
  void redraw();
  /// The palette that the picture's colours are limited to.
  void use_palette(TerminalColors::Palette palette);
  /// Control characters in it become question marks.
  void set_title(std::string_view title);

  struct Traffic {
    std::uint64_t bytes = 0;   ///< taken by the line
    std::uint64_t frames = 0;  ///< shown
    bool answers = false;      ///< the terminal tells when it has shown a frame
  };
  [[nodiscard]] Traffic traffic() const;

 private:
  struct State;
  explicit Terminal(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace glyphreel::present
