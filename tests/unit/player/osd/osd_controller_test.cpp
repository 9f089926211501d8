#include "player/osd/osd_controller.h"

#include <gtest/gtest.h>

#include <chrono>

#include "osd_samples.h"

namespace glyphreel::player::osd_controller_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr GridSize Grid{80, 24};

TEST(OsdController, MessageReplacesEarlierOneOnItsTopic) {
  OsdController osd(1, {});
  osd.show_message("volume", "Volume: 50 %", 0.5);
  osd.show_message("mute", "Mute: yes");
  osd.show_message("volume", "Volume: 52 %", 0.52);
  osd.show_error("The disk is full.");
  ASSERT_EQ(osd.state().messages.size(), 3U);
  EXPECT_EQ(osd.state().messages[1].text, "Volume: 52 %");
  EXPECT_EQ(osd.state().messages[2].kind, MessageKind::Error);
}

TEST(OsdController, ReportsNextChange) {
  OsdController osd(1, {});
  osd.set_now(steady_clock::now());
  EXPECT_FALSE(osd.seconds_to_change());
  osd.show_progress();
  osd.set_now(steady_clock::now());
  ASSERT_TRUE(osd.seconds_to_change());
  EXPECT_GT(*osd.seconds_to_change(), 0);
  EXPECT_LE(*osd.seconds_to_change(), 1.5);
}

TEST(OsdController, HelpKeyTurnsPagesThenCloses) {
  OsdController osd(1, sample_help());
  const int pages = help_pages(osd.state(), {40, 12});
  ASSERT_GT(pages, 1);
  for (int page = 0; page < pages; ++page) {
    osd.turn_help_page(GridSize{40, 12});
    EXPECT_EQ(osd.state().page, OsdPage::Help);
    EXPECT_EQ(osd.state().help_page, page);
  }
  osd.turn_help_page(GridSize{40, 12});
  EXPECT_EQ(osd.state().page, OsdPage::None);
}

TEST(OsdController, StatsRefreshIsDueAtIntervalsAndOnOpening) {
  OsdController osd(1, {});
  const auto now = steady_clock::now();
  EXPECT_TRUE(osd.stats_refresh_due(now));
  osd.mark_stats_refreshed(now);
  EXPECT_FALSE(osd.stats_refresh_due(now + milliseconds(100)));
  EXPECT_TRUE(osd.stats_refresh_due(now + milliseconds(300)));
  osd.toggle_statistics();
  EXPECT_EQ(osd.state().page, OsdPage::Statistics);
  EXPECT_TRUE(osd.stats_refresh_due(now + milliseconds(100)));
}

TEST(OsdController, DragsProgressBarThatWasPressed) {
  OsdController osd(1, {});
  osd.state().playback.duration_seconds = 100;
  EXPECT_FALSE(osd.press_bar(steady_clock::now(), Grid)) << "there is no mouse";
  osd.show_progress();
  osd.set_now(steady_clock::now());
  const ProgressBarLayout bar = visible_progress_bar(osd.state(), Grid).value();
  osd.state().mouse = MousePosition{bar.bar.column + bar.bar.columns / 2.0, 1};
  EXPECT_FALSE(osd.press_bar(steady_clock::now(), Grid)) << "the mouse is not on the bar";
  EXPECT_FALSE(osd.is_dragging());
  osd.state().mouse->row = bar.bar.row + 0.5;
  const std::optional<double> seconds = osd.press_bar(steady_clock::now(), Grid);
  ASSERT_TRUE(seconds);
  EXPECT_NEAR(*seconds, 50, 2);
  EXPECT_TRUE(osd.is_dragging());
  osd.state().mouse->row = 1;
  EXPECT_TRUE(osd.press_bar(steady_clock::now(), Grid)) << "the mouse may leave the bar while dragging";
  osd.release_bar();
  EXPECT_FALSE(osd.press_bar(steady_clock::now(), Grid));
}

}  // namespace
}  // namespace glyphreel::player::osd_controller_test
