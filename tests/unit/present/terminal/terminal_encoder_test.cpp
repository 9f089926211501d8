#include "present/terminal/terminal_encoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "mapping/tables/palette.h"
#include "terminal_emulator.h"

namespace glyphreel::present::terminal_encoder_test {
namespace {

using testing::Emulator;

constexpr std::uint32_t Red = 0xFFFF0000;
constexpr std::uint32_t Blue = 0xFF0000FF;
constexpr std::uint32_t Black = 0xFF000000;
constexpr TerminalCapabilities Plain = {.colors = ColorDepth::Direct};
constexpr TerminalCapabilities Full = {
    .colors = ColorDepth::Direct, .back_color_erase = true, .erase_characters = true, .private_modes = true};

std::shared_ptr<const text::GlyphSet> glyphs(const std::string& characters) {
  auto set = text::GlyphSet::make({.characters = characters});
  CHECK(static_cast<bool>(set), set.error().message);
  return *std::move(set);
}

render::RenderedFrame frame_of(GridSize grid, const std::vector<render::Cell>& cells) {
  return {.grid = grid, .cells = cells};
}

TerminalEncoder screen_of(GridSize size, const TerminalCapabilities& capabilities = Plain,
                          int tolerance = 0) {
  TerminalEncoder screen(capabilities);
  screen.set_tolerance(tolerance);
  screen.reset(size);
  return screen;
}

constexpr const char* Clear = "\x1b[m\x1b[H\x1b[2J";

TEST(TerminalEncoder, SendsColorsOnlyOnChange) {
  const auto set = glyphs(" ab");
  const std::vector<render::Cell> cells = {{1, Red, Blue}, {2, Red, Blue}, {1, Blue, Blue},
                                           {1, Blue, Red}, {0, Red, Red},  {1, Blue, Red}};
  EXPECT_EQ(screen_of({3, 2}).encode(frame_of({3, 2}, cells), *set),
            Clear + std::string("\x1b[48;2;0;0;255;38;2;255;0;0mab\x1b[38;2;0;0;255ma\r\n"
                                "\x1b[48;2;255;0;0ma a\x1b[m"));
}

TEST(TerminalEncoder, SendsBlackAsColor) {
  const auto set = glyphs("a");
  EXPECT_EQ(screen_of({1, 1}).encode(frame_of({1, 1}, {{0, Black, Black}}), *set),
            Clear + std::string("\x1b[48;2;0;0;0;38;2;0;0;0ma\x1b[m"));
}

TEST(TerminalEncoder, SendsOnlyChangedCells) {
  const auto set = glyphs(" ab");
  TerminalEncoder screen = screen_of({40, 3});
  std::vector<render::Cell> cells(120, render::Cell{1, Red, Blue});
  ASSERT_FALSE(screen.encode(frame_of({40, 3}, cells), *set).empty());
  EXPECT_EQ(screen.encode(frame_of({40, 3}, cells), *set), "");
  cells[40 + 20].glyph = 2;
  cells[40 + 22].glyph = 2;  // writing the cell in between is shorter than a cursor move
  cells[40 + 39].glyph = 2;
  cells[80].glyph = 2;
  EXPECT_EQ(screen.encode(frame_of({40, 3}, cells), *set),
            "\x1b[2;21H\x1b[48;2;0;0;255;38;2;255;0;0mbab\x1b[16Cb\r\nb\x1b[m");
  cells[0].foreground = Blue;
  EXPECT_EQ(screen.encode(frame_of({40, 3}, cells), *set), "\x1b[H\x1b[48;2;0;0;255;38;2;0;0;255ma\x1b[m");
  screen.reset({40, 3});
  EXPECT_GT(screen.encode(frame_of({40, 3}, cells), *set).size(), 120u) << "reset() must cause a full redraw";
}

TEST(TerminalEncoder, UsesReverseVideoForSwappedColors) {
  const auto set = glyphs(" a");
  const std::vector<render::Cell> cells = {{1, Red, Blue}, {1, Blue, Red}, {1, Red, Blue}};
  EXPECT_EQ(screen_of({3, 1}).encode(frame_of({3, 1}, cells), *set),
            Clear + std::string("\x1b[48;2;0;0;255;38;2;255;0;0ma\x1b[7ma\x1b[27ma\x1b[m"));
}

TEST(TerminalEncoder, ErasesRunsOfBlanks) {
  const auto set = glyphs(" a");
  std::vector<render::Cell> cells(60, render::Cell{0, Red, Blue});
  cells[0].glyph = 1;
  EXPECT_EQ(screen_of({60, 1}, Full).encode(frame_of({60, 1}, cells), *set),
            "\x1b[?2026h" + std::string(Clear) + "\x1b[48;2;0;0;255;38;2;255;0;0ma\x1b[K\x1b[m\x1b[?2026l");
  cells[40].glyph = 1;
  EXPECT_EQ(screen_of({60, 1}, Full).encode(frame_of({60, 1}, cells), *set),
            "\x1b[?2026h" + std::string(Clear) +
                "\x1b[48;2;0;0;255;38;2;255;0;0ma\x1b[39X\x1b[39Ca\x1b[K\x1b[m\x1b[?2026l");
  EXPECT_NE(screen_of({60, 1}).encode(frame_of({60, 1}, cells), *set).find(std::string(19, ' ')),
            std::string::npos)
      << "a terminal without back-color erase must not erase";
}

TEST(TerminalEncoder, SendsOnlyTextWithoutColors) {
  const auto set = glyphs(" a");
  const std::vector<render::Cell> cells = {{1, Red, Blue}, {1, Blue, Red}};
  EXPECT_EQ(screen_of({2, 1}, TerminalCapabilities{}).encode(frame_of({2, 1}, cells), *set),
            "\x1b[H\x1b[2Jaa");
}

/// The encoder neither prints nor colors the right half of a wide character.
TEST(TerminalEncoder, WideCharacterSpansTwoCells) {
  const auto set = glyphs(" aあ");
  ASSERT_TRUE(set->has_wide());
  const auto left = static_cast<std::uint32_t>(set->narrow_count());
  const std::vector<render::Cell> cells = {{left, Red, Blue}, {left + 1, Blue, Red}, {1, Red, Blue},
                                           {1, Red, Blue},    {left, Red, Blue},     {left + 1, Red, Red}};
  EXPECT_EQ(screen_of({3, 2}).encode(frame_of({3, 2}, cells), *set),
            Clear + std::string("\x1b[48;2;0;0;255;38;2;255;0;0mあa\r\naあ\x1b[m"));
}

TEST(TerminalEncoder, ClipsToTerminalSize) {
  const auto set = glyphs(" aあ");
  const auto left = static_cast<std::uint32_t>(set->narrow_count());
  const std::vector<render::Cell> cells = {{1, Red, Blue}, {left, Red, Blue}, {left + 1, Red, Blue},
                                           {1, Red, Blue}, {1, Red, Blue},    {1, Red, Blue}};
  EXPECT_EQ(screen_of({2, 1}).encode(frame_of({3, 2}, cells), *set),
            Clear + std::string("\x1b[48;2;0;0;255;38;2;255;0;0ma \x1b[m"))
      << "half of a wide character at the edge becomes a blank";
}

std::string parameters(TerminalColor color) {
  std::string text;
  append_color(text, ColorTarget::Foreground, color);
  return text.starts_with("38;") ? text.substr(3)
                                 : std::to_string(std::atoi(text.c_str()) % 10 + (text[0] == '9' ? 8 : 0));
}

int most_away(const std::string& shown, std::uint32_t color) {
  int r = 0;
  int g = 0;
  int b = 0;
  CHECK(std::sscanf(shown.c_str(), "2;%d;%d;%d", &r, &g, &b) == 3, "not a 24-bit color");
  const auto part = [&](int shift) { return static_cast<int>(color >> shift & 255); };
  return std::max({std::abs(r - part(16)), std::abs(g - part(8)), std::abs(b - part(0))});
}

template <typename Below, typename Color>
void add_wide_characters(std::vector<render::Cell>& cells, GridSize grid, const text::GlyphSet& set,
                         const Below& below, const Color& color) {
  for (std::uint32_t changes = below(20); changes > 0; --changes) {
    const std::size_t at = below(static_cast<std::uint32_t>(cells.size()));
    if (at % grid.columns + 1 >= static_cast<std::size_t>(grid.columns)) continue;
    const std::uint32_t left = static_cast<std::uint32_t>(set.narrow_count()) + below(2) * 2;
    cells[at] = {left, color(), color()};
    cells[at + 1] = {left + 1, color(), color()};
  }
}

/// Replaces single halves of wide characters, since a renderer's output never contains single halves.
void replace_single_halves(std::vector<render::Cell>& cells, GridSize grid, const text::GlyphSet& set) {
  const auto columns = [&](std::size_t at) { return set.columns(static_cast<int>(cells[at].glyph)); };
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool last = (i + 1) % static_cast<std::size_t>(grid.columns) == 0;
    if (columns(i) == text::GlyphColumns::WideLeft && !last && cells[i + 1].glyph == cells[i].glyph + 1)
      ++i;
    else if (columns(i) != text::GlyphColumns::Narrow)
      cells[i].glyph = 1;
  }
}

void expect_color(const std::string& shown, std::uint32_t rgb, const TerminalColors& colors, int tolerance) {
  const TerminalColor exact = colors.of(rgb);
  if (exact.is_default()) {
    ASSERT_EQ(shown, "");
  } else if (exact.is_direct() && tolerance > 0) {
    ASSERT_LE(most_away(shown, rgb), tolerance);
  } else {
    ASSERT_EQ(shown, parameters(exact));
  }
}

/// Compares what the terminal shows with a rendered cell. `cell` must point into the array of the frame's
/// cells: if it is the right half of a wide character, the cell before it is read as well.
void expect_cell(const Emulator::Spot& spot, const render::Cell* cell, bool is_last_column,
                 const text::GlyphSet& set, const TerminalColors& colors, int tolerance) {
  char32_t wanted = set.code_points()[cell->glyph];
  const text::GlyphColumns half = set.columns(static_cast<int>(cell->glyph));
  if (half == text::GlyphColumns::WideRight) {
    wanted = Emulator::RightHalf;
    --cell;
  } else if (half == text::GlyphColumns::WideLeft && is_last_column) {
    wanted = U' ';
  }
  ASSERT_EQ(spot.character, wanted);
  ASSERT_NO_FATAL_FAILURE(expect_color(spot.background, cell->background, colors, tolerance));
  if (wanted != U' ') {
    ASSERT_NO_FATAL_FAILURE(expect_color(spot.foreground, cell->foreground, colors, tolerance));
  }
}

struct Trace {
  TerminalCapabilities capabilities;
  TerminalColors::Palette palette = TerminalColors::Palette::None;
  int tolerance = 0;
  bool wide = false;
};

/// Checks that a terminal shows exactly the last frame after any sequence of frames, sizes and colors.
class TerminalTraces : public ::testing::TestWithParam<int> {
 protected:
  static Trace trace(int number) {
    Trace trace;
    trace.capabilities = {.colors = static_cast<ColorDepth>(number % 4),
                          .back_color_erase = (number / 4) % 2 == 0,
                          .erase_characters = (number / 8) % 2 == 0,
                          .private_modes = number % 3 != 0};
    if (number % 5 == 1) trace.palette = TerminalColors::Palette::Ansi16;
    if (number % 5 == 2) trace.palette = TerminalColors::Palette::Ansi256;
    if (number % 5 == 3) trace.tolerance = 6;
    trace.wide = number % 2 == 0;
    return trace;
  }
};

TEST_P(TerminalTraces, EndWithLastFrame) {
  const Trace trace = TerminalTraces::trace(GetParam());
  const auto set = glyphs(trace.wide ? " #é█あ漢x" : " #é█x");
  const TerminalColors colors(trace.palette, trace.capabilities.colors);
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
  GridSize size{37, 11};
  GridSize grid = size;
  TerminalEncoder screen = screen_of(size, trace.capabilities, trace.tolerance);
  screen.use_colors(colors);
  Emulator terminal(size, trace.capabilities.back_color_erase);
  std::vector<render::Cell> cells;
  const auto color = [&] {
    return 0xFF000000u | (below(2) == 0 ? below(3) * 0x00FF7Fu : below(30) * 0x010203u);
  };
  const auto fill = [&](std::size_t from, std::size_t to) {
    const render::Cell cell{below(static_cast<std::uint32_t>(set->narrow_count())), color(), color()};
    for (std::size_t i = from; i < to; ++i) cells[i] = cell;
  };
  for (int round = 0; round < 60; ++round) {
    if (round % 20 == 0) {
      size = {1 + static_cast<int>(below(70)), 1 + static_cast<int>(below(12))};
      grid =
          below(2) == 0 ? size : GridSize{1 + static_cast<int>(below(70)), 1 + static_cast<int>(below(12))};
      screen.reset(size);
      terminal.resize(size);
      cells.assign(static_cast<std::size_t>(grid.cells()), render::Cell{0, color(), color()});
    } else if (round % 7 == 3) {
      screen.reset(size);
      terminal.resize(size);
    }
    for (std::uint32_t changes = below(12); changes > 0; --changes) {
      const std::size_t from = below(static_cast<std::uint32_t>(cells.size()));
      fill(from, std::min(cells.size(), from + (below(3) == 0 ? below(60) : below(3))));
    }
    if (trace.wide) {
      add_wide_characters(cells, grid, *set, below, color);
      replace_single_halves(cells, grid, *set);
    }
    terminal.write(screen.encode(frame_of(grid, cells), *set));
    ASSERT_TRUE(terminal.is_plain()) << "a frame must end with the default colors";
    ASSERT_FALSE(terminal.in_update());
    for (int row = 0; row < size.rows; ++row) {
      for (int column = 0; column < size.columns; ++column) {
        SCOPED_TRACE("round " + std::to_string(round) + ", column " + std::to_string(column) + ", row " +
                     std::to_string(row));
        const Emulator::Spot& spot = terminal.at(column, row);
        if (column < grid.columns && row < grid.rows) {
          const render::Cell* cell = &cells[static_cast<std::size_t>(row * grid.columns + column)];
          expect_cell(spot, cell, column + 1 == size.columns, *set, colors, trace.tolerance);
        } else {
          ASSERT_EQ(spot.character, U' ');
          ASSERT_EQ(spot.background, "");
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}
INSTANTIATE_TEST_SUITE_P(All, TerminalTraces, ::testing::Range(0, 60));

TEST(TerminalEncoder, SlowChangeIsEventuallySent) {
  const auto set = glyphs("a");
  TerminalEncoder screen = screen_of({1, 1}, Plain, 4);
  std::string all;
  int sent = 0;
  for (std::uint32_t level = 0; level <= 100; ++level) {
    const std::string bytes = screen.encode(frame_of({1, 1}, {{0, Black, level * 0x010101}}), *set);
    if (!bytes.empty()) ++sent;
  }
  EXPECT_GE(sent, 21) << "the first step and every fifth after it";
  EXPECT_LE(sent, 25) << "and two refreshes";
}

std::string sequence(TerminalColors::Palette palette, ColorDepth depth, ColorTarget target,
                     std::uint32_t color) {
  std::string text;
  append_color(text, target, TerminalColors(palette, depth).of(color));
  return text;
}

TEST(TerminalEncoder, EachRowIsRefreshedInTurn) {
  const auto set = glyphs(" a");
  const GridSize size{4, TerminalEncoder::RefreshPeriod + 2};
  const auto cells = [&](std::uint32_t color) {
    return std::vector<render::Cell>(static_cast<std::size_t>(size.cells()), {1, color, Black});
  };
  const auto dark = cells(0xFF101010);
  const auto light = cells(0xFF121212);
  TerminalEncoder screen = screen_of(size, Full, 3);
  ASSERT_FALSE(screen.encode(frame_of(size, dark), *set).empty());
  TerminalEncoder paused = screen;
  int rows = 0;
  for (int frame = 0; frame < TerminalEncoder::RefreshPeriod; ++frame) {
    const std::string text = screen.encode(frame_of(size, light), *set);
    const auto sent = std::ranges::count(text, 'a');
    EXPECT_LE(sent, 2 * size.columns) << "at most two rows of each frame are refreshed";
    rows += static_cast<int>(sent) / size.columns;
  }
  EXPECT_EQ(rows, size.rows);
  EXPECT_EQ(screen.refresh(), "") << "every row has been refreshed";

  static_cast<void>(paused.encode(frame_of(size, light), *set));
  EXPECT_GE(std::ranges::count(paused.refresh(), 'a'), (size.rows - 2) * size.columns);
  EXPECT_EQ(paused.refresh(), "");
}

TEST(TerminalColors, MapsPaletteColorsToIndices) {
  using Palette = TerminalColors::Palette;
  constexpr ColorDepth Direct = ColorDepth::Direct;
  const std::vector<std::uint32_t> sixteen = mapping::ansi16_palette();
  ASSERT_EQ(sixteen.size(), 16u);
  EXPECT_EQ(sequence(Palette::Ansi16, Direct, ColorTarget::Foreground, 0xFF000000u | sixteen[1]), "31");
  EXPECT_EQ(sequence(Palette::Ansi16, Direct, ColorTarget::Background, 0xFF000000u | sixteen[1]), "41");
  EXPECT_EQ(sequence(Palette::Ansi16, Direct, ColorTarget::Foreground, sixteen[15]), "97");
  EXPECT_EQ(sequence(Palette::Ansi16, Direct, ColorTarget::Background, sixteen[8]), "100");
  EXPECT_EQ(sequence(Palette::Ansi16, Direct, ColorTarget::Background, 0xFF123456), "48;2;18;52;86")
      << "a color that is not in the palette";

  // White maps to 231, the corner of the 6x6x6 cube, not to 15, which users can redefine. The cube's first
  // nonzero level is 95 (xterm's 256colres.h).
  EXPECT_EQ(sequence(Palette::Ansi256, Direct, ColorTarget::Foreground, 0xFFFFFFFF), "38;5;231");
  EXPECT_EQ(sequence(Palette::Ansi256, Direct, ColorTarget::Background, 0xFF5F0000), "48;5;52");
  EXPECT_EQ(sequence(Palette::Ansi256, Direct, ColorTarget::Background, 0xFF080808), "48;5;232");
  EXPECT_EQ(sequence(Palette::None, Direct, ColorTarget::Foreground, 0xFFFFFFFF), "38;2;255;255;255");
}

TEST(TerminalColors, AreReducedToTerminalDepth) {
  using Palette = TerminalColors::Palette;
  EXPECT_EQ(sequence(Palette::None, ColorDepth::Ansi256, ColorTarget::Background, 0xFFFFFF), "48;5;231");
  EXPECT_EQ(sequence(Palette::None, ColorDepth::Ansi256, ColorTarget::Background, 0xFE0101), "48;5;196");
  EXPECT_EQ(sequence(Palette::None, ColorDepth::Ansi16, ColorTarget::Foreground, 0xFE0101), "91");
  EXPECT_EQ(sequence(Palette::None, ColorDepth::Ansi16, ColorTarget::Background, 0x000000), "40");
  EXPECT_EQ(sequence(Palette::Ansi256, ColorDepth::Ansi16, ColorTarget::Foreground, 0x5F0000).size(), 2u);
  EXPECT_EQ(sequence(Palette::Ansi16, ColorDepth::Ansi256, ColorTarget::Foreground, 0xCD0000), "31");
  EXPECT_TRUE(TerminalColors(Palette::Ansi16, ColorDepth::None).of(0xFF0000).is_default());
}

TEST(TerminalTitle, StripsControlCharacters) {
  EXPECT_EQ(terminal_title("clip.mp4 - mode: edge"), "\x1b]2;clip.mp4 - mode: edge\a");
  EXPECT_EQ(terminal_title("é\x1b]0;x\a\n\x7f"), "\x1b]2;é?]0;x???\a");
  EXPECT_EQ(terminal_clipboard("a glyph"), "\x1b]52;c;YSBnbHlwaA==\a");
  EXPECT_EQ(terminal_title("a\xC2\x9B\xC2\xA9"), "\x1b]2;a?\xC2\xA9\a")
      << "U+009B is the control character CSI; U+00A9 is printable";
}

}  // namespace
}  // namespace glyphreel::present::terminal_encoder_test
