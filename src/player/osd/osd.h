#pragma once

#include <optional>
#include <vector>

#include "base/geometry.h"
#include "player/osd/help_page.h"
#include "player/osd/message.h"
#include "player/osd/progress_bar.h"
#include "player/osd/split_heading.h"
#include "player/osd/statistics_page.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// The page shown over the video.
enum class OsdPage { None, Help, Statistics };

/// The content of the on-screen display: everything over the video except subtitles. Times are in seconds on
/// any monotonic clock.
struct OsdState {
  /// Level of detail, as in mpv. 0: only pages and the split view's heading. 1: also messages, and the
  /// progress bar for a while after a seek or a mouse move. 2: also the time. 3: also duration and
  /// percentage.
  int level = 1;
  double now_seconds = 0;
  PlaybackFacts playback;
  double progress_until_seconds = 0;   ///< when to hide the progress bar; set on mouse moves and seeks
  std::optional<MousePosition> mouse;  ///< empty: the mouse is outside the grid, or hidden
  std::vector<OsdMessage> messages;    ///< see post_message()
  OsdPage page = OsdPage::None;
  std::vector<HelpEntry> help;
  int help_page = 0;  ///< counts from 0 and wraps around, so callers only increment it
  StatisticsFacts statistics;
  std::optional<SplitFacts> split;          ///< empty: one renderer fills the screen
  std::optional<double> recording_seconds;  ///< duration of the recording in progress; empty: no recording
};

/// On smaller grids, the OSD shows nothing, because its text would be illegible.
inline constexpr GridSize SmallestOsdGrid = {20, 6};

/// Lays out the whole OSD. The layer has no cells if there is nothing to show. The result depends only on
/// `state` and `grid`.
[[nodiscard]] render::TextLayer lay_out_osd(const OsdState& state, GridSize grid);

/// Returns the next time after now_seconds at which the progress bar or a message disappears, so that a
/// paused player knows when to redraw; empty if nothing will disappear.
[[nodiscard]] std::optional<double> next_osd_change(const OsdState& state);

/// Returns the layout of the progress bar, to test mouse clicks against it; empty if the bar is hidden.
[[nodiscard]] std::optional<ProgressBarLayout> visible_progress_bar(const OsdState& state, GridSize grid);

/// Returns the number of help pages on this grid. The help key closes the help after the last page.
[[nodiscard]] int help_pages(const OsdState& state, GridSize grid);

}  // namespace glyphreel::player
