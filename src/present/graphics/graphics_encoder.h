#pragma once

#include <memory>
#include <string>

#include "base/frame.h"
#include "base/geometry.h"
#include "base/picture_choices.h"
#include "present/terminal/graphics_support.h"

namespace glyphreel::present {

/// Size of a terminal.
struct GraphicsScreen {
  GridSize grid{80, 24};
  CellSize cell{8, 16};  ///< in pixels
  [[nodiscard]] Extent pixels() const { return {grid.columns * cell.width, grid.rows * cell.height}; }
};

/// A character position, from 0 at the top left.
struct ScreenPosition {
  int column = 0, row = 0;
  bool operator==(const ScreenPosition&) const = default;
};

/// Produces the escape sequences that show pictures in the middle of a terminal. Assumes that the terminal
/// receives all encoded bytes. Thread-safety: one thread at a time.
class GraphicsEncoder {
 public:
  virtual ~GraphicsEncoder() = default;

  /// Sets the terminal's size and forgets what it shows: the next picture is sent whole, on a cleared screen.
  void reset(const GraphicsScreen& screen);
  /// Returns the bytes that show a Bgra8 picture; empty if the terminal shows it already. A picture that is
  /// larger than area() is cropped.
  [[nodiscard]] std::string encode(Picture picture);

  /// Returns the size of the part of the screen that pictures can cover, in pixels.
  [[nodiscard]] virtual Extent area() const { return screen_.pixels(); }
  /// Returns the screen position of the upper left corner of a picture of this size.
  [[nodiscard]] ScreenPosition position(Extent picture) const;

 protected:
  [[nodiscard]] const GraphicsScreen& screen() const { return screen_; }
  /// Appends the bytes that replace `before`, the picture on the screen, with `picture`. `before`: null on an
  /// empty screen. encode() calls this function only if the two pictures differ.
  virtual void append(const Picture& picture, const Picture* before, ScreenPosition at,
                      std::string& bytes) = 0;
  /// Returns the bytes that delete all pictures.
  [[nodiscard]] virtual std::string clear() const { return {}; }

 private:
  GraphicsScreen screen_;
  Picture shown_;  ///< its format is None on an empty screen
  bool is_cleared_ = false;
};

/// Appends the sequence that moves the cursor.
void append_move(ScreenPosition to, std::string& bytes);

/// Makes the encoder for a protocol, Kitty or Sixel.
[[nodiscard]] std::unique_ptr<GraphicsEncoder> make_graphics_encoder(TerminalGraphics protocol,
                                                                     const GraphicsSupport& support);

}  // namespace glyphreel::present
