#include "player/osd/osd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "osd_samples.h"
#include "player/osd/cell_text.h"
#include "text/code_points/unicode.h"

namespace glyphreel::player::osd_test {
namespace {

using Lines = std::vector<std::string>;

OsdState sample_state() {
  OsdState state;
  state.now_seconds = 10;
  state.playback = sample_playback();
  state.help = sample_help();
  state.statistics = sample_statistics();
  state.messages = {{.text = "mode: edge", .until_seconds = 12}};
  state.progress_until_seconds = 11;
  return state;
}

bool shows(const OsdState& state, std::string_view text, GridSize grid = {80, 24}) {
  const Lines lines = lines_of(lay_out_osd(state, grid));
  return std::any_of(lines.begin(), lines.end(),
                     [&](auto& line) { return line.find(text) != std::string::npos; });
}

TEST(Osd, LevelsShowProgressivelyMore) {
  OsdState state = sample_state();
  state.level = 0;
  EXPECT_TRUE(lay_out_osd(state, {80, 24}).cells.empty());
  state.page = OsdPage::Statistics;
  EXPECT_TRUE(shows(state, "Statistics")) << "level 0 hides statistics only until they are requested";
  EXPECT_FALSE(shows(state, "mode: edge"));

  state = sample_state();
  EXPECT_TRUE(shows(state, "mode: edge"));
  EXPECT_TRUE(shows(state, "Big Buck Bunny"));
  EXPECT_FALSE(shows(state, "► 1:23"));
  state.level = 2;
  EXPECT_TRUE(shows(state, "► 1:23"));
  EXPECT_FALSE(shows(state, "1:23 / 9:56"));
  state.level = 3;
  EXPECT_TRUE(shows(state, "► 1:23 / 9:56 (13 %)"));
  EXPECT_TRUE(shows(state, "► 1:23", {20, 6})) << "small grids show only the position";
  EXPECT_FALSE(shows(state, "9:5", {20, 6}));
}

TEST(Osd, ExpiredItemsLeaveNoCells) {
  OsdState state = sample_state();
  state.now_seconds = 11;
  EXPECT_FALSE(shows(state, "Big Buck Bunny"));
  EXPECT_TRUE(shows(state, "mode: edge"));
  state.now_seconds = 12;
  EXPECT_TRUE(lay_out_osd(state, {80, 24}).cells.empty());
}

TEST(Osd, BufferingIsShownOnce) {
  OsdState state = sample_state();
  state.playback.buffering = 0.4;
  EXPECT_TRUE(shows(state, "buffering 40 %  13 %"));
  EXPECT_EQ(lines_of(lay_out_osd(state, {80, 24}))[1], "   mode: edge") << "only the bar shows buffering";
  state.progress_until_seconds = 0;
  EXPECT_EQ(lines_of(lay_out_osd(state, {80, 24}))[1], "   buffering 40 %");
  state.level = 0;
  EXPECT_TRUE(lay_out_osd(state, {80, 24}).cells.empty());
}

TEST(Osd, ShowsRecordingMark) {
  OsdState state = sample_state();
  EXPECT_FALSE(shows(state, "●"));
  state.recording_seconds = 72.9;
  EXPECT_TRUE(shows(state, "● 1:12"));
  EXPECT_TRUE(shows(state, "mode: edge"));
  state.messages = {{.text = std::string(200, 'x'), .until_seconds = 12}};
  for (const GridSize grid : {GridSize{80, 24}, GridSize{20, 6}}) {
    EXPECT_TRUE(shows(state, "● 1:12", grid)) << "long messages must not hide the recording time";
  }
  state.page = OsdPage::Statistics;
  EXPECT_TRUE(shows(state, "● 1:12")) << "the statistics must not hide the recording time";
  state.level = 0;
  EXPECT_FALSE(shows(state, "●"));
}

TEST(Osd, ReportsNextTimedChange) {
  OsdState state = sample_state();
  EXPECT_EQ(next_osd_change(state), 11);
  state.now_seconds = 11;
  EXPECT_EQ(next_osd_change(state), 12);
  state.now_seconds = 12;
  EXPECT_EQ(next_osd_change(state), std::nullopt);
  state = sample_state();
  state.level = 0;
  EXPECT_EQ(next_osd_change(state), std::nullopt);
}

TEST(Osd, BarIsHitWhereShown) {
  OsdState state = sample_state();
  EXPECT_EQ(visible_progress_bar(state, {80, 24}), progress_bar_layout(state.playback, {80, 24}));
  EXPECT_FALSE(visible_progress_bar(state, {19, 24}));
  state.now_seconds = 11;
  EXPECT_FALSE(visible_progress_bar(state, {80, 24}));
  state = sample_state();
  state.level = 0;
  EXPECT_FALSE(visible_progress_bar(state, {80, 24}));
}

TEST(Osd, PagesMessagesAndBarShareGrid) {
  OsdState state = sample_state();
  for (const OsdPage page : {OsdPage::Help, OsdPage::Statistics}) {
    state.page = page;
    EXPECT_TRUE(shows(state, page == OsdPage::Help ? "Keys" : "Statistics"));
    EXPECT_TRUE(shows(state, "mode: edge"));
    EXPECT_TRUE(shows(state, "Big Buck Bunny"));
  }
}

TEST(Osd, CountsShownPages) {
  OsdState state = sample_state();
  state.page = OsdPage::Help;
  state.messages.clear();  // messages could cover the page number
  for (const GridSize grid : {GridSize{20, 6}, GridSize{40, 12}, GridSize{80, 24}, GridSize{80, 29}}) {
    for (const double until : {0.0, 100.0}) {
      state.progress_until_seconds = until;
      EXPECT_TRUE(shows(state, "1/" + std::to_string(help_pages(state, grid)), grid)) << grid.columns;
    }
  }
  EXPECT_EQ(help_pages(state, {160, 45}), 1);
}

TEST(Osd, TooSmallGridsShowNothing) {
  OsdState state = sample_state();
  state.page = OsdPage::Statistics;
  for (const GridSize grid : {GridSize{19, 24}, GridSize{80, 5}, GridSize{0, 0}, GridSize{-3, 9}}) {
    EXPECT_TRUE(lay_out_osd(state, grid).cells.empty());
    EXPECT_EQ(lay_out_osd(state, grid).grid, grid);
  }
  EXPECT_FALSE(lay_out_osd(state, SmallestOsdGrid).cells.empty());
}

/// Checks that a renderer can draw every cell.
void expect_well_formed(const render::TextLayer& layer) {
  if (layer.cells.empty()) return;
  ASSERT_EQ(layer.cells.size(), static_cast<std::size_t>(layer.grid.cells()));
  const int columns = layer.grid.columns;
  for (int at = 0; at < layer.grid.cells(); ++at) {
    const render::TextCell& cell = layer.cells[static_cast<std::size_t>(at)];
    const bool is_first = at % columns == 0, is_last = at % columns == columns - 1;
    const char32_t before = is_first ? 0 : layer.cells[static_cast<std::size_t>(at) - 1].character;
    if (cell.character == render::TextCell::WideRight) {
      ASSERT_TRUE(text::is_wide(before)) << at;
      continue;
    }
    if (cell.character == 0) {
      ASSERT_EQ(cell, render::TextCell{}) << at;
      continue;
    }
    ASSERT_EQ(text::cell_fitness(cell.character), text::CellFitness::Fits) << at;
    if (text::is_wide(cell.character)) {
      ASSERT_FALSE(is_last);
      ASSERT_EQ(layer.cells[static_cast<std::size_t>(at) + 1].character, render::TextCell::WideRight) << at;
    }
  }
}

TEST(Osd, IsWellFormedForAnyStateAndGrid) {
  std::mt19937 random(11);
  const auto number = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const Lines texts = {"",
                       "a",
                       "彼は大きなうさぎです。とても大きい",
                       "\xFF\xC3 broken\x1b[2J",
                       "a\nb\tc e\u0301",
                       std::string(300, 'x'),
                       "two words"};
  const auto text = [&] {
    return texts[static_cast<std::size_t>(number(0, static_cast<int>(texts.size()) - 1))];
  };
  constexpr double NoNumber = std::numeric_limits<double>::quiet_NaN(),
                   Endless = std::numeric_limits<double>::infinity();
  const std::vector<double> times = {0, -5, 1, 83.4, 596.5, 7200, 1e12, NoNumber, Endless, -Endless};
  const auto time = [&] {
    return times[static_cast<std::size_t>(number(0, static_cast<int>(times.size()) - 1))];
  };

  for (int round = 0; round < 1000; ++round) {
    OsdState state = sample_state();
    state.level = number(0, 3);
    state.page = static_cast<OsdPage>(number(0, 2));
    state.help_page = number(-3, 40);
    for (HelpEntry& entry : state.help) {
      if (number(0, 9) == 0) entry = {text(), text(), text()};
    }
    PlaybackFacts& playback = state.playback;
    playback.title = text();
    playback.position_seconds = time();
    playback.duration_seconds = number(0, 3) == 0 ? std::nullopt : std::optional(time());
    playback.speed = time();
    playback.chapters.push_back({time(), text()});
    playback.loop_a_seconds = time();
    playback.loop_b_seconds = time();
    playback.buffering = time();
    state.messages.push_back({text(), text(), 100, static_cast<MessageKind>(number(0, 1)), time()});
    state.statistics.codec = text();
    state.statistics.stages.push_back(
        {text(), text(), time(), time(), {1, static_cast<float>(NoNumber), -3}});
    state.statistics.av_offset_ms = time();
    state.statistics.jitter_ms.push_back(static_cast<float>(time()));
    const GridSize grid{number(1, 180), number(1, 50)};
    state.mouse =
        MousePosition{number(-2, 2 * grid.columns) * 0.5, number(2 * grid.rows - 8, 2 * grid.rows) * 0.5};

    const render::TextLayer layer = lay_out_osd(state, grid);
    ASSERT_EQ(layer.grid, grid);
    ASSERT_NO_FATAL_FAILURE(expect_well_formed(layer))
        << grid.columns << "x" << grid.rows << ", round " << round;
    ASSERT_EQ(layer, lay_out_osd(state, grid));
  }
}

TEST(Osd, SplitViewNamesRenderersAndAgreement) {
  OsdState state = sample_state();
  state.level = 0;
  state.split = SplitFacts{.left = {"GPU", "llvmpipe (LLVM 15.0.6, 256 bits)", 12.44},
                           .right = {"CPU", "2 threads, AVX-512", 0.8},
                           .findings = {.cells = 14240, .frames = 1203}};
  const Lines lines = lines_of(lay_out_osd(state, {80, 24}));
  EXPECT_EQ(lines[0], " GPU llvmpipe (LLVM 15.0.6,…   12.4 ms    CPU 2 threads, AVX-512        0.80 ms");
  EXPECT_EQ(lines[1], std::string(18, ' ') + "0 of 14,240 cells differ, 0 in 1,203 frames");
  EXPECT_TRUE(shows(state, "GPU  12.4  CPU  0.80", {20, 6})) << lines_of(lay_out_osd(state, {20, 6}))[0];
  EXPECT_TRUE(shows(state, "0 of 14,240", {20, 6}));
  const auto color = [&] { return lay_out_osd(state, {80, 24}).at(20, 1).foreground; };
  EXPECT_EQ(color(), osd_colors::Text);
  state.split->findings.differing_in_all = 3;
  EXPECT_EQ(color(), osd_colors::Error);

  state.level = 1;
  EXPECT_EQ(lines_of(lay_out_osd(state, {80, 24}))[3], "   mode: edge") << "messages are below these lines";
}

}  // namespace
}  // namespace glyphreel::player::osd_test
