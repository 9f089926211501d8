#include "present/terminal/character_widths.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace glyphreel::present::character_widths_test {
namespace {

/// Returns whether misshown_classes() includes `character` if the terminal reports the cursor in this column
/// after every sample of the width probe.
bool is_misshown(int column, char32_t character) {
  const std::vector<int> columns(width_probe_queries(), column);
  const auto misshown = misshown_classes(columns);
  return std::ranges::any_of(misshown, [&](text::CharacterRange range) { return range.contains(character); });
}

TEST(CharacterWidths, FindsClassesOfOtherWidths) {
  constexpr char32_t Octant = 0x1CD00;
  EXPECT_FALSE(is_misshown(2, Octant)) << "one column, after which the cursor is in the second";
  EXPECT_TRUE(is_misshown(1, Octant)) << "treated as a combining character";
  EXPECT_TRUE(is_misshown(3, Octant)) << "treated as a wide character";
  EXPECT_FALSE(is_misshown(3, U'\u6F22')) << "wide";
  EXPECT_TRUE(is_misshown(2, U'\u6F22'));
  EXPECT_FALSE(is_misshown(1, U'a')) << "ASCII always has the right width";
}

TEST(CharacterWidths, MissingAnswersProveNothing) {
  EXPECT_TRUE(misshown_classes({}).empty());
  const std::vector<int> first{5};
  EXPECT_EQ(misshown_classes(first).size(), 1u);
}

}  // namespace
}  // namespace glyphreel::present::character_widths_test
