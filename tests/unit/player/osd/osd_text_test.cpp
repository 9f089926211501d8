#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "osd_samples.h"
#include "player/osd/cell_text.h"
#include "player/osd/text_canvas.h"
#include "text/code_points/unicode.h"

namespace glyphreel::player::osd_text_test {
namespace {

using Lines = std::vector<std::string>;

std::string utf8_of(std::u32string_view text) {
  std::string utf8;
  for (const char32_t c : text) utf8 += text::encode_utf8(c);
  return utf8;
}
std::string as_cells(std::string_view utf8) {
  return utf8_of(cell_text(utf8));
}

Lines wrapped_lines(std::string_view utf8, int columns) {
  const std::u32string text = cell_text(utf8, LineEnds::Keep);
  Lines lines;
  for (const TextRange r : wrapped(text, columns))
    lines.push_back(utf8_of(text.substr(r.begin, r.end - r.begin)));
  return lines;
}

TEST(OsdCellText, ReplacesZeroWidthCharacters) {
  EXPECT_EQ(as_cells("a\tb\nc\r\nd"), "a b c d");
  EXPECT_EQ(as_cells(std::string("a\0b\x1b[31m", 8)), "a\uFFFDb\uFFFD[31m");
  EXPECT_EQ(as_cells("a\u200Db\uFE0F\u00ADc"), "abc") << "joiner, variation selector, soft hyphen";
  EXPECT_EQ(as_cells("\uFFFFx\U0001FFFE\uFDD0"), "\uFFFDx\uFFFD\uFFFD")
      << "U+FFFF marks the right half of a wide character, so it must not be printed";
  EXPECT_EQ(cell_text("a\nb\u2028c", LineEnds::Keep), U"a\nb\nc");
}

TEST(OsdCellText, SurvivesInvalidUtf8) {
  EXPECT_EQ(as_cells("ok\xC3"), "ok\uFFFD");
  EXPECT_EQ(as_cells("\xC3(\xE2\x82z"), "\uFFFD(\uFFFD\uFFFDz");
  EXPECT_EQ(as_cells("é\xFFü"), "é\uFFFDü");
  EXPECT_EQ(as_cells("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD") << "a surrogate";
  EXPECT_EQ(as_cells(""), "");
}

TEST(OsdCellText, ComposesLettersAndMarks) {
  EXPECT_EQ(as_cells("Ame\u0301lie"), "Amélie");
  EXPECT_EQ(as_cells("e\u0302\u0301"), "ế") << "two marks";
  EXPECT_EQ(as_cells("か\u3099ハ\u309Aウ\u3099"), "がパヴ");
  EXPECT_EQ(as_cells("\u1112\u1161\u11AB\u1100\u1173\u11AF"), "한글");
  EXPECT_EQ(as_cells("x\u0301\u0301"), "x") << "no precomposed letter: the marks are dropped";
  EXPECT_EQ(as_cells("\u0301a"), "a");
}

TEST(OsdCellText, MeasuresCells) {
  EXPECT_EQ(cell_width("abc"), 3);
  EXPECT_EQ(cell_width("彼は"), 4);
  EXPECT_EQ(cell_width("e\u0301"), 1);
}

TEST(OsdCellText, TruncatesWithEllipsis) {
  EXPECT_EQ(utf8_of(shortened(U"abcdef", 6)), "abcdef");
  EXPECT_EQ(utf8_of(shortened(U"abcdef", 4)), "abc…");
  EXPECT_EQ(utf8_of(shortened(U"ab cdef", 4)), "ab…");
  EXPECT_EQ(utf8_of(shortened(U"彼は大きな", 6)), "彼は…");
  EXPECT_EQ(utf8_of(shortened(U"abc", 1)), "…");
  EXPECT_EQ(utf8_of(shortened(U"abc", 0)), "");
}

TEST(OsdCellText, WrapsAtSpacesAndWideCharacters) {
  EXPECT_EQ(wrapped_lines("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped_lines("one two three", 8), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped_lines("abcdefgh", 3), (Lines{"abc", "def", "gh"}));
  EXPECT_EQ(wrapped_lines("a\n\nb", 5), (Lines{"a", "", "b"}));
  EXPECT_EQ(wrapped_lines("彼は大きなうさぎです。", 8), (Lines{"彼は大き", "なうさぎ", "です。"}));
  EXPECT_EQ(wrapped_lines("彼は大き。うさぎ", 8), (Lines{"彼は大", "き。うさ", "ぎ"}))
      << "no line may start with a full stop";
  EXPECT_EQ(wrapped_lines("彼", 1), Lines{}) << "no room for a wide character";
  EXPECT_EQ(wrapped_lines("x", 0), Lines{});
}

TEST(OsdCellText, WrappedLinesFitAndLoseOnlySpaces) {
  std::mt19937 random(5);
  const std::u32string letters = U"ab  。彼「é\n";
  for (int round = 0; round < 2000; ++round) {
    std::u32string text;
    for (auto i = random() % 40; i > 0; --i) text += letters[random() % letters.size()];
    const int columns = 2 + static_cast<int>(random() % 12);
    std::u32string kept;
    for (const TextRange range : wrapped(text, columns)) {
      ASSERT_LE(cell_width(std::u32string_view(text).substr(range.begin, range.end - range.begin)), columns);
      kept += text.substr(range.begin, range.end - range.begin);
    }
    const auto bare = [](std::u32string t) {
      std::erase_if(t, [](char32_t c) { return c == U' ' || c == U'\n'; });
      return t;
    };
    ASSERT_EQ(bare(kept), bare(text));
  }
}

TEST(OsdComposition, TableRowsPairLettersWithComposed) {
  // The result is 0 if Unicode has no composed character for the pair.
  EXPECT_EQ(text::compose_pair(U'y', 0x300), U'ỳ');
  EXPECT_EQ(text::compose_pair(U'ư', 0x301), U'ứ');
  EXPECT_EQ(text::compose_pair(U'ộ', 0x301), char32_t{0});
  EXPECT_EQ(text::compose_pair(U'n', 0x303), U'ñ');
  EXPECT_EQ(text::compose_pair(U'u', 0x308), U'ü');
  EXPECT_EQ(text::compose_pair(U'a', 0x30A), U'å');
  EXPECT_EQ(text::compose_pair(U'c', 0x30C), U'č');
  EXPECT_EQ(text::compose_pair(U'c', 0x327), U'ç');
  EXPECT_EQ(text::compose_pair(U'ほ', 0x309A), U'ぽ');
  EXPECT_EQ(text::compose_pair(U'ま', 0x3099), char32_t{0});
  EXPECT_EQ(text::compose_pair(0xAC01, 0x11A8), char32_t{0}) << "the syllable already has a final consonant";
}

TEST(OsdTextCanvas, PrintsClipsAndAligns) {
  render::TextLayer layer = blank_text_layer({10, 4});
  TextCanvas canvas(layer);
  EXPECT_EQ(canvas.print(-2, 0, "abcdef", PlainText), 4);
  EXPECT_EQ(canvas.print_within(4, 1, 4, "abcdef", PlainText), 8);
  EXPECT_EQ(canvas.print_right(10, 2, 6, "xyz", PlainText), 7);
  canvas.print(0, 4, "below", PlainText);
  canvas.print(0, -1, "above", PlainText);
  EXPECT_EQ(lines_of(layer), (Lines{"cdef", "    abc…", "       xyz", ""}));
}

TEST(OsdTextCanvas, TextKeepsBackdrop) {
  render::TextLayer layer = blank_text_layer({3, 1});
  TextCanvas canvas(layer);
  canvas.part({0, 0, 1, 1}).fill({0x123456, 200});
  canvas.print(0, 0, "ab", {.foreground = 0xABCDEF, .bold = true, .italic = true});
  EXPECT_EQ(layer.at(0, 0), (render::TextCell{U'a', 0xABCDEF, 0x123456, 200, true, true}));
  EXPECT_EQ(layer.at(1, 0), (render::TextCell{U'b', 0xABCDEF, 0, 0, true, true}));
  EXPECT_EQ(layer.at(2, 0), render::TextCell{});
  canvas.print(0, 0, "c", {.foreground = 1, .backdrop = Backdrop{2, 3}});
  EXPECT_EQ(layer.at(0, 0), (render::TextCell{U'c', 1, 2, 3}));
}

TEST(OsdTextCanvas, WideCharactersAreNeverHalved) {
  render::TextLayer layer = blank_text_layer({6, 3});
  TextCanvas canvas(layer);
  canvas.print(0, 0, "彼は大", PlainText);
  EXPECT_EQ(layer.at(1, 0).character, render::TextCell::WideRight);
  EXPECT_EQ(lines_of(layer).front(), "彼は大");
  canvas.print(1, 0, "x", PlainText);
  EXPECT_EQ(lines_of(layer).front(), " xは大") << "the left half became a space";
  canvas.print(2, 0, "y", PlainText);
  EXPECT_EQ(lines_of(layer).front(), " xy 大");
  canvas.print(3, 0, "大", PlainText);
  EXPECT_EQ(lines_of(layer).front(), " xy大") << "halves of overwritten characters become spaces";
  EXPECT_EQ(layer.at(5, 0).character, U' ');
  canvas.print(5, 1, "彼", PlainText);
  canvas.print(-1, 2, "彼", PlainText);
  EXPECT_EQ(layer.at(5, 1).character, U' ');
  EXPECT_EQ(layer.at(0, 2).character, U' ');
}

TEST(OsdTextCanvas, ChildAreasAreClippedByParents) {
  render::TextLayer layer = blank_text_layer({8, 4});
  TextCanvas part = TextCanvas(layer).part({2, 1, 4, 2});
  part.part({-3, -3, 20, 20}).fill(osd_colors::Panel);
  part.part({1, 0, 9, 9}).print(0, 0, "abcdefgh", PlainText);
  part.part({-2, 1, 4, 1}).print(0, 0, "abcd", PlainText);
  EXPECT_EQ(lines_of(layer), (Lines{"", "   abc", "  cd", ""}));
  const auto written =
      std::count_if(layer.cells.begin(), layer.cells.end(), [](auto& c) { return c.character != 0; });
  EXPECT_EQ(written, 8);
}

TEST(OsdTextCanvas, NothingIsWrittenOutsideArea) {
  std::mt19937 random(7);
  const auto number = [&](int low, int high) {
    return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
  };
  const std::vector<float> values = sample_series(50, 1, 2, 9);
  for (int round = 0; round < 3000; ++round) {
    render::TextLayer layer = blank_text_layer({number(1, 12), number(1, 6)});
    const CellArea area{number(-4, 12), number(-4, 6), number(-2, 14), number(-2, 8)};
    TextCanvas part = TextCanvas(layer).part(area);
    const int column = number(-5, 10), row = number(-2, 6), width = number(-3, 15);
    part.part({column, row, width, number(-2, 4)}).fill(osd_colors::Panel);
    part.print(column, row, "a彼bは", PlainText);
    part.print_within(column, row + 1, width, "大きなうさぎ", PlainText);
    part.print_right(column, row, width, "大きな", PlainText);
    part.bar(column, row, width, 0.4);
    part.sparkline(column, row, width, values, 9, PlainText);
    part.line_plot(values, 4, PlainText);
    for (int r = 0; r < layer.grid.rows; ++r) {
      for (int c = 0; c < layer.grid.columns; ++c) {
        if (area.contains(c, r)) continue;
        ASSERT_EQ(layer.at(c, r), render::TextCell{}) << c << ", " << r;
      }
    }
  }
}

TEST(OsdTextCanvas, BarsFillByEighths) {
  const auto bar = [](double fraction) {
    render::TextLayer layer = blank_text_layer({4, 1});
    TextCanvas(layer).bar(0, 0, 4, fraction);
    EXPECT_EQ(layer.cells[3].background, osd_colors::Track);
    EXPECT_EQ(layer.cells[0].foreground, osd_colors::Accent);
    return lines_of(layer).front();
  };
  EXPECT_EQ(bar(0), "");
  EXPECT_EQ(bar(1.0 / 32), "▏");
  EXPECT_EQ(bar(4.0 / 32), "▌");
  EXPECT_EQ(bar(15.0 / 32), "█▉");
  EXPECT_EQ(bar(0.5), "██");
  EXPECT_EQ(bar(1), "████");
  EXPECT_EQ(bar(7), "████");
  EXPECT_EQ(bar(-1), "");
  EXPECT_EQ(bar(std::nan("")), "");
}

TEST(OsdTextCanvas, SparklinesShowNewestOnRight) {
  const auto line = [](const std::vector<float>& values, int width, float high) {
    render::TextLayer layer = blank_text_layer({width, 1});
    TextCanvas(layer).sparkline(0, 0, width, values, high, PlainText);
    return lines_of(layer).front();
  };
  EXPECT_EQ(line({1, 2, 3, 4, 5, 6, 7, 8}, 8, 8), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(line({9, 9, 1, 8}, 2, 8), "▁█");
  EXPECT_EQ(line({4}, 3, 8), "  ▄");
  EXPECT_EQ(line({0, 0.001f, std::numeric_limits<float>::quiet_NaN(), 99}, 4, 8), " ▁ █");
  EXPECT_EQ(line({1, 2}, 2, 0), "");
}

TEST(OsdTextCanvas, LinePlotsAreConnectedDots) {
  const auto plot = [](std::vector<float> values, GridSize size) {
    render::TextLayer layer = blank_text_layer(size);
    for (float& value : values) value -= 1.5f;  // plots 0 at the bottom and 3 at the top
    TextCanvas(layer).line_plot(values, 1.5f, PlainText);
    return lines_of(layer);
  };
  EXPECT_EQ(plot({0, 1, 2, 3}, {2, 1}), (Lines{"⡠⠊"}));
  EXPECT_EQ(plot({0, 3}, {1, 1}), (Lines{"⡸"})) << "a step is drawn as a line";
  EXPECT_EQ(plot({3, 3, 3, 3, 0, 0}, {1, 1}), (Lines{"⣀"})) << "only the newest values fit";
  EXPECT_EQ(plot({0}, {2, 1}), (Lines{" ⢀"}));
  EXPECT_EQ(plot({0, std::numeric_limits<float>::infinity(), 0, 99}, {2, 1}), (Lines{"⡀⡸"}));
  EXPECT_EQ(plot({0, 3}, {1, 2}), (Lines{"⢸", "⡸"}));
}

/// Returns the relative luminance according to WCAG 2.1.
double luminance(std::uint32_t rgb) {
  const auto linear = [&](int shift) {
    const double c = ((rgb >> shift) & 0xFFu) / 255.0;
    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

std::uint32_t over_picture(Backdrop backdrop, std::uint32_t picture) {
  std::uint32_t rgb = 0;
  for (const int shift : {16, 8, 0}) {
    const std::uint32_t own = (backdrop.color >> shift) & 0xFFu, under = (picture >> shift) & 0xFFu;
    rgb |= (own * backdrop.opacity + under * (255u - backdrop.opacity)) / 255u << shift;
  }
  return rgb;
}

TEST(OsdPalette, IsReadableOverAnyPicture) {
  const auto contrast = [](std::uint32_t text, Backdrop backdrop, std::uint32_t picture) {
    return (luminance(text) + 0.05) / (luminance(over_picture(backdrop, picture)) + 0.05);
  };
  for (const std::uint32_t picture : {0xFFFFFFu, 0xFFFF00u, 0x808080u, 0x000000u}) {
    for (const Backdrop backdrop : {osd_colors::Panel, osd_colors::Raised}) {
      for (const std::uint32_t text :
           {osd_colors::Text, osd_colors::Dim, osd_colors::Accent, osd_colors::Error}) {
        EXPECT_GE(contrast(text, backdrop, picture), 4.5) << std::hex << text << " over " << picture;
      }
    }
  }
  EXPECT_GE((luminance(osd_colors::Accent) + 0.05) / (luminance(osd_colors::Dark) + 0.05), 7.0);
}

}  // namespace
}  // namespace glyphreel::player::osd_text_test
