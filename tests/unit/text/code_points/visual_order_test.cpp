// Tests the order and the forms of right-to-left text, and emoji sequences.
#include <gtest/gtest.h>

#include "text/code_points/unicode.h"
#include "text/code_points/visual_order.h"

namespace glyphreel::text::visual_order_test {
namespace {

TEST(VisualOrder, LeftToRightTextIsUnchanged) {
  EXPECT_FALSE(needs_reordering(U"Grüße, 日本 42"));
  EXPECT_EQ(visual_order(U"(a) 1").characters, U"(a) 1");
}

TEST(VisualOrder, HebrewRunsToTheLeft) {
  // "shalom (1) 42": letters and brackets run to the left, numbers to the right.
  const VisualLine line = visual_order(U"שלום (1) 42");
  EXPECT_EQ(line.characters, U"42 (1) םולש");
  EXPECT_EQ(line.from.front(), 9u);
  EXPECT_EQ(line.from.back(), 0u);
  EXPECT_EQ(visual_order(U"a שלום b").characters, U"a םולש b");
}

TEST(VisualOrder, ArabicLettersAreJoined) {
  // The word "salam", from right to left: the initial form of the letter "seen", the ligature of the letters
  // "lam" and "alef", and the isolated form of the letter "meem".
  const VisualLine line = visual_order(U"سلام");
  EXPECT_EQ(line.characters, U"\uFEE1\uFEFC\uFEB3");
  EXPECT_EQ(line.from, (std::vector<std::size_t>{3, 2, 0}));
}

TEST(SimpleEmoji, SequencesBecomeOneCharacter) {
  EXPECT_EQ(simple_emoji(U"👩\u200D👩\u200D👧!"), U"👩!");                      // zero-width joiners
  EXPECT_EQ(simple_emoji(U"👍🏽 👍"), U"👍 👍");                        // skin tone
  EXPECT_EQ(simple_emoji(U"❤\uFE0F"), U"❤");                                // variation selector
  EXPECT_EQ(simple_emoji(U"🇩🇪🇫🇷"), U"DEFR");                                // flags
  EXPECT_EQ(simple_emoji(U"🏴\U000E0067\U000E0062\U000E007F"), U"🏴");  // tags
  EXPECT_EQ(simple_emoji(U"e\u0301 \u1100\u1161"), U"e\u0301 \u1100\u1161");
}

}  // namespace
}  // namespace glyphreel::text::visual_order_test
