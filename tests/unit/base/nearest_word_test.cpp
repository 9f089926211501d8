#include "base/nearest_word.h"

#include <gtest/gtest.h>

#include <array>

namespace glyphreel::nearest_word_test {
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

TEST(NearestWord, SuggestsClosestName) {
  constexpr std::array<std::string_view, 4> Words{"grid", "size", "fs", "renderer"};
  EXPECT_EQ(nearest_word("gird", Words), "grid");
  EXPECT_EQ(nearest_word("sise", Words), "size");
  EXPECT_EQ(nearest_word("rendrr", Words), "renderer");
  EXPECT_EQ(nearest_word("fs", Words), "fs");
  EXPECT_EQ(nearest_word("banana", Words), "");
  EXPECT_EQ(nearest_word("x", Words), "");
  EXPECT_EQ(nearest_word("fx", Words), "");
  EXPECT_EQ(nearest_word("", Words), "");
  EXPECT_EQ(nearest_word("grid", {}), "");
}

TEST(NearestWord, HintHasAnAlternative) {
  constexpr std::array<std::string_view, 2> Words{"grid", "size"};
  EXPECT_EQ(did_you_mean("gird", Words, "see the list."), "did you mean grid?");
  EXPECT_EQ(did_you_mean("banana", Words, "see the list."), "see the list.");
}

}  // namespace
}  // namespace glyphreel::nearest_word_test
