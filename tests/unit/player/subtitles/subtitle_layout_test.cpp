#include "player/subtitles/subtitle_layout.h"

#include <gtest/gtest.h>

#include <random>

#include "player/subtitles/line_breaking.h"
#include "text/code_points/unicode.h"
#include "text/glyph_set.h"

namespace glyphreel::player::subtitle_layout_test {
namespace {

using media::SubtitleEvent;
using media::SubtitleLine;
using Events = std::vector<std::shared_ptr<const SubtitleEvent>>;

/// Returns an event with plain text. "|" separates the lines of `text`.
std::shared_ptr<const SubtitleEvent> event(const std::string& text, int alignment = 2) {
  SubtitleEvent result;
  result.alignment = alignment;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('|', at), text.size());
    result.lines.push_back({{.text = text.substr(at, end - at)}});
    at = end + 1;
  }
  return std::make_shared<const SubtitleEvent>(std::move(result));
}

render::TextLayer layout(const Events& events, GridSize grid) {
  return layout_subtitles(events, grid);
}

/// Returns each row that contains text as "row column:text". `column` is the column of the background's first
/// cell. `text` includes the background's spaces before and after the words.
std::vector<std::string> rows_of(render::TextLayer layer) {
  std::vector<std::string> rows;
  if (layer.cells.empty()) return rows;
  for (int row = 0; row < layer.grid.rows; ++row) {
    std::string text;
    int first = -1;
    for (int column = 0; column < layer.grid.columns; ++column) {
      const render::TextCell& cell = layer.at(column, row);
      if (cell.character == 0) continue;
      if (first < 0) first = column;
      if (cell.character != render::TextCell::WideRight) text += text::encode_utf8(cell.character);
    }
    if (first >= 0) rows.push_back(std::to_string(row) + " " + std::to_string(first) + ":" + text);
  }
  return rows;
}

using Rows = std::vector<std::string>;

TEST(SubtitleLayout, HandlesNothingToShow) {
  EXPECT_TRUE(layout({}, {80, 24}).cells.empty());
  EXPECT_TRUE(layout({std::make_shared<SubtitleEvent>()}, {80, 24}).cells.empty());
  EXPECT_TRUE(layout({event("text")}, {3, 2}).cells.empty()) << "a grid without room for a wide character";
  EXPECT_TRUE(layout({event("text")}, {0, 0}).cells.empty());
  EXPECT_TRUE(layout({event("\xCC\x81")}, {80, 24}).cells.empty()) << "a mark without a base letter";
}

TEST(SubtitleLayout, BottomCentered) {
  EXPECT_EQ(rows_of(layout({event("Hello there.")}, {80, 24})), Rows{"22 33: Hello there. "});
  EXPECT_EQ(rows_of(layout({event("I said:|hello")}, {80, 24})), (Rows{"21 35: I said: ", "22 36: hello "}));
  EXPECT_EQ(rows_of(layout({event("Hello there.")}, {160, 45})), Rows{"42 73: Hello there. "});
}

TEST(SubtitleLayout, LongLinesBreakEvenly) {
  const auto long_line = event(
      "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of "
      "foolishness");
  EXPECT_EQ(rows_of(layout({long_line}, {80, 24})),
            (Rows{"21 11: It was the best of times, it was the worst of times, it ",
                  "22 13: was the age of wisdom, it was the age of foolishness "}));
  EXPECT_EQ(rows_of(layout({long_line}, {160, 45})),
            (Rows{"41 51: It was the best of times, it was the worst of times, it ",
                  "42 53: was the age of wisdom, it was the age of foolishness "}))
      << "lines stay short on wide grids";
}

TEST(SubtitleLayout, Alignments) {
  const GridSize grid{80, 24};
  EXPECT_EQ(rows_of(layout({event("text", 1)}, grid)), Rows{"22 4: text "});
  EXPECT_EQ(rows_of(layout({event("text", 3)}, grid)), Rows{"22 70: text "});
  EXPECT_EQ(rows_of(layout({event("text", 4)}, grid)), Rows{"11 4: text "});
  EXPECT_EQ(rows_of(layout({event("text", 5)}, grid)), Rows{"11 37: text "});
  EXPECT_EQ(rows_of(layout({event("text", 7)}, grid)), Rows{"1 4: text "});
  EXPECT_EQ(rows_of(layout({event("text", 8)}, grid)), Rows{"1 37: text "});
  EXPECT_EQ(rows_of(layout({event("text", 9)}, grid)), Rows{"1 70: text "});
  EXPECT_EQ(rows_of(layout({event("text", 77)}, grid)), Rows{"1 70: text "}) << "77 is out of range";
}

TEST(SubtitleLayout, SimultaneousEventsStackInOrder) {
  EXPECT_EQ(rows_of(layout({event("one"), event("two"), event("sign", 8), event("three", 1)}, {40, 12})),
            (Rows{"0 17: sign ", "9 17: one ", "10 17: two ", "11 2: three "}));
  EXPECT_EQ(rows_of(layout({event("twice", 1), event("twice", 3)}, {40, 12})).size(), 2U) << "left and right";
  EXPECT_EQ(rows_of(layout({event("twice"), event("twice"), event("twice", 8)}, {40, 12})),
            (Rows{"0 16: twice ", "11 16: twice "}));
}

TEST(SubtitleLayout, SmallGrids) {
  const auto speech = event("- What did you say?|- Nothing at all, my dear.");
  EXPECT_EQ(rows_of(layout({speech}, {20, 6})),
            (Rows{"2 4: - What did ", "3 5: you say? ", "4 3: - Nothing at ", "5 2: all, my dear. "}));
  const auto text = event("The quick brown fox|jumps over the lazy dog and then|it rests");
  EXPECT_EQ(rows_of(layout({text}, {20, 6})).size(), 4U)
      << "line breaks of the text are dropped to fit 62 cells in rows of 18";
  const Rows cut = rows_of(layout({event(std::string(400, 'x'))}, {20, 6}));
  ASSERT_EQ(cut.size(), 6U);
  EXPECT_EQ(cut.back(), "5 0: xxxxxxxxxxxxxxxxx… ");
  EXPECT_EQ(rows_of(layout({event("ab")}, {4, 1})), Rows{"0 0: ab "});
}

TEST(SubtitleLayout, UsesAtMostOneThirdOfRows) {
  const auto text = event("one|two|three|four|five|six|seven|eight|nine|ten");
  EXPECT_EQ(rows_of(layout({text}, {80, 24})),
            Rows{"22 15: one two three four five six seven eight nine ten "});
  const auto four = event("a|b|c|d");
  EXPECT_EQ(rows_of(layout({four}, {80, 24})).size(), 4U) << "four lines fit in a third of 24 rows";
}

TEST(SubtitleLayout, WideCharacters) {
  EXPECT_EQ(rows_of(layout({event("日本語の字幕です。")}, {80, 24})), Rows{"22 30: 日本語の字幕です。 "});
  render::TextLayer layer = layout({event("日本")}, {80, 24});
  EXPECT_EQ(layer.at(38, 22).character, U'日');
  EXPECT_EQ(layer.at(39, 22).character, render::TextCell::WideRight);
  EXPECT_EQ(layer.at(40, 22).character, U'本');
  EXPECT_EQ(layer.at(42, 22).character, U' ');
  EXPECT_EQ(layer.at(43, 22).character, 0U);
  // A row of 15 cells holds at most seven wide characters. A row must not start with an ideographic full
  // stop.
  EXPECT_EQ(rows_of(layout({event("吾輩は猫である。名前はまだ無い。")}, {17, 12})),
            (Rows{"9 1: 吾輩は猫であ ", "10 1: る。名前はま ", "11 3: だ無い。 "}));
}

TEST(SubtitleLayout, MarksAreComposed) {
  EXPECT_EQ(rows_of(layout({event("Cafe\xCC\x81 \xE2\x80\x8Bn\xCC\x83")}, {80, 24})), Rows{"22 36: Café ñ "});
  EXPECT_EQ(rows_of(layout({event("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB")}, {80, 24})), Rows{"22 38: 한 "});
}

TEST(SubtitleLayout, SpansKeepStyle) {
  SubtitleEvent styled;
  styled.lines = {
      {{.text = "a", .bold = true}, {.text = "b", .italic = true, .color = 0xFF8080}, {.text = "c"}}};
  render::TextLayer layer = layout({std::make_shared<const SubtitleEvent>(styled)}, {21, 5});
  using Cell = render::TextCell;
  EXPECT_EQ(layer.at(7, 4).character, 0U);
  EXPECT_EQ(layer.at(8, 4), (Cell{U' ', 0xFFFFFF, 0, 176}));
  EXPECT_EQ(layer.at(9, 4), (Cell{U'a', 0xFFFFFF, 0, 176, true, false}));
  EXPECT_EQ(layer.at(10, 4), (Cell{U'b', 0xFF8080, 0, 176, false, true}));
  EXPECT_EQ(layer.at(11, 4), (Cell{U'c', 0xFFFFFF, 0, 176}));
  EXPECT_EQ(layer.at(12, 4), (Cell{U' ', 0xFFFFFF, 0, 176}));
}

TEST(SubtitleLayout, DarkTextIsLightened) {
  SubtitleEvent black;
  black.lines = {{{.text = "a", .color = 0x000000}}};
  EXPECT_EQ(layout({std::make_shared<const SubtitleEvent>(black)}, {21, 5}).at(10, 4).foreground, 0x7F7F7FU);
}

TEST(LineBreaking, Words) {
  const auto parts = [](const char* text, int cells) {
    StyledLine line;
    append_characters(line, text, {});
    Rows rows;
    for (const StyledLine& part : break_line(line, cells)) {
      EXPECT_LE(cells_of(part), cells);
      std::string row;
      for (const StyledCharacter& c : part) row += text::encode_utf8(c.character);
      rows.push_back(row);
    }
    return rows;
  };
  EXPECT_EQ(parts("", 10), Rows{});
  EXPECT_EQ(parts("   ", 10), Rows{});
  EXPECT_EQ(parts("  a  b ", 10), Rows{"a  b"});
  EXPECT_EQ(parts("aaa bbb ccc", 7), (Rows{"aaa bbb", "ccc"}));
  EXPECT_EQ(parts("aaa bbb ccc ddd", 11), (Rows{"aaa bbb", "ccc ddd"}));
  EXPECT_EQ(parts("extraordinarily a", 10), (Rows{"extraordin", "arily a"}));
  EXPECT_EQ(parts("a b c d extraordinary", 13), (Rows{"a b c d", "extraordinary"}))
      << "words are not split for balance";
  EXPECT_EQ(parts("well-known -- yes", 6), (Rows{"well-", "known", "-- yes"}));
  EXPECT_EQ(parts("a\xC2\xA0"
                  "b c",
                  3),
            (Rows{"a\xC2\xA0"
                  "b",
                  "c"}));
  EXPECT_EQ(parts("日本", 2), (Rows{"日", "本"}));
  EXPECT_EQ(parts("あ、い", 4), (Rows{"あ、", "い"}));
  EXPECT_EQ(parts("a 「い」", 5), (Rows{"a", "「い", "」"})) << "「い」 needs 6 cells";
}

/// The layout of any text must fit in any grid, without splitting wide characters.
TEST(SubtitleLayout, FitsAnyTextInAnyGrid) {
  std::mt19937 random(21);
  const std::string pieces[] = {"a",  "bc", " ",        " ",        "-", "日", "本",           "。",
                                "「", "é",  "\xCC\x81", "\xC2\xA0", "|", "😀",  "\xE2\x80\x8D", "longerword",
                                "\t"};
  for (int round = 0; round < 3000; ++round) {
    const GridSize grid{static_cast<int>(random() % 60), static_cast<int>(random() % 20)};
    Events events;
    for (int i = static_cast<int>(random() % 4); i > 0; --i) {
      std::string text;
      for (int k = static_cast<int>(random() % 60); k > 0; --k) text += pieces[random() % std::size(pieces)];
      events.push_back(event(text, static_cast<int>(random() % 11)));
    }
    render::TextLayer layer = layout(events, grid);
    ASSERT_EQ(layer.grid, grid);
    if (layer.cells.empty()) continue;
    ASSERT_EQ(layer.cells.size(), static_cast<std::size_t>(grid.cells()));
    for (int row = 0; row < grid.rows; ++row) {
      for (int column = 0; column < grid.columns; ++column) {
        const char32_t character = layer.at(column, row).character;
        if (character == render::TextCell::WideRight) {
          ASSERT_GT(column, 0);
          ASSERT_TRUE(text::is_wide(layer.at(column - 1, row).character));
        } else if (text::is_wide(character)) {
          ASSERT_LT(column + 1, grid.columns);
          ASSERT_EQ(layer.at(column + 1, row).character, render::TextCell::WideRight);
        }
      }
    }
  }
}

TEST(SubtitleLayout, FullGridTextStaysInside) {
  std::string text;
  for (int i = 0; i < 1500; ++i) text += "word ";
  const Rows rows = rows_of(layout({event(text)}, {240, 67}));
  ASSERT_FALSE(rows.empty());
  EXPECT_LE(rows.size(), 67U);
  for (const std::string& row : rows) EXPECT_NE(row.find("word word word"), std::string::npos) << row;
}

}  // namespace
}  // namespace glyphreel::player::subtitle_layout_test
