#include "media/subtitle/ass_text.h"

#include <gtest/gtest.h>

#include <random>

#include "media/subtitle/character_sets.h"

namespace glyphreel::media::ass_text_test {
namespace {

constexpr std::string_view Header =
    "\xEF\xBB\xBF[Script Info]\r\n"
    "PlayResX: 1280\r\nPlayResY:720\r\n"
    "[V4+ Styles]\r\n"
    "Format: Name, Fontname, Fontsize, PrimaryColour, Bold, Italic, Underline, Alignment\r\n"
    "Style: Default,Arial,20,&H00FFFFFF,0,0,0,2\r\n"
    "Style: Top,Arial,20,&H0000FFFF,-1,0,0,8\r\n"
    "Style: Slanted,Arial,20,&HFF8000&,0,1,-1,2\r\n"
    "Style: Broken\r\n"
    "[Events]\r\nFormat: Layer, Start\r\nDialogue: 0,a,b\r\n";

/// Formats an event as text with markup: *bold*, /italic/, _underlined_, <RRGGBB> before colored text, and
/// "|" between lines.
std::string shown(const SubtitleEvent& event) {
  std::string text;
  for (const SubtitleLine& line : event.lines) {
    if (!text.empty()) text += '|';
    for (const SubtitleSpan& span : line) {
      std::string marks;
      if (span.bold) marks += '*';
      if (span.italic) marks += '/';
      if (span.underline) marks += '_';
      if (span.color) {
        char color[16];
        std::snprintf(color, sizeof color, "<%06X>", *span.color);
        text += color;
      }
      text += marks + span.text + std::string(marks.rbegin(), marks.rend());
    }
  }
  return text;
}

SubtitleEvent read_line(const std::string& text, const std::string& style = "Default") {
  static const AssScript script(Header);
  return read_ass_dialogue(script, "7,3," + style + ",Name,0,0,0,Banner;5," + text);
}

struct TextCase {
  const char* what;
  const char* text;
  const char* expected;
};

TEST(AssText, SupportedTagsApply) {
  const TextCase cases[] = {
      {"plain", "Hello, world", "Hello, world"},
      {"bold", "a {\\b1}b{\\b0} c", "a *b* c"},
      {"a weight", "{\\b700}b{\\b400}c", "*b*c"},
      {"italics and underline in one block", "{\\i1\\u1}b{\\i0\\u0}c", "/_b_/c"},
      {"a tag without a value restores the style", "{\\i1}a{\\i}b", "/a/b"},
      {"color", "{\\c&H0000FF&}red{\\c} none", "<FF0000>red none"},
      {"color by \\1c, with few digits", "{\\1c&HFF&}red{\\1c&HFFFFFF&} white", "<FF0000>red white"},
      {"color without ampersand at the end", "{\\c&HFF0000}blue", "<0000FF>blue"},
      {"colors of karaoke, outline and shadow are ignored", "{\\2c&HFF&\\3c&HFF&\\4c&HFF&}x", "x"},
      {"reset", "{\\b1\\i1\\c&HFF&}a{\\r}b", "<FF0000>*/a/*b"},
      {"reset to a style", "a{\\rSlanted}b{\\r}c", "a<0080FF>/_b_/c"},
      {"line breaks", "a\\Nb\\nc", "a|b c"},
      {"hard space", "a\\hb",
       "a\xC2\xA0"
       "b"},
      {"blank lines are removed", "\\N \\N{\\i1}a\\N\\N\\h", "/a/"},
      {"comment", "a{a comment}b", "ab"},
      {"an unclosed brace is text", "a{\\b1", "a{\\b1"},
      {"escaped braces", "\\{a\\}", "{a}"},
      {"drawing", "{\\p1}m 0 0 l 100 0 100 100{\\p0}text", "text"},
      {"a drawing alone has no text", "{\\an7\\pos(0,0)\\p4}m 0 0 l 100 0", ""},
      {"tags that begin like supported ones are ignored",
       "{\\bord3\\be1\\blur2\\iclip(0,0,1,1)\\clip(m 0 0)\\fnArial\\fs20\\shad1\\fad(1,2)"
       "\\fscx120\\pbo3\\q2\\xbord1}x",
       "x"},
      {"karaoke", "{\\k20}ka{\\kf30}ra{\\K5}o{\\ko9}ke", "karaoke"},
      {"the tags of a transform are ignored", "{\\t(0,500,\\c&H0000FF&\\b1)}x{\\i1}y", "x/y/"},
      {"invisible text", "{\\alpha&HFF&}gone{\\alpha&H00&}here", "here"},
      {"text that fades in is visible", "{\\alpha&HFF&\\t(0,300,\\alpha&H00&)}seen", "seen"},
      {"equal spans are joined", "a{\\be1}b{\\be0}c", "abc"},
      {"malformed values", "{\\b\\bx\\i&\\c&Hzz&\\an\\an0\\anx\\pos(1\\pos()\\pos(a,b)\\r\\t(}x", "x"},
      {"invalid UTF-8", "a\xFF\xC3(b", "a\xEF\xBF\xBD\xEF\xBF\xBD(b"},
      {"newline and tab", "a\r\n\tb", "a| b"},
      {"backslash at the end", "a\\", "a\\"},
      {"nothing", "", ""},
  };
  for (const TextCase& c : cases) EXPECT_EQ(shown(read_line(c.text)), c.expected) << c.what;
}

TEST(AssText, FieldsAndStyles) {
  const SubtitleEvent event = read_line("a, b, c", "Top");
  EXPECT_EQ(event.order, 7);
  EXPECT_EQ(event.layer, 3);
  EXPECT_EQ(event.alignment, 8);
  EXPECT_EQ(shown(event), "<FFFF00>*a, b, c*");
  EXPECT_EQ(shown(read_line("x", "*Top")), "<FFFF00>*x*");
  EXPECT_EQ(shown(read_line("x", "Unknown")), "x");
  EXPECT_EQ(shown(read_line("x", "Broken")), "x");
}

TEST(AssText, Alignment) {
  const auto alignment = [](const char* text, const char* style = "Default") {
    return read_line(text, style).alignment;
  };
  EXPECT_EQ(alignment("x"), 2);
  EXPECT_EQ(alignment("{\\an9}x"), 9);
  EXPECT_EQ(alignment("{\\an9}x{\\an1}y"), 9) << "the first one wins";
  EXPECT_EQ(alignment("{\\a6}x"), 8) << "SSA's top center";
  EXPECT_EQ(alignment("{\\a10}x"), 5) << "SSA's middle center";
  EXPECT_EQ(alignment("{\\a1}x"), 1);
  EXPECT_EQ(alignment("{\\pos(640,60)}x"), 8);
  EXPECT_EQ(alignment("{\\an5\\pos(100,700)}x"), 1);
  EXPECT_EQ(alignment("{\\pos(100,700)\\an5}x"), 1) << "the order of tags does not matter";
  EXPECT_EQ(alignment("{\\move(1200.5,350,0,0,10,20)}x"), 6);
  EXPECT_EQ(alignment("{\\pos(640,60}x"), 8) << "a tag without a closing parenthesis";
}

TEST(AssText, LegacyStylesOfSsa) {
  const AssScript script(
      "[V4 Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, TertiaryColour, "
      "BackColour, Bold, "
      "Italic, BorderStyle, Outline, Shadow, Alignment\n"
      "Style: *Default,Tahoma,24,65535,16777215,16777215,0,-1,0,1,3,0,6\n");
  const SubtitleEvent event = read_ass_dialogue(script, "0,0,Default,,0,0,0,,x");
  EXPECT_EQ(shown(event), "<FFFF00>*x*");
  EXPECT_EQ(event.alignment, 8);
}

TEST(AssText, SurvivesRandomBytes) {
  std::mt19937 random(11);
  const std::string pieces[] = {"{",
                                "}",
                                "\\",
                                "(",
                                ")",
                                ",",
                                "b1",
                                "c&H",
                                "&",
                                "pos",
                                "move",
                                "t",
                                "p1",
                                "an",
                                "r",
                                "N",
                                "h",
                                "alpha",
                                "999999999999999999999",
                                "-1",
                                "[V4+ Styles]\n",
                                "Format:",
                                "Style:",
                                "\n",
                                ":",
                                "\xC2",
                                "\xE2\x82",
                                std::string(1, '\0'),
                                "1e400",
                                "nan"};
  for (int round = 0; round < 20000; ++round) {
    std::string header, line;
    for (int i = static_cast<int>(random() % 24); i > 0; --i) {
      std::string& to = random() % 3 == 0 ? header : line;
      if (random() % 4 == 0) {
        to += static_cast<char>(random());
      } else {
        to += pieces[random() % std::size(pieces)];
      }
    }
    const AssScript script(header);
    const SubtitleEvent event = read_ass_dialogue(script, "0,0,Default,,0,0,0,," + line);
    ASSERT_GE(event.alignment, 1);
    ASSERT_LE(event.alignment, 9);
    for (const SubtitleLine& shown_line : event.lines) {
      for (const SubtitleSpan& span : shown_line) {
        ASSERT_TRUE(is_utf8(span.text));
        ASSERT_LE(span.color.value_or(0), 0xFFFFFFU);
      }
    }
  }
}

TEST(AssText, LongLineIsBounded) {
  const SubtitleEvent event = read_line(std::string(1 << 20, 'x'));
  ASSERT_EQ(event.lines.size(), 1U);
  EXPECT_LE(event.lines[0][0].text.size(), 16384U);
}

}  // namespace
}  // namespace glyphreel::media::ass_text_test
