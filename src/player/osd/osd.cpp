#include "player/osd/osd.h"

#include <algorithm>

#include "player/osd/cell_text.h"
#include "player/osd/text_canvas.h"

namespace glyphreel::player {
namespace {

bool is_large_enough(GridSize grid) {
  return grid.columns >= SmallestOsdGrid.columns && grid.rows >= SmallestOsdGrid.rows;
}

/// Returns the area for messages and pages: the grid without its margin and without the split view's heading
/// and the progress bar. The heading and the bar take no room while they are hidden.
CellArea free_area(const OsdState& state, GridSize grid, const std::optional<ProgressBarLayout>& bar) {
  const GridSize margin = osd_margin(grid);
  const int top = (state.split ? SplitHeadingRows : 0) + margin.rows;
  const int bottom = bar ? bar->panel.row - margin.rows : grid.rows - margin.rows;
  return {margin.columns, top, grid.columns - 2 * margin.columns, bottom - top};
}

/// Draws "● 0:12" in the upper right corner. Returns the number of columns used; 0 if there is no room.
int draw_recording_mark(TextCanvas canvas, double seconds) {
  const std::string time = clock_text(seconds, seconds);
  const int columns = cell_width(time) + 4;
  if (columns > canvas.columns() || canvas.rows() < 1) return 0;
  TextCanvas panel = canvas.part({canvas.columns() - columns, 0, columns, 1});
  panel.fill(osd_colors::Panel);
  panel.print(1, 0, "●", {.foreground = osd_colors::Recording});
  panel.print(3, 0, time, BoldText);
  return columns;
}

}  // namespace

std::optional<ProgressBarLayout> visible_progress_bar(const OsdState& state, GridSize grid) {
  const bool called_for = state.now_seconds < state.progress_until_seconds;
  if (state.level < 1 || !called_for || !is_large_enough(grid)) return std::nullopt;
  return progress_bar_layout(state.playback, grid);
}

render::TextLayer lay_out_osd(const OsdState& state, GridSize grid) {
  render::TextLayer layer{grid, {}};
  if (!is_large_enough(grid)) return layer;
  layer = blank_text_layer(grid);
  TextCanvas canvas(layer);

  const std::optional<ProgressBarLayout> bar = visible_progress_bar(state, grid);
  const CellArea area = free_area(state, grid, bar);
  if (state.split) draw_split_heading(canvas, *state.split);
  if (state.page == OsdPage::Help) draw_help_page(canvas.part(area), state.help, state.help_page);
  if (state.page == OsdPage::Statistics) draw_statistics_page(canvas.part(area), state.statistics);
  if (state.level >= 1) {
    const MessageSide side = state.page == OsdPage::None ? MessageSide::Left : MessageSide::Right;
    std::vector<std::string> status;
    if (state.level >= 2 && state.page == OsdPage::None) {
      const std::string line = status_line(state.playback, state.level);
      status.push_back(cell_width(line) + 2 <= area.columns ? line : status_line(state.playback, 2));
    }
    // While buffering, the video is frozen, so show the reason. The progress bar already includes the reason.
    if (state.playback.buffering && !bar) status.push_back(buffering_text(*state.playback.buffering));
    CellArea message_area = area;
    if (state.recording_seconds) {
      // The recording mark is in the upper right corner. Messages in the upper left corner end to the left of
      // the mark. Messages in the upper right corner begin below the mark.
      const int columns = draw_recording_mark(canvas.part(area), *state.recording_seconds);
      if (side == MessageSide::Left) {
        message_area.columns -= columns;
      } else if (columns > 0) {
        ++message_area.row;
        --message_area.rows;
      }
    }
    draw_messages(canvas.part(message_area), status, state.messages, state.now_seconds, side);
  }
  // Draw the progress bar last, because the label above the bar may overlap the messages and pages.
  if (bar) draw_progress_bar(canvas, *bar, state.playback, state.mouse);

  const bool is_blank = std::all_of(layer.cells.begin(), layer.cells.end(),
                                    [](const render::TextCell& cell) { return cell.character == 0; });
  if (is_blank) layer.cells.clear();
  return layer;
}

std::optional<double> next_osd_change(const OsdState& state) {
  std::optional<double> next;
  const auto consider = [&](double time) {
    if (time > state.now_seconds && (!next || time < *next)) next = time;
  };
  if (state.level < 1) return next;
  consider(state.progress_until_seconds);
  for (const OsdMessage& message : state.messages) consider(message.until_seconds);
  return next;
}

int help_pages(const OsdState& state, GridSize grid) {
  const CellArea area = free_area(state, grid, visible_progress_bar(state, grid));
  return help_page_count(state.help, {area.columns, area.rows});
}

}  // namespace glyphreel::player
