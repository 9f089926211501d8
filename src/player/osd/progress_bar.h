#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "media/stream/video_facts.h"
#include "player/osd/text_canvas.h"

namespace glyphreel::player {

using Chapter = media::VideoFacts::Chapter;

/// The playback state that the OSD shows. Times are in seconds from the beginning of the input.
struct PlaybackFacts {
  std::string title;
  double position_seconds = 0;
  std::optional<double> duration_seconds;  ///< empty: unknown, as for a live input
  bool paused = false;
  double speed = 1;
  std::vector<Chapter> chapters;  ///< sorted by start
  std::optional<double> loop_a_seconds, loop_b_seconds;
  std::optional<double> buffering;  ///< progress of buffering, 0 to 1; empty: not buffering
};

/// Returns the margin around panels: columns on the left and right, rows at the top and bottom. Small grids
/// have no margin.
[[nodiscard]] GridSize osd_margin(GridSize grid);

/// The mouse position in cells from the grid's top left corner. A terminal reports only the cell; the center
/// of the cell is used.
struct MousePosition {
  double column = 0, row = 0;
};

/// The areas of the progress bar in the grid.
struct ProgressBarLayout {
  CellArea panel;
  CellArea bar;                 ///< one row; no columns if the duration is unknown or there is no room
  double duration_seconds = 0;  ///< the time that the whole bar covers; 0 if there is no bar
  bool operator==(const ProgressBarLayout&) const = default;
};

/// Returns the layout; empty if the grid has no room. The layout depends on the duration and the length of
/// the duration's text, but not on the playback position.
[[nodiscard]] std::optional<ProgressBarLayout> progress_bar_layout(const PlaybackFacts& playback,
                                                                   GridSize grid);

/// Whether a click at this position hits the bar.
[[nodiscard]] bool hits_bar(const ProgressBarLayout& layout, MousePosition mouse);

/// Returns the time that a click at `column` (as in MousePosition) seeks to: the time at which the filled
/// part of the bar ends at `column`. A drag may leave the bar, so `column` is clamped to the bar. Empty if
/// there is no bar.
[[nodiscard]] std::optional<double> seconds_at(const ProgressBarLayout& layout, double column);

/// Draws the bar; `canvas` is the whole grid. While the mouse is over the bar, a label shows the time and
/// the chapter that a click seeks to.
void draw_progress_bar(TextCanvas canvas, const ProgressBarLayout& layout, const PlaybackFacts& playback,
                       std::optional<MousePosition> mouse);

/// Formats `seconds` as m:ss, or as h:mm:ss if `seconds` or `longest_seconds` is an hour or more. Returns
/// "-:--" if `seconds` is 1e9 or more, or not finite.
[[nodiscard]] std::string clock_text(double seconds, double longest_seconds);

/// Formats a fraction from 0 to 1 as "buffering 40 %".
[[nodiscard]] std::string buffering_text(double fraction);

/// Returns "► 1:23" at level 2. Level 3: "► 1:23 / 9:56 (13 %)", and the speed if it is not 1.
[[nodiscard]] std::string status_line(const PlaybackFacts& playback, int level);

}  // namespace glyphreel::player
