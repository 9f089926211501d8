#include "player/control/wipe_line.h"

#include <gtest/gtest.h>

#include <optional>

namespace glyphreel::player::wipe_line_test {
namespace {

constexpr GridSize Grid{80, 24};
constexpr CellSize Cell{8, 16};

TEST(WipeLine, StartsWhereTheOptionSays) {
  EXPECT_FALSE(WipeLine(std::nullopt).is_on());
  EXPECT_TRUE(WipeLine(0.25).is_on());
  EXPECT_EQ(WipeLine(0.25).share(), 0.25);
}

TEST(WipeLine, MouseDragsItOnlyFromTheLine) {
  WipeLine line(0.5);
  line.move_mouse(MousePosition{42, 3}, Grid);
  EXPECT_FALSE(line.press(Grid, Cell)) << "16 pixels away from the line";
  line.move_mouse(MousePosition{41, 24}, Grid);
  EXPECT_FALSE(line.press(Grid, Cell)) << "below the grid";
  line.move_mouse(MousePosition{41, 3}, Grid);
  EXPECT_EQ(line.share(), 0.5) << "not pressed yet";
  EXPECT_TRUE(line.press(Grid, Cell));
  line.move_mouse(MousePosition{60, 30}, Grid);
  EXPECT_EQ(line.share(), 0.75);
  line.move_mouse(std::nullopt, Grid);
  EXPECT_EQ(line.share(), 0.75) << "the mouse has left the grid";
  line.move_mouse(MousePosition{-5, 3}, Grid);
  EXPECT_EQ(line.share(), 0);
  line.release();
  line.move_mouse(MousePosition{20, 3}, Grid);
  EXPECT_EQ(line.share(), 0);
}

TEST(WipeLine, SwitchingItOffEndsDragging) {
  WipeLine line(0.5);
  line.move_mouse(MousePosition{40, 3}, Grid);
  ASSERT_TRUE(line.press(Grid, Cell));
  line.set_on(false);
  EXPECT_FALSE(line.is_dragged());
}

}  // namespace
}  // namespace glyphreel::player::wipe_line_test
