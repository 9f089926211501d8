#include "player/osd/progress_bar.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "player/osd/cell_text.h"

namespace glyphreel::player {
namespace {

constexpr int IconColumns = 3;  // up to two columns for the icon, and a space
constexpr int MinBar = 4;       // a shorter bar shows nothing useful
constexpr const char* PlayIcon = "►";
constexpr const char* PauseIcon = "▌▌";

/// Which parts of the panel fit on the grid.
struct BarRoom {
  int gap = 1;  // columns between the times and the bar, and at the edges
  bool has_title = false;
  bool has_duration = false;
};

BarRoom room_of(GridSize grid) {
  return {.gap = grid.columns >= 40 ? 2 : 1, .has_title = grid.rows >= 8, .has_duration = grid.columns >= 30};
}

double known_duration(const PlaybackFacts& playback) {
  const double duration = playback.duration_seconds.value_or(0);
  return std::isfinite(duration) && duration > 0 ? duration : 0;
}

double longest_time(const PlaybackFacts& playback) {
  return std::max(known_duration(playback), playback.duration_seconds ? 0 : playback.position_seconds);
}

double percent_of(const PlaybackFacts& playback) {
  const double duration = known_duration(playback);
  if (duration <= 0 || !std::isfinite(playback.position_seconds)) return 0;
  return std::clamp(std::floor(playback.position_seconds / duration * 100), 0.0, 100.0);
}

/// Returns the chapter that contains a time; null before the first chapter.
const Chapter* chapter_at(const std::vector<Chapter>& chapters, double seconds) {
  const Chapter* found = nullptr;
  for (const Chapter& chapter : chapters) {
    if (chapter.start_seconds <= seconds) found = &chapter;
  }
  return found;
}

std::string chapter_name(const std::vector<Chapter>& chapters, const Chapter& chapter) {
  if (!chapter.title.empty()) return chapter.title;
  return fmt::format("Chapter {}", &chapter - chapters.data() + 1);
}

std::string speed_text(double speed) {
  return fmt::format("{:.4g}x", speed);
}

/// Draws the bar with its marks. `hover_column`: column of the mouse; empty if the mouse is not over the bar.
void draw_bar(TextCanvas bar, const PlaybackFacts& playback, double duration,
              std::optional<double> hover_column) {
  const double played = std::clamp(playback.position_seconds / duration, 0.0, 1.0);
  const auto filled_eighths = std::isfinite(played) ? std::lround(played * bar.columns() * 8) : 0;
  bar.bar(0, 0, bar.columns(), played);
  // A cell has only two colors, so it cannot show both a mark and the partial block at the end of the played
  // part. The mark replaces the partial block.
  const auto mark_column = [&](int column, char32_t character, std::uint32_t on_track) {
    const bool is_played = filled_eighths >= column * 8 + 4;
    bar.put(column, 0, character,
            {.foreground = is_played ? osd_colors::Dark : on_track,
             .bold = true,
             .backdrop = Backdrop{is_played ? osd_colors::Accent : osd_colors::Track, 255}});
  };
  // Marks the cell that contains the time. A time equal to the duration is in the last cell.
  const auto mark = [&](double seconds, char32_t character, std::uint32_t on_track) {
    if (!(seconds >= 0 && seconds <= duration)) return;
    const auto column = static_cast<int>(seconds / duration * bar.columns());
    mark_column(std::min(column, bar.columns() - 1), character, on_track);
  };
  for (const Chapter& chapter : playback.chapters) {
    if (chapter.start_seconds > 0) mark(chapter.start_seconds, U'▏', osd_colors::Dark);
  }
  if (playback.loop_a_seconds) mark(*playback.loop_a_seconds, U'A', osd_colors::Highlight);
  if (playback.loop_b_seconds) mark(*playback.loop_b_seconds, U'B', osd_colors::Highlight);
  if (hover_column) mark_column(static_cast<int>(*hover_column), U'│', osd_colors::Highlight);
}

/// Draws a label above the mouse. The label shows the time that a click seeks to, and the chapter at that
/// time. `column`: the mouse's column.
void draw_hover_label(TextCanvas canvas, const ProgressBarLayout& layout, const PlaybackFacts& playback,
                      double column) {
  const double seconds = seconds_at(layout, column).value_or(0);
  std::string text = clock_text(seconds, layout.duration_seconds);
  if (const Chapter* chapter = chapter_at(playback.chapters, seconds); chapter != nullptr) {
    text += "  " + chapter_name(playback.chapters, *chapter);
  }
  const std::u32string label = shortened(cell_text(text), layout.panel.columns - 2);
  const int width = cell_width(label) + 2;
  const int left = static_cast<int>(column) - width / 2;
  const int row = std::max(layout.panel.row - 1, 0);
  const int at = std::clamp(left, layout.panel.column, layout.panel.right() - width);
  canvas.part({at, row, width, 1}).fill(osd_colors::Raised);
  canvas.print(at + 1, row, std::u32string_view(label), BoldText);
}

void draw_title(TextCanvas row, const PlaybackFacts& playback, double duration, int padding) {
  std::string facts;
  const auto add = [&facts](const std::string& fact) { facts += (facts.empty() ? "" : "  ") + fact; };
  if (playback.speed != 1) add(speed_text(playback.speed));
  if (playback.buffering) add(buffering_text(*playback.buffering));
  add(duration > 0 ? fmt::format("{:.0f} %", percent_of(playback)) : "live");

  const int end = row.columns() - padding;
  const int facts_column = row.print_right(end, 0, end - padding, facts, DimText);
  int column = row.print_within(padding, 0, facts_column - 2 - padding, playback.title, BoldText);
  const Chapter* chapter = chapter_at(playback.chapters, playback.position_seconds);
  if (chapter == nullptr) return;
  constexpr int MinName = 6;
  column += playback.title.empty() ? 0 : 2;
  const int left = facts_column - 2 - column;
  if (left >= MinName) {
    row.print_within(column, 0, left, chapter_name(playback.chapters, *chapter), AccentText);
  }
}

}  // namespace

GridSize osd_margin(GridSize grid) {
  constexpr GridSize Roomy = {60, 16};
  return grid.columns >= Roomy.columns && grid.rows >= Roomy.rows ? GridSize{2, 1} : GridSize{};
}

std::string clock_text(double seconds, double longest_seconds) {
  constexpr double MaxSeconds = 1e9;  // 31 years; limits the number of digits
  constexpr double Hour = 3600;
  if (!(std::abs(seconds) < MaxSeconds)) return "-:--";
  const auto whole = static_cast<long long>(std::floor(std::abs(seconds)));
  const char* sign = seconds <= -1 ? "-" : "";
  if (whole >= 3600 || longest_seconds >= Hour) {
    return fmt::format("{}{}:{:02}:{:02}", sign, whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}{}:{:02}", sign, whole / 60, whole % 60);
}

std::string buffering_text(double fraction) {
  const double within = fraction > 0 ? std::min(fraction, 1.0) : 0.0;
  return fmt::format("buffering {:.0f} %", within * 100);
}

std::string status_line(const PlaybackFacts& playback, int level) {
  const double duration = known_duration(playback), longest = longest_time(playback);
  std::string line = fmt::format("{} {}", playback.paused ? PauseIcon : PlayIcon,
                                 clock_text(playback.position_seconds, longest));
  if (level < 3) return line;
  if (duration > 0) {
    line += fmt::format(" / {} ({:.0f} %)", clock_text(duration, longest), percent_of(playback));
  }
  if (playback.speed != 1) line += " " + speed_text(playback.speed);
  return line;
}

std::optional<ProgressBarLayout> progress_bar_layout(const PlaybackFacts& playback, GridSize grid) {
  const BarRoom room = room_of(grid);
  const GridSize margin = osd_margin(grid);
  const int rows = room.has_title ? 2 : 1;
  ProgressBarLayout layout;
  layout.panel = {margin.columns, grid.rows - margin.rows - rows, grid.columns - 2 * margin.columns, rows};
  if (layout.panel.row < 0 || layout.panel.columns < 1) return std::nullopt;

  const double duration = known_duration(playback);
  const int time = cell_width(clock_text(duration, duration));
  const int before = room.gap + IconColumns + time + room.gap;
  const int after = room.gap + (room.has_duration ? room.gap + time : 0);
  const int columns = layout.panel.columns - before - after;
  if (duration <= 0 || columns < MinBar) return layout;
  layout.bar = {layout.panel.column + before, layout.panel.bottom() - 1, columns, 1};
  layout.duration_seconds = duration;
  return layout;
}

bool hits_bar(const ProgressBarLayout& layout, MousePosition mouse) {
  return mouse.column >= layout.bar.column && mouse.column < layout.bar.right() &&
         mouse.row >= layout.bar.row && mouse.row < layout.bar.bottom();
}

std::optional<double> seconds_at(const ProgressBarLayout& layout, double column) {
  if (layout.bar.columns < 1) return std::nullopt;
  const double fraction = (column - layout.bar.column) / layout.bar.columns;
  return std::clamp(fraction, 0.0, 1.0) * layout.duration_seconds;
}

void draw_progress_bar(TextCanvas canvas, const ProgressBarLayout& layout, const PlaybackFacts& playback,
                       std::optional<MousePosition> mouse) {
  const BarRoom room = room_of({canvas.columns(), canvas.rows()});
  const double duration = layout.duration_seconds, longest = std::max(longest_time(playback), duration);
  TextCanvas panel = canvas.part(layout.panel);
  panel.fill(osd_colors::Panel);
  const int row = panel.rows() - 1;
  if (room.has_title) draw_title(panel.part({0, 0, panel.columns(), 1}), playback, duration, room.gap);

  panel.print(room.gap, row, playback.paused ? PauseIcon : PlayIcon, AccentText);
  const std::string position = clock_text(playback.position_seconds, longest);
  const int time_column = room.gap + IconColumns;
  if (layout.bar.columns < 1) {
    panel.print(time_column, row, position, BoldText);
    return;
  }
  const int bar_column = layout.bar.column - layout.panel.column;
  // A position beyond the reported duration may need more digits. It then covers the icon.
  panel.print_right(bar_column - room.gap, row, bar_column - room.gap, position, BoldText);
  const std::string end = clock_text(duration, longest);
  if (room.has_duration) panel.print_right(panel.columns() - room.gap, row, cell_width(end), end, DimText);

  const bool is_hovered = mouse && hits_bar(layout, *mouse);
  draw_bar(canvas.part(layout.bar), playback, duration,
           is_hovered ? std::optional(mouse->column - layout.bar.column) : std::nullopt);
  if (is_hovered) draw_hover_label(canvas, layout, playback, mouse->column);
}

}  // namespace glyphreel::player
