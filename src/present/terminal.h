#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "base/result.h"
#include "render/renderer.h"

namespace glyphreel::present {

/// The escape sequences that draw a grid at the top left of a true-colour terminal: colours are named only where they
/// change, rows end by moving, the cursor is left below. Pure, for tests.
[[nodiscard]] std::string terminal_frame(const render::RenderedFrame& frame, const text::GlyphSet& glyphs);

/// The terminal on standard output, taken over for full-screen drawing and given back as it was found.
/// Thread-safety: one thread.
class Terminal {
 public:
  /// Switches to the alternate screen, hides the cursor, and reads keys unbuffered.
  /// Errors: NoDevice where standard output is no terminal.
  [[nodiscard]] static Result<std::unique_ptr<Terminal>> open();
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  /// Columns and rows now.
  [[nodiscard]] GridSize size() const;
  /// Keys pressed since the last call, by mpv's names; waits at most `timeout_seconds` for one.
  [[nodiscard]] std::vector<std::string> wait_keys(double timeout_seconds);
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
