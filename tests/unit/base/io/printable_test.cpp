#include "base/io/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace glyphreel::printable_test {
namespace {

TEST(Printable, OrdinaryTextIsUnchanged) {
  for (const char* text : {"", "film.mp4", "Größe 漢字 \U0001F600", "a \"b\" 'c' \\ {} %s"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreEscaped) {
  EXPECT_EQ(printable("\x1b]0;pwned\a"), "\\x1b]0;pwned\\x07");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\x0dd");
  EXPECT_EQ(printable(std::string("\0\x7f", 2)), "\\x00\\x7f");
  // A terminal that obeys C1 control characters treats U+009B as CSI, the start of a control sequence.
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");
}

TEST(Printable, BidiControlsAreEscaped) {
  EXPECT_EQ(printable("gpj.\u202emp4"), "gpj.\\u202emp4");
  EXPECT_EQ(printable("a\u2028b\u2066c"), "a\\u2028b\\u2066c");
}

TEST(Printable, InvalidUtf8BytesAreEscaped) {
  EXPECT_EQ(printable("\x9b"
                      "31m"),
            "\\x9b31m");                                    // a lone continuation byte
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");           // an overlong newline
  EXPECT_EQ(printable("\xe0\x82\x9b"), "\\xe0\\x82\\x9b");  // an overlong CSI
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
  EXPECT_EQ(printable("ab\xe6\xbc"), "ab\\xe6\\xbc");  // a truncated sequence
}

}  // namespace
}  // namespace glyphreel::printable_test
