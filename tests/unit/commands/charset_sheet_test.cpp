#include "commands/charset_sheet.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace glyphreel::commands::charset_sheet_test {
namespace {

CharsetSheet sheet_of(const std::string& characters) {
  auto glyphs = text::GlyphSet::make({.characters = characters});
  EXPECT_TRUE(glyphs) << (glyphs ? "" : glyphs.error().message);
  return measure_charset(characters, *glyphs);
}

TEST(CharsetSheet, LightIsFractionOfFullCell) {
  const CharsetSheet sheet = sheet_of("█ ▀▌");
  ASSERT_EQ(sheet.characters.size(), 4u);
  EXPECT_DOUBLE_EQ(sheet.characters[0].light, 1.0);
  EXPECT_DOUBLE_EQ(sheet.characters[1].light, 0.0);
  EXPECT_NEAR(sheet.characters[2].light, 0.5, 1e-4);
  EXPECT_NEAR(sheet.characters[3].light, 0.5, 1e-4);
  EXPECT_TRUE(std::is_sorted(sheet.tones.begin(), sheet.tones.end()));
  EXPECT_DOUBLE_EQ(sheet.tones.front(), 0.0);
  EXPECT_DOUBLE_EQ(sheet.tones.back(), 1.0);
}

TEST(CharsetSheet, PlotsRunFromDarkestToBrightest) {
  const std::vector<double> tones = {0.0, 0.1, 0.4, 0.9};
  EXPECT_EQ(tone_at(tones, 0, 64), 0.0);
  EXPECT_EQ(tone_at(tones, 63, 64), 0.9);
  EXPECT_EQ(tone_at(tones, 1, 4), 0.1);
  EXPECT_EQ(tone_at(tones, 2, 4), 0.4);
  EXPECT_EQ(tone_at({0.3}, 0, 64), 0.3);
  EXPECT_EQ(tone_at({0.3}, 63, 64), 0.3);
  EXPECT_EQ(tone_at({0.3}, 0, 1), 0.3);
}

TEST(CharsetSheet, WideCharacterSpansTwoCells) {
  const CharsetSheet sheet = sheet_of("a⚡b");
  ASSERT_EQ(sheet.characters.size(), 3u);
  EXPECT_EQ(sheet.characters[0].cells, 1);
  EXPECT_EQ(sheet.characters[1].cells, 1);
  EXPECT_EQ(sheet.characters[2].cells, 2);
  EXPECT_EQ(sheet.characters[2].glyph, 2);
  EXPECT_GT(sheet.characters[2].light, 0.0);
  const nlohmann::json json = charset_json(sheet);
  EXPECT_EQ(json["characters"], 3);
  EXPECT_EQ(json["glyphs"]["count"], 4);
  EXPECT_EQ(json["glyphs"]["narrow"], 2);
  EXPECT_EQ(json["glyphs"]["wide_pairs"], 1);
  EXPECT_TRUE(json["blank"].is_null());
  EXPECT_EQ(json["sheet"][2]["character"], "⚡");
  EXPECT_EQ(json["sheet"][2]["code_point"], 0x26A1);
  EXPECT_EQ(json["sheet"][2]["cells"], 2);
  EXPECT_EQ(json["sheet"][1]["character"], "b");
  EXPECT_EQ(json["tone_curve"].size(), 3u);
}

TEST(CharsetSheet, TextListsEveryCharacterInItsRow) {
  std::string many;
  for (char letter = '!'; letter <= '~'; ++letter) many += letter;
  const std::string text = charset_text(sheet_of(many + "⚡"));
  EXPECT_NE(text.find("Glyphs    95 in cells of 8x16 pixels: 94 one cell wide, 1 two cells\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("\nU+0021   ! \" # "), std::string::npos) << text;
  EXPECT_NE(text.find("\nU+0041   A B C "), std::string::npos) << text;
  EXPECT_NE(text.find("\nU+26A1   ⚡ \n"), std::string::npos) << text;
  EXPECT_NE(charset_text(sheet_of("█ ")).find("Font      none"), std::string::npos);
  EXPECT_NE(charset_text(sheet_of(" ")).find("0.0 % to 0.0 %"), std::string::npos);
}

}  // namespace
}  // namespace glyphreel::commands::charset_sheet_test
