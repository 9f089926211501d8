#include "present/terminal/terminal.h"

#include <gtest/gtest.h>

namespace glyphreel::present::terminal_test {
namespace {

TEST(Terminal, SizesAreClamped) {
  EXPECT_EQ(usable_size(80, 24), (GridSize{80, 24}));
  EXPECT_EQ(usable_size(1, 1), (GridSize{1, 1}));
  EXPECT_EQ(usable_size(960, 400), (GridSize{960, 400}));
  EXPECT_LE(usable_size(65535, 65535).cells(), 500'000);
  EXPECT_EQ(usable_size(65535, 24), (GridSize{1000, 24}));
}

}  // namespace
}  // namespace glyphreel::present::terminal_test
