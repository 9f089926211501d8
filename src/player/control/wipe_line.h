#pragma once

#include <optional>

#include "base/geometry.h"
#include "player/osd/progress_bar.h"

namespace glyphreel::player {

/// The vertical line of the wipe: the source video is to its left, text to its right. The mouse can drag it.
/// Thread-safety: one thread at a time.
class WipeLine {
 public:
  /// `share`: the value of --wipe; empty: the wipe is off.
  explicit WipeLine(std::optional<double> share) : is_on_(share.has_value()), share_(share.value_or(0.5)) {}

  [[nodiscard]] bool is_on() const { return is_on_; }
  void set_on(bool is_on);
  /// Returns the fraction of the width, from the left, that shows the source video.
  [[nodiscard]] double share() const { return share_; }
  void set_share(double share) { share_ = share; }

  [[nodiscard]] bool is_dragged() const { return is_dragged_; }
  /// Moves the line if the mouse drags it. `position`: in cells; empty: outside the grid. `grid`: 0x0 before
  /// the first frame.
  void move_mouse(std::optional<MousePosition> position, GridSize grid);
  /// Call this when the left mouse button is pressed: starts dragging if the mouse is on the line. Returns
  /// whether the line is dragged.
  bool press(GridSize grid, CellSize cell);
  void release() { is_dragged_ = false; }

 private:
  bool is_on_;
  double share_;
  bool is_dragged_ = false;
  std::optional<MousePosition> mouse_;
};

}  // namespace glyphreel::player
