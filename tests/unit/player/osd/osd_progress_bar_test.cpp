#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "osd_samples.h"
#include "player/osd/progress_bar.h"

namespace glyphreel::player::osd_progress_bar_test {
namespace {

using Lines = std::vector<std::string>;

struct Drawn {
  std::optional<ProgressBarLayout> layout;
  render::TextLayer layer;
};

Drawn drawn(const PlaybackFacts& playback, GridSize grid, std::optional<MousePosition> mouse = std::nullopt) {
  Drawn result{progress_bar_layout(playback, grid), blank_text_layer(grid)};
  if (result.layout) draw_progress_bar(TextCanvas(result.layer), *result.layout, playback, mouse);
  return result;
}

Lines last_lines(const render::TextLayer& layer, std::size_t count) {
  Lines lines = lines_of(layer);
  return {lines.end() - static_cast<std::ptrdiff_t>(count), lines.end()};
}

/// Returns the length of the bar's filled part, in eighths of a cell.
int filled_eighths(Drawn& d) {
  int eighths = 0;
  for (int column = d.layout->bar.column; column < d.layout->bar.right(); ++column) {
    const char32_t c = d.layer.at(column, d.layout->bar.row).character;
    if (c >= 0x2588 && c <= 0x258F) eighths += static_cast<int>(0x2590 - c);
  }
  return eighths;
}

TEST(OsdProgressBar, ShowsTimesChaptersAndPercentage) {
  EXPECT_EQ(last_lines(drawn(sample_playback(), {80, 24}).layer, 4),
            (Lines{"", "    Big Buck Bunny  The meadow                                          13 %",
                   "    ►  1:23  █████▏██           ▏                   ▏                   9:56", ""}));
  EXPECT_EQ(last_lines(drawn(sample_playback(), {24, 8}).layer, 2),
            (Lines{" Big Buck Bunny    13 %", " ►  1:23 █▏  ▏    ▏"}));
  EXPECT_EQ(last_lines(drawn(sample_playback(), {20, 6}).layer, 2), (Lines{"", " ►  1:23 █▏ ▏  ▏"}));
}

TEST(OsdProgressBar, ShowsPauseSpeedAndLoop) {
  PlaybackFacts playback = sample_playback();
  playback.paused = true;
  playback.speed = 1.5;
  playback.loop_a_seconds = 300;
  playback.loop_b_seconds = 596.5;
  playback.chapters.clear();
  EXPECT_EQ(last_lines(drawn(playback, {40, 10}).layer, 2),
            (Lines{"  Big Buck Bunny            1.5x  13 %", "  ▌▌ 1:23  ██▉       A         B  9:56"}));
}

TEST(OsdProgressBar, LiveInputHasNoBar) {
  PlaybackFacts playback;
  playback.title = "stream";
  playback.position_seconds = 3725;
  playback.buffering = 0.4;
  Drawn d = drawn(playback, {40, 10});
  EXPECT_EQ(last_lines(d.layer, 2), (Lines{"  stream          buffering 40 %  live", "  ►  1:02:05"}));
  EXPECT_FALSE(seconds_at(*d.layout, 20));
  EXPECT_FALSE(hits_bar(*d.layout, {20, 9}));
}

TEST(OsdProgressBar, HoverShowsSeekTarget) {
  const PlaybackFacts playback = sample_playback();
  const ProgressBarLayout layout = *progress_bar_layout(playback, {80, 24});
  const double middle = layout.bar.column + layout.bar.columns * 0.6;
  const double row = layout.bar.row + 0.5;
  EXPECT_EQ(last_lines(drawn(playback, {80, 24}, MousePosition{middle, row}).layer, 4),
            (Lines{"                                        5:57  Chapter 3",
                   "    Big Buck Bunny  The meadow                                          13 %",
                   "    ►  1:23  █████▏██           ▏              │    ▏                   9:56", ""}));
  EXPECT_EQ(clock_text(*seconds_at(layout, middle), 600), "5:57");
  EXPECT_EQ(drawn(playback, {80, 24}, MousePosition{middle, row - 1}).layer, drawn(playback, {80, 24}).layer)
      << "the mouse shows a time only when it is on the bar";
  for (const int column : {layout.bar.column, layout.bar.right() - 1}) {
    const Lines lines = last_lines(drawn(playback, {24, 8}, MousePosition{column + 0.5, 7}).layer, 3);
    EXPECT_EQ(lines.size(), 3u) << "labels at the ends must stay inside the panel";
  }
}

TEST(OsdProgressBar, ClickSeeksToWhereBarThenEnds) {
  for (const GridSize grid : {GridSize{20, 6}, GridSize{33, 9}, GridSize{80, 24}, GridSize{161, 8}}) {
    for (const double duration : {0.5, 59.0, 596.5, 7200.0, 100'000.0}) {
      PlaybackFacts playback;
      playback.duration_seconds = duration;
      const ProgressBarLayout layout = *progress_bar_layout(playback, grid);
      for (int eighth = 0; eighth <= layout.bar.columns * 8; ++eighth) {
        const double column = layout.bar.column + eighth / 8.0;
        playback.position_seconds = *seconds_at(layout, column);
        Drawn d = drawn(playback, grid);
        ASSERT_EQ(*d.layout, layout) << "the bar must not move during playback";
        ASSERT_EQ(filled_eighths(d), eighth) << grid.columns << ", " << duration;
      }
    }
  }
}

TEST(OsdProgressBar, HitsMatchBarCells) {
  PlaybackFacts playback = sample_playback();
  playback.position_seconds = 596.5;  // at the end, so all cells are filled
  playback.chapters.clear();
  for (const GridSize grid : {GridSize{20, 6}, GridSize{47, 11}, GridSize{80, 24}}) {
    Drawn d = drawn(playback, grid);
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        const bool is_bar = d.layer.at(column, row).character == U'█';
        ASSERT_EQ(hits_bar(*d.layout, {column + 0.5, row + 0.5}), is_bar) << column << ", " << row;
        ASSERT_EQ(hits_bar(*d.layout, {column + 0.0, row + 0.0}), is_bar) << column << ", " << row;
        ASSERT_EQ(hits_bar(*d.layout, {column + 0.99, row + 0.01}), is_bar) << column << ", " << row;
      }
    }
  }
}

TEST(OsdProgressBar, DragsBeyondBarAreClamped) {
  const ProgressBarLayout layout = *progress_bar_layout(sample_playback(), {80, 24});
  EXPECT_EQ(seconds_at(layout, -50), 0.0);
  EXPECT_EQ(seconds_at(layout, 500), 596.5);
}

TEST(OsdProgressBar, FormatsTimes) {
  EXPECT_EQ(clock_text(0, 0), "0:00");
  EXPECT_EQ(clock_text(59.999, 60), "0:59");
  EXPECT_EQ(clock_text(83.4, 596), "1:23");
  EXPECT_EQ(clock_text(83.4, 3600), "0:01:23");
  EXPECT_EQ(clock_text(3725, 0), "1:02:05");
  EXPECT_EQ(clock_text(-83, 0), "-1:23");
  EXPECT_EQ(clock_text(-0.2, 0), "0:00");
  EXPECT_EQ(clock_text(std::nan(""), 0), "-:--");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::infinity(), 0), "-:--");
}

TEST(OsdProgressBar, StatusLinesFollowLevel) {
  PlaybackFacts playback = sample_playback();
  EXPECT_EQ(status_line(playback, 2), "► 1:23");
  EXPECT_EQ(status_line(playback, 3), "► 1:23 / 9:56 (13 %)");
  playback.paused = true;
  playback.speed = 0.25;
  EXPECT_EQ(status_line(playback, 3), "▌▌ 1:23 / 9:56 (13 %) 0.25x");
  playback.duration_seconds.reset();
  EXPECT_EQ(status_line(playback, 3), "▌▌ 1:23 0.25x");
}

}  // namespace
}  // namespace glyphreel::player::osd_progress_bar_test
