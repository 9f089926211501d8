#include "cli/options/values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace glyphreel::cli::values_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

TEST(ParseInteger, AcceptsDigitsWithinBounds) {
  EXPECT_EQ(parse_integer("0", 0, 9), 0);
  EXPECT_EQ(parse_integer("007", 0, 9), 7);
  EXPECT_EQ(parse_integer("2147483647", 1, 2147483647), 2147483647);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "0x1", "1.0", "10", "99999999999999999999"}) {
    EXPECT_EQ(parse_integer(text, 0, 9), std::nullopt) << text;
  }
}

TEST(ParseExtent, AcceptsTwoNumbersAndCross) {
  EXPECT_EQ(parse_extent("80x25", 1, 4096), (Extent{80, 25}));
  for (const char* text :
       {"", "x", "80", "80x", "x25", "80X25", "80x25x1", "80*25", "80x-25", "0x25", "80x4097"}) {
    EXPECT_EQ(parse_extent(text, 1, 4096), std::nullopt) << text;
  }
}

TEST(ParseTime, AcceptsSecondsAndClockTimes) {
  EXPECT_EQ(parse_time("0"), 0.0);
  EXPECT_EQ(parse_time("90"), 90.0);
  EXPECT_EQ(parse_time("1.25"), 1.25);
  EXPECT_EQ(parse_time("1:30"), 90.0);
  EXPECT_EQ(parse_time("90:00"), 5400.0);
  EXPECT_EQ(parse_time("1:02:03.5"), 3723.5);
  EXPECT_EQ(parse_time("00:00:00.001"), 0.001);
  for (const char* text : {"", ":", "1:", ":30", "1:60", "1:60:00", "1:2:3:4", "-1", "1.", ".5", "1.2.3",
                           "1e3", "nan", "inf", "1:30.", "0x10", "1 ", "99999999999999"}) {
    EXPECT_EQ(parse_time(text), std::nullopt) << text;
  }
}

TEST(ParseColor, AcceptsHexAndNames) {
  EXPECT_EQ(parse_color("#00ff80"), 0x00FF80U);
  EXPECT_EQ(parse_color("00FF80"), 0x00FF80U);
  EXPECT_EQ(parse_color("aqua"), 0x00FFFFU);
  EXPECT_EQ(parse_color("FUCHSIA"), 0xFF00FFU);
  EXPECT_EQ(parse_color("gray"), 0x808080U);
  for (const char* text : {"", "#", "#fff", "#00ff800", "00ff8g", "##0ff80", "0x0ff8", "-0ff80", "orange"}) {
    EXPECT_EQ(parse_color(text), std::nullopt) << text;
  }
}

TEST(ParseBitrate, AcceptsUnits) {
  EXPECT_EQ(parse_bitrate("800k"), 800'000);
  EXPECT_EQ(parse_bitrate("800K"), 800'000);
  EXPECT_EQ(parse_bitrate("2.5M"), 2'500'000);
  EXPECT_EQ(parse_bitrate("1000"), 1'000);
  EXPECT_EQ(parse_bitrate("1000M"), 1'000'000'000);
  for (const char* text : {"", "k", "M", "-1M", "999", "1001M", "1G", "1kk", "1 k", "2,5M"}) {
    EXPECT_EQ(parse_bitrate(text), std::nullopt) << text;
  }
}

TEST(ParseThresholds, AcceptsRisingNumbers) {
  EXPECT_THAT(parse_thresholds("128"), Optional(ElementsAre(128)));
  EXPECT_THAT(parse_thresholds("1,2,255"), Optional(ElementsAre(1, 2, 255)));
  for (const char* text : {"", ",", "1,", ",1", "1,,2", "2,1", "1,1", "0,1", "1,256", "1 ,2", "a"}) {
    EXPECT_EQ(parse_thresholds(text), std::nullopt) << text;
  }
}

TEST(IsGeometry, AcceptsSizeAndPosition) {
  for (const char* text : {"640x480", "1x1", "640x480+0+0", "640x480-10+20", "16384x16384-0-65535"}) {
    EXPECT_TRUE(is_geometry(text)) << text;
  }
  for (const char* text : {"", "640", "x480", "0x480", "640x480+", "640x480+1", "640x480+1+", "640x480+1+2+3",
                           "640x480 +1+2", "+1+2", "640x480+1+2a", "640x480+65536+0"}) {
    EXPECT_FALSE(is_geometry(text)) << text;
  }
}

TEST(CountCodePoints, CountsValidUtf8) {
  EXPECT_EQ(count_code_points(""), 0);
  EXPECT_EQ(count_code_points("a b"), 3);
  EXPECT_EQ(count_code_points("\u00e9\u2588\U0001F600"), 3);
  EXPECT_EQ(count_code_points(std::string_view("\0x", 2)), 2);
}

TEST(CountCodePoints, RejectsInvalidUtf8) {
  const std::string wrong[] = {
      "\x80",              // a continuation byte first
      "\xC3",              // cut off
      "\xE2\x96",          // cut off
      "\xC3(",             // no continuation byte
      "\xC0\x80",          // overlong
      "\xE0\x80\x80",      // overlong
      "\xED\xA0\x80",      // a surrogate
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xFF",
  };
  for (const std::string& text : wrong) EXPECT_EQ(count_code_points(text), std::nullopt);
}

TEST(ParseSignedInteger, AcceptsSign) {
  EXPECT_EQ(parse_signed_integer("-100", -100, 100), -100);
  EXPECT_EQ(parse_signed_integer("+3", -100, 100), 3);
  EXPECT_EQ(parse_signed_integer("0", -100, 100), 0);
  EXPECT_EQ(parse_signed_integer("-0", -100, 100), 0);
  for (const char* wrong : {"", "-", "+", "--1", "+-1", "- 1", "1-", "101", "-101", "99999999999", "1.0"}) {
    EXPECT_FALSE(parse_signed_integer(wrong, -100, 100)) << wrong;
  }
}

TEST(ParseNumber, ChecksBounds) {
  EXPECT_EQ(parse_number("0", 0, 1), 0.0);
  EXPECT_EQ(parse_number("1.000", 0, 1), 1.0);
  EXPECT_EQ(parse_number("0.125", 0, 1), 0.125);
  for (const char* wrong : {"", ".", ".5", "1.", "1.01", "-0.1", "1e-1", "nan", "inf", "0,5", "0x1"}) {
    EXPECT_FALSE(parse_number(wrong, 0, 1)) << wrong;
  }
}

}  // namespace
}  // namespace glyphreel::cli::values_test
