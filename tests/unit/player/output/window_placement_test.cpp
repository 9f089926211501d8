#include "player/output/window_placement.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace glyphreel::player::window_placement_test {
namespace {

using Area = present::Window::Area;

TEST(WindowPlacement, RoundTripsText) {
  for (const WindowPlacement& placement :
       {WindowPlacement{{40, 60}, Extent{1280, 720}}, WindowPlacement{{-3, -1080}, Extent{1, 1}},
        WindowPlacement{{0, 0}, {}}, WindowPlacement{{-5, 7}, {}}}) {
    EXPECT_EQ(parse_window_placement(window_placement_text(placement)), placement)
        << window_placement_text(placement);
  }
  EXPECT_EQ(window_placement_text({{40, -6}, Extent{1280, 720}}), "1280x720+40-6\n");
  EXPECT_EQ(window_placement_text({{40, -6}, {}}), "+40-6\n");
}

TEST(WindowPlacement, RejectsOtherText) {
  for (const char* text :
       {"", "nonsense", "1280x720", "0x720+1+1", "-5x720+1+1", "1280x720+99999999+1", "+4"}) {
    EXPECT_EQ(parse_window_placement(text), std::nullopt) << text;
  }
}

TEST(WindowPlacement, RestoresWithinScreenShowingMost) {
  const std::array<Area, 2> screens = {Area{0, 30, 1920, 1050}, Area{1920, 0, 1280, 1024}};
  EXPECT_EQ(within_screens({100, 100, 640, 360}, screens), (Area{100, 100, 640, 360}));
  EXPECT_EQ(within_screens({2000, 100, 640, 360}, screens), (Area{2000, 100, 640, 360}));
  EXPECT_EQ(within_screens({-200, 0, 640, 360}, screens), (Area{0, 30, 640, 360}));
  EXPECT_EQ(within_screens({1700, 900, 640, 360}, screens), (Area{1920, 664, 640, 360}));
  EXPECT_EQ(within_screens({10, 40, 4000, 3000}, screens), (Area{0, 30, 1920, 1050}));
}

TEST(WindowPlacement, MissingScreenIsForgotten) {
  const std::array<Area, 1> screens = {Area{0, 0, 1920, 1080}};
  EXPECT_EQ(within_screens({2000, 100, 640, 360}, screens), std::nullopt);
  EXPECT_EQ(within_screens({100, -400, 640, 360}, screens), std::nullopt);
  EXPECT_EQ(within_screens({100, 100, 640, 360}, {}), std::nullopt);
}

}  // namespace
}  // namespace glyphreel::player::window_placement_test
