#include "present/window/x_connection.h"

#include <gtest/gtest.h>

namespace glyphreel::present::x_connection_test {
namespace {

TEST(RefreshInterval, FollowsModeLines) {
  // CEA-861's 1080p at 59.94 Hz and 1080i at 60 Hz, and VESA's double-scanned 320x240 at 60 Hz.
  EXPECT_NEAR(1 / refresh_interval({.pixels_per_second = 148'351'648, .width = 2200, .height = 1125}), 59.94,
              0.001);
  EXPECT_NEAR(
      1 / refresh_interval(
              {.pixels_per_second = 74'250'000, .width = 2200, .height = 1125, .is_interlaced = true}),
      60, 0.001);
  EXPECT_NEAR(1 / refresh_interval(
                      {.pixels_per_second = 12'587'500, .width = 400, .height = 262, .is_double_scan = true}),
              60.05, 0.01);
  EXPECT_EQ(refresh_interval({.width = 2200, .height = 1125}), 0);
}

}  // namespace
}  // namespace glyphreel::present::x_connection_test
