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

/// The page shown over the picture.
enum class OsdPage { None, Help, Statistics };

/// Everything that can be on screen except subtitles. Plain values; times are in seconds on any monotonic
/// clock.
struct OsdState {
  /// As in mpv. 0: only pages, because the user asks for them. 1: also messages, and the progress bar while
  /// it is requested. 2: also the time. 3: time, duration and percentage, always.
  int level = 1;
  double now_seconds = 0;
  PlaybackFacts playback;
  double progress_until_seconds = 0;   ///< the progress bar is shown until then; set on mouse moves and seeks
  std::optional<MousePosition> mouse;  ///< empty: outside the grid, or hidden
  std::vector<OsdMessage> messages;    ///< see post_message()
  OsdPage page = OsdPage::None;
  std::vector<HelpEntry> help;
  int help_page = 0;  ///< counts from 0 and wraps around, so callers only increment it
  StatisticsFacts statistics;
  std::optional<SplitFacts> split;          ///< empty: one renderer fills the screen
  std::optional<double> recording_seconds;  ///< length of the recording in progress; empty: there is none
};

/// Smaller grids get no text: it would be illegible.
inline constexpr GridSize SmallestOsdGrid = {20, 6};

/// Lays out the whole OSD; the layer has no cells if there is nothing to show. The same state and grid give
/// the same layer.
[[nodiscard]] render::TextLayer lay_out_osd(const OsdState& state, GridSize grid);

/// Returns when, after now_seconds, the layer next changes with time alone; empty: never. A paused player
/// redraws then.
[[nodiscard]] std::optional<double> next_osd_change(const OsdState& state);

/// Returns where the progress bar is on screen now, for testing mouse clicks against it; empty if it is
/// hidden.
[[nodiscard]] std::optional<ProgressBarLayout> visible_progress_bar(const OsdState& state, GridSize grid);

/// Returns the number of help pages on this grid, so that the key that turns them can close the help after
/// the last.
[[nodiscard]] int help_pages(const OsdState& state, GridSize grid);

}  // namespace glyphreel::player
