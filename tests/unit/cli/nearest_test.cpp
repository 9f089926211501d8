#include "cli/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace glyphreel::cli {
namespace {

TEST(EditDistance, CountsSingleChanges) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("grid", "grid"), 0);
  EXPECT_EQ(edit_distance("gird", "grid"), 1);
  EXPECT_EQ(edit_distance("colour", "color"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
  EXPECT_EQ(edit_distance("ca", "abc"), 3);  // not 2: optimal string alignment edits no substring twice
}

TEST(Nearest, SuggestsClosestName) {
  constexpr std::array<std::string_view, 4> Words{"grid", "size", "fs", "renderer"};
  EXPECT_EQ(nearest("gird", Words), "grid");
  EXPECT_EQ(nearest("sise", Words), "size");
  EXPECT_EQ(nearest("rendrr", Words), "renderer");
  EXPECT_EQ(nearest("fs", Words), "fs");
  EXPECT_EQ(nearest("banana", Words), "");
  EXPECT_EQ(nearest("x", Words), "");
  EXPECT_EQ(nearest("", Words), "");
  EXPECT_EQ(nearest("grid", {}), "");
}

}  // namespace
}  // namespace glyphreel::cli
