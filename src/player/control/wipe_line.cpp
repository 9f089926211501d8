#include "player/control/wipe_line.h"

#include <algorithm>
#include <cmath>

namespace glyphreel::player {
namespace {

constexpr double Reach = 12;  // a mouse press at most this many pixels from the line starts a drag

}  // namespace

void WipeLine::set_on(bool is_on) {
  is_on_ = is_on;
  is_dragged_ = false;
}

void WipeLine::move_mouse(std::optional<MousePosition> position, GridSize grid) {
  mouse_ = position;
  if (is_dragged_ && position && grid.columns > 0)
    share_ = std::clamp(position->column / grid.columns, 0.0, 1.0);
}

bool WipeLine::press(GridSize grid, CellSize cell) {
  if (!mouse_) return false;
  const double pixels = (mouse_->column - share_ * grid.columns) * cell.width;
  const bool is_inside = mouse_->row >= 0 && mouse_->row < grid.rows;
  is_dragged_ = is_inside && std::abs(pixels) <= Reach;
  return is_dragged_;
}

}  // namespace glyphreel::player
