#include "player/osd/recording_mark.h"

#include <string>

#include "player/osd/cell_text.h"
#include "player/osd/progress_bar.h"

namespace glyphreel::player {

int draw_recording_mark(TextCanvas canvas, double seconds) {
  const std::string time = clock_text(seconds, seconds);
  const int columns = cell_width(time) + 4;
  if (columns > canvas.columns() || canvas.rows() < 1) return 0;
  TextCanvas panel = canvas.part({canvas.columns() - columns, 0, columns, 1});
  panel.fill(palette::Panel);
  panel.print(1, 0, "●", {.foreground = palette::Recording});
  panel.print(3, 0, time, BoldText);
  return columns;
}

}  // namespace glyphreel::player
