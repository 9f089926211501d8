#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "player/osd/text_canvas.h"

namespace glyphreel::player {

struct Chapter {
  double start_seconds = 0;
  std::string title;  ///< may be empty
};

/// A part of the input's time, [begin, end).
struct TimeSpan {
  double begin_seconds = 0, end_seconds = 0;
};

/// Where playing stands. Seconds of the input's time, from its beginning.
struct PlaybackFacts {
  std::string title;
  double position_seconds = 0;
  std::optional<double> duration_seconds;  ///< empty: unknown, as of a live input
  bool paused = false;
  double speed = 1;
  std::vector<Chapter> chapters;  ///< by their starts
  std::vector<TimeSpan> cached;   ///< at hand without the network
  std::optional<double> loop_a_seconds, loop_b_seconds;
  std::optional<double> buffering;  ///< 0 to 1 while playing waits for the network
};

/// Cells left free around panels: none on small grids.
struct OsdMargin {
  int columns = 0, rows = 0;
};
[[nodiscard]] OsdMargin osd_margin(GridSize grid);

/// Where the mouse is, in cells from the grid's top left corner; a terminal, which knows the cell alone, adds
/// one half.
struct MousePlace {
  double column = 0, row = 0;
};

/// Places of the progress bar in the grid.
struct ProgressBarLayout {
  CellArea panel;
  CellArea bar;                 ///< one row; no columns: there is no bar, because the duration is unknown
  double duration_seconds = 0;  ///< what all of the bar stands for; 0 without one
  bool operator==(const ProgressBarLayout&) const = default;
};

/// Empty where the grid has no room for it. Depends on the duration's length in characters, not on the
/// position.
[[nodiscard]] std::optional<ProgressBarLayout> progress_bar_layout(const PlaybackFacts& playback,
                                                                   GridSize grid);

/// Whether a click there is for the bar.
[[nodiscard]] bool hits_bar(const ProgressBarLayout& layout, MousePlace mouse);

/// What a click at `column` (as in MousePlace) seeks to: where the bar would then end; clamped to the bar,
/// for drags that leave it. Empty without a bar.
[[nodiscard]] std::optional<double> seconds_at(const ProgressBarLayout& layout, double column);

/// `canvas` is all of the grid. Over the bar the mouse shows the time, and the chapter, that a click seeks
/// to.
void draw_progress_bar(TextCanvas canvas, const ProgressBarLayout& layout, const PlaybackFacts& playback,
                       std::optional<MousePlace> mouse);

/// Seconds as m:ss, or h:mm:ss where `longest_seconds` is an hour or more; "-:--" where they are no number.
[[nodiscard]] std::string clock_text(double seconds, double longest_seconds);

/// "buffering 40 %" of a fraction from 0 to 1.
[[nodiscard]] std::string buffering_text(double fraction);

/// Level 2: "► 1:23"; level 3: "► 1:23 / 9:56 (13 %)", and the speed where it is not 1.
[[nodiscard]] std::string status_line(const PlaybackFacts& playback, int level);

}  // namespace glyphreel::player
