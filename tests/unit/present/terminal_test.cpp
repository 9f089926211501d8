#include "present/terminal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "mapping/palette.h"

namespace glyphreel::present {
namespace {

std::shared_ptr<const text::GlyphSet> glyphs(const std::string& characters) {
  auto set = text::GlyphSet::make({.characters = characters});
  CHECK(static_cast<bool>(set), set.error().message);
  return *std::move(set);
}

render::RenderedFrame frame_of(GridSize grid, const std::vector<render::Cell>& cells) {
  return {.grid = grid, .cells = cells};
}

TEST(TerminalFrame, NamesColorsWhereTheyChange) {
  const auto set = glyphs(" ab");
  constexpr std::uint32_t Red = 0xFFFF0000;
  constexpr std::uint32_t Blue = 0xFF0000FF;
  const std::vector<render::Cell> cells = {{1, Red, Blue}, {2, Red, Blue}, {1, Blue, Blue},
                                           {1, Blue, Red}, {0, Red, Red},  {1, Blue, Red}};
  EXPECT_EQ(terminal_frame(frame_of({3, 2}, cells), *set, TerminalColors()),
            "\x1b[H\x1b[48;2;0;0;255m\x1b[38;2;255;0;0mab\x1b[38;2;0;0;255ma\r\n"
            "\x1b[48;2;255;0;0ma a\x1b[0m");
}

TEST(TerminalFrame, BlackIsAColor) {
  const auto set = glyphs("a");
  EXPECT_EQ(terminal_frame(frame_of({1, 1}, {{0, 0xFF000000, 0xFF000000}}), *set, TerminalColors()),
            "\x1b[H\x1b[48;2;0;0;0m\x1b[38;2;0;0;0ma\x1b[0m");
}

TEST(TerminalFrame, TextOverThePictureHasCharactersOfItsOwn) {
  const auto set = glyphs(" ab");
  const auto text = std::make_shared<render::OverlayGlyphs>();
  text->utf8 = {" ", "Ж", "漢", ""};
  text->columns = {text::GlyphColumns::Narrow, text::GlyphColumns::Narrow, text::GlyphColumns::WideLeft,
                   text::GlyphColumns::WideRight};
  constexpr std::uint32_t Black = 0xFF000000;
  constexpr std::uint32_t Red = 0xFFFF0000;
  const std::vector<render::Cell> cells = {
      {1, Red, Black}, {4, Red, Black}, {5, Red, Black}, {6, Red, Black}, {3, 0xFF00FF00, Black}};
  render::RenderedFrame frame = frame_of({5, 1}, cells);
  frame.overlay_glyphs = text;
  EXPECT_EQ(terminal_frame(frame, *set, TerminalColors()),
            "\x1b[H\x1b[48;2;0;0;0m\x1b[38;2;255;0;0maЖ漢 \x1b[0m");
}

/// A terminal as small as it can be: what stands where, in which colours.
struct Screen {
  struct Spot {
    std::string character;
    std::optional<std::uint32_t> ink, paper;
  };
  std::vector<std::vector<Spot>> rows{1};

  explicit Screen(const std::string& bytes) {
    std::optional<std::uint32_t> ink;
    std::optional<std::uint32_t> paper;
    for (std::size_t i = 0; i < bytes.size();) {
      if (bytes[i] == '\x1b') {
        const std::size_t end = bytes.find_first_of("Hm", i);
        int which = 0;
        unsigned r = 0;
        unsigned g = 0;
        unsigned b = 0;
        if (std::sscanf(bytes.c_str() + i, "\x1b[%d;2;%u;%u;%um", &which, &r, &g, &b) == 4) {
          (which == 38 ? ink : paper) = 0xFF000000u | r << 16 | g << 8 | b;
        }
        i = end + 1;
      } else if (bytes[i] == '\r') {
        rows.emplace_back();
        i += 2;
      } else {
        std::size_t length = 1;
        while (i + length < bytes.size() && (static_cast<unsigned char>(bytes[i + length]) & 0xC0) == 0x80)
          ++length;
        rows.back().push_back({bytes.substr(i, length), ink, paper});
        i += length;
      }
    }
  }
};

TEST(TerminalFrame, ShowsEveryCellAsItIs) {
  const auto set = glyphs(" #é█x");
  std::mt19937 random(4);
  const GridSize grid{31, 9};
  for (int round = 0; round < 20; ++round) {
    std::vector<render::Cell> cells;
    for (int i = 0; i < grid.cells(); ++i) {
      // Few colours, so that runs occur.
      cells.push_back({static_cast<std::uint32_t>(random() % 5),
                       0xFF000000u | static_cast<std::uint32_t>(random() % 3),
                       0xFF000000u | static_cast<std::uint32_t>(random() % 3)});
    }
    const Screen screen(terminal_frame(frame_of(grid, cells), *set, TerminalColors()));
    ASSERT_EQ(screen.rows.size(), 9u);
    for (std::size_t row = 0; row < 9; ++row) {
      ASSERT_EQ(screen.rows[row].size(), 31u);
      for (std::size_t column = 0; column < 31; ++column) {
        const Screen::Spot& spot = screen.rows[row][column];
        const render::Cell& cell = cells[row * 31 + column];
        ASSERT_EQ(spot.character, set->utf8(static_cast<int>(cell.glyph)));
        ASSERT_EQ(spot.paper, cell.background);
        if (cell.glyph != 0) {
          ASSERT_EQ(spot.ink, cell.foreground);
        }
      }
    }
  }
}

/// The right half of a wide character is neither printed nor are its colours.
TEST(TerminalFrame, AWideCharacterStandsOnTwoCells) {
  const auto set = glyphs(" aあ");
  ASSERT_TRUE(set->has_wide());
  const auto left = static_cast<std::uint32_t>(set->narrow_count());
  constexpr std::uint32_t Red = 0xFFFF0000;
  constexpr std::uint32_t Blue = 0xFF0000FF;
  const std::vector<render::Cell> cells = {{left, Red, Blue}, {left + 1, Blue, Red}, {1, Red, Blue},
                                           {1, Red, Blue},    {left, Red, Blue},     {left + 1, Red, Red}};
  EXPECT_EQ(terminal_frame(frame_of({3, 2}, cells), *set, TerminalColors()),
            "\x1b[H\x1b[48;2;0;0;255m\x1b[38;2;255;0;0mあa\r\naあ\x1b[0m");
}

std::string sequence(TerminalColors::Palette palette, TerminalColors::Target target, std::uint32_t color) {
  std::string text;
  TerminalColors(palette).append(text, target, color);
  return text;
}

TEST(TerminalColors, NumbersThePalettesColours) {
  using Palette = TerminalColors::Palette;
  using Target = TerminalColors::Target;
  const std::vector<std::uint32_t> sixteen = mapping::ansi16_palette();
  ASSERT_EQ(sixteen.size(), 16u);
  EXPECT_EQ(sequence(Palette::Ansi16, Target::Ink, 0xFF000000u | sixteen[1]), "\x1b[31m");
  EXPECT_EQ(sequence(Palette::Ansi16, Target::Paper, 0xFF000000u | sixteen[1]), "\x1b[41m");
  EXPECT_EQ(sequence(Palette::Ansi16, Target::Ink, sixteen[15]), "\x1b[97m");
  EXPECT_EQ(sequence(Palette::Ansi16, Target::Paper, sixteen[8]), "\x1b[100m");
  EXPECT_EQ(sequence(Palette::Ansi16, Target::Paper, 0xFF123456), "\x1b[48;2;18;52;86m") << "not in the palette";

  // The cube's corner, not the colour 15 that users change; its red step 1 is 95 (xterm's 256colres.h).
  EXPECT_EQ(sequence(Palette::Ansi256, Target::Ink, 0xFFFFFFFF), "\x1b[38;5;231m");
  EXPECT_EQ(sequence(Palette::Ansi256, Target::Paper, 0xFF5F0000), "\x1b[48;5;52m");
  EXPECT_EQ(sequence(Palette::Ansi256, Target::Paper, 0xFF080808), "\x1b[48;5;232m");
  EXPECT_EQ(sequence(Palette::None, Target::Ink, 0xFFFFFFFF), "\x1b[38;2;255;255;255m");
}

TEST(TerminalTitle, LetsNoControlCharacterThrough) {
  EXPECT_EQ(terminal_title("clip.mp4 - mode: edge"), "\x1b]2;clip.mp4 - mode: edge\a");
  EXPECT_EQ(terminal_title("é\x1b]0;x\a\n\x7f"), "\x1b]2;é?]0;x???\a");
  EXPECT_EQ(terminal_title("a\xC2\x9B\xC2\xA9"), "\x1b]2;a?\xC2\xA9\a") << "CSI as one character, and a plain one";
}

TEST(Terminal, IsAnErrorWhereThereIsNone) {
  if (isatty(1) != 0) GTEST_SKIP() << "standard output is a terminal here";
  const auto terminal = Terminal::open();
  ASSERT_FALSE(terminal);
  EXPECT_EQ(terminal.error().code, ErrorCode::NoDevice);
}

}  // namespace
}  // namespace glyphreel::present
