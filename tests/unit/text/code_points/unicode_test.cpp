#include "text/code_points/unicode.h"

#include <gtest/gtest.h>

namespace glyphreel::text::unicode_test {
namespace {

TEST(Compose, LettersWithMarks) {
  EXPECT_EQ(compose_pair('e', 0x301), U'é');
  EXPECT_EQ(compose_pair('A', 0x30A), U'Å');
  EXPECT_EQ(compose_pair(compose_pair('a', 0x323), 0x302), U'ậ') << "two marks in canonical order";
  EXPECT_EQ(compose_pair(U'か', 0x3099), U'が');
  EXPECT_EQ(compose_pair(U'ш', 0x301), 0U);
  EXPECT_EQ(compose_pair('q', 0x301), 0U);
  EXPECT_EQ(compose_pair(0x915, 0x93C), 0U) << "a composition exclusion";
  EXPECT_EQ(compose_pair(0x1F600, 0x301), 0U);
}

TEST(Compose, Hangul) {
  EXPECT_EQ(compose_pair(0x1112, 0x1161), U'하');
  EXPECT_EQ(compose_pair(U'하', 0x11AB), U'한');
  EXPECT_EQ(compose_pair(U'한', 0x11AB), 0U) << "already has a final consonant";
  EXPECT_EQ(compose_pair(U'하', 0x11A7), 0U);
}

}  // namespace
}  // namespace glyphreel::text::unicode_test
