#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/geometry.h"
#include "player/osd/help_page.h"
#include "player/osd/message.h"
#include "player/osd/progress_bar.h"
#include "player/osd/split_heading.h"
#include "player/osd/statistics_page.h"
#include "render/text_layer.h"

namespace glyphreel::player {

/// The page that lies over the picture.
enum class OsdPage { None, Help, Statistics };

/// Everything that can be on screen but subtitles. Plain values; times are seconds on any clock that does not
/// jump.
struct OsdState {
  /// mpv's: 0: pages alone, because they are asked for; 1: messages, and the progress bar while it is called
  /// for; 2: the time too; 3: time, duration and percentage, and the progress bar's line of them always.
  int level = 1;
  double now_seconds = 0;
  PlaybackFacts playback;
  double progress_until_seconds =
      0;                            ///< the progress bar is shown until then: set it at mouse moves and seeks
  std::optional<MousePlace> mouse;  ///< empty: outside, or hidden
  std::vector<OsdMessage> messages;  ///< see post_message()
  OsdPage page = OsdPage::None;
  std::vector<HelpEntry> help;
  int help_page = 0;  ///< counted from 0; wraps around, so it need only be raised
  StatisticsFacts statistics;
  std::optional<SplitFacts> split;          ///< empty: one renderer fills the screen
  std::optional<double> recording_seconds;  ///< so long the recording under way is; empty: there is none
};

/// Smaller grids get no text: it could not be read.
inline constexpr GridSize SmallestOsdGrid = {20, 6};

/// All of it laid out; no cells where there is nothing to show. The same state and grid give the same layer.
[[nodiscard]] render::TextLayer lay_out_osd(const OsdState& state, GridSize grid);

/// When the layer changes by the mere passing of time, after now_seconds; empty: it does not. A player that
/// is paused draws again then.
[[nodiscard]] std::optional<double> next_osd_change(const OsdState& state);

/// Where the progress bar is on screen now; empty: it is not. What mouse clicks are to be tested against.
[[nodiscard]] std::optional<ProgressBarLayout> visible_progress_bar(const OsdState& state, GridSize grid);

/// How many pages the help has on the grid, so that the key that turns them can close it after the last.
[[nodiscard]] int help_pages(const OsdState& state, GridSize grid);

}  // namespace glyphreel::player
