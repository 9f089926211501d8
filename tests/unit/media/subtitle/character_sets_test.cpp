#include "media/subtitle/character_sets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string_view>

namespace glyphreel::media::character_sets_test {
namespace {

using namespace std::string_view_literals;
using testing::StartsWith;

std::string converted(std::string_view bytes, const std::string& charset = "") {
  const auto text = text_to_utf8(bytes, charset);
  if (text) return *text;
  ADD_FAILURE() << text.error().message;
  return "";
}

TEST(CharacterSets, ByteOrderMarkWins) {
  EXPECT_EQ(converted("\xEF\xBB\xBFh\xC3\xA9"), "hé");
  EXPECT_EQ(converted("\xFF\xFEh\0\xE9\0=\xD8\0\xDE"sv), "hé😀");
  EXPECT_EQ(converted("\xFE\xFF\0h\0\xE9"sv), "hé");
  EXPECT_EQ(converted("\xFF\xFE\0\0h\0\0\0"sv), "h");
  EXPECT_EQ(converted("\xEF\xBB\xBFh\xC3\xA9", "CP1251"), "hé") << "the mark overrides the given charset";
}

TEST(CharacterSets, BytesDecideWithoutByteOrderMark) {
  EXPECT_EQ(converted("naïve – 日本"), "naïve – 日本");
  EXPECT_EQ(converted("na\xEFve \x96 \x80"), "naïve – €") << "detected as Windows-1252";
  EXPECT_EQ(converted("1\0\r\0\n\0h\0\xE9\0"sv), "1\r\nhé") << "UTF-16 without a byte order mark";
  EXPECT_EQ(converted("\0h\0i\0 \0!"sv), "hi !");
  EXPECT_EQ(converted(""), "");
}

TEST(CharacterSets, LongTextIsGuessed) {
  const auto repeated = [](std::string_view text) {
    std::string all;
    while (all.size() < 400) all += text;
    return all;
  };
  EXPECT_THAT(converted(repeated("\xCF\xF0\xE8\xE2\xE5\xF2, \xEA\xE0\xEA \xE4\xE5\xEB\xE0? ")),
              StartsWith("Привет, как дела? "));
  EXPECT_THAT(converted(repeated("\x93\xFA\x96\x7B\x8C\xEA\x82\xCC\x8E\x9A\x96\x8B\x82\xC5\x82\xB7\x81\x42")),
              StartsWith("日本語の字幕です。"));
  EXPECT_THAT(converted(repeated("L\x92\xE9t\xE9, o\xF9 est-il pass\xE9 ? ")),
              StartsWith("L’été, où est-il passé ? "));
}

TEST(CharacterSets, ExplicitCharsetIsUsed) {
  EXPECT_EQ(converted("\xCF\xF0\xE8\xE2\xE5\xF2", "CP1251"), "Привет");
  EXPECT_EQ(converted("\x93\xFA\x96\x7B", "SHIFT_JIS"), "日本");
  EXPECT_EQ(converted("a\x81z", "CP1252"), "a\xEF\xBF\xBDz") << "a byte that is not in the character set";
  EXPECT_EQ(converted("a\x93", "SHIFT_JIS"), "a\xEF\xBF\xBD") << "a truncated character";
  const auto unknown = text_to_utf8("a", "klingon-8");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::Usage);
  EXPECT_NE(unknown.error().message.find("klingon-8"), std::string::npos);
}

TEST(CharacterSets, DetectsUtf8) {
  for (const char* valid : {"", "a", "é", "€", "😀", "\xF4\x8F\xBF\xBF"}) EXPECT_TRUE(is_utf8(valid)) << valid;
  for (const char* invalid : {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
                              "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(invalid));
    EXPECT_TRUE(is_utf8(repaired_utf8(invalid)));
  }
  EXPECT_EQ(repaired_utf8("a\xE2\x82"
                          "b"),
            "a\xEF\xBF\xBD\xEF\xBF\xBD"
            "b");
}

}  // namespace
}  // namespace glyphreel::media::character_sets_test
