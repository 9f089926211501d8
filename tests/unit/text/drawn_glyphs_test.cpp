#include "text/drawn_glyphs.h"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "text/code_points/unicode.h"

namespace glyphreel::text::drawn_glyphs_test {
namespace {

constexpr CellSize Sizes[] = {{8, 16}, {6, 12}, {10, 20}, {16, 32}, {1, 1}, {3, 5}, {8, 8}, {255, 255}};

struct Drawn {
  CellSize cell;
  std::vector<std::uint8_t> mask;

  [[nodiscard]] int at(int x, int y) const { return mask[static_cast<std::size_t>(y * cell.width + x)]; }
  [[nodiscard]] int total_coverage() const { return std::accumulate(mask.begin(), mask.end(), 0); }
};

Drawn draw(char32_t code_point, CellSize cell) {
  Drawn drawn{cell, std::vector<std::uint8_t>(static_cast<std::size_t>(cell.width * cell.height))};
  EXPECT_TRUE(draw_without_font(code_point, CellCanvas(cell, drawn.mask.data())))
      << code_point_name(code_point);
  return drawn;
}

/// Returns the glyph as readable text: '#' for full coverage, '.' for none, '+' for partial coverage.
std::string picture(const Drawn& drawn) {
  std::string text;
  for (int y = 0; y < drawn.cell.height; ++y) {
    for (int x = 0; x < drawn.cell.width; ++x) {
      const int coverage = drawn.at(x, y);
      text += coverage == 255 ? '#' : coverage == 0 ? '.' : '+';
    }
    text += '\n';
  }
  return text;
}

TEST(DrawnGlyphs, CoverOnlyListedBlocks) {
  std::vector<std::uint8_t> mask(128, 7);
  for (const char32_t code_point :
       {U'A', U' ', U'\u24FF', U'\u25A0', U'\u27FF', U'\u2900', U'\U0001FAFF', U'\U0001FB3C', U'\U0001CCFF',
        U'\U0001CDE6', U'\U0001FB83', U'\U0001FBE5'}) {
    EXPECT_FALSE(is_drawn_without_font(code_point));
    EXPECT_FALSE(draw_without_font(code_point, CellCanvas({8, 16}, mask.data())));
  }
  EXPECT_EQ(mask, std::vector<std::uint8_t>(128, 7));
}

TEST(DrawnGlyphs, FullBlockFillsEveryPixelAtEverySize) {
  for (const CellSize cell : Sizes) {
    EXPECT_EQ(draw(0x2588, cell).total_coverage(), 255 * cell.width * cell.height);
  }
}

TEST(DrawnGlyphs, HalvesAreExactAndComplementary) {
  for (const CellSize cell : Sizes) {
    const Drawn upper = draw(0x2580, cell), lower = draw(0x2584, cell), left = draw(0x258C, cell),
                right = draw(0x2590, cell);
    for (int y = 0; y < cell.height; ++y) {
      for (int x = 0; x < cell.width; ++x) {
        // If the cell's height or width is odd, half blocks have a coverage of 50 % in the middle row or
        // column.
        const auto half = [](int pixel, int size) {
          return 2 * pixel + 1 == size ? 128 : 2 * pixel < size ? 255 : 0;
        };
        EXPECT_EQ(upper.at(x, y), half(y, cell.height));
        EXPECT_EQ(lower.at(x, y), half(cell.height - 1 - y, cell.height));
        EXPECT_EQ(left.at(x, y), half(x, cell.width));
        EXPECT_EQ(right.at(x, y), half(cell.width - 1 - x, cell.width));
      }
    }
  }
}

TEST(DrawnGlyphs, EighthsGrowUniformly) {
  for (int eighths = 1; eighths <= 8; ++eighths) {
    const char32_t lower = 0x2580 + static_cast<char32_t>(eighths);
    const char32_t left = 0x2590 - static_cast<char32_t>(eighths);
    EXPECT_EQ(draw(lower, {8, 16}).total_coverage(), 255 * 8 * 2 * eighths);
    EXPECT_EQ(draw(left, {8, 16}).total_coverage(), 255 * 16 * eighths);
    EXPECT_EQ(draw(lower, {8, 16}).at(0, 16 - 2 * eighths), 255);
    EXPECT_EQ(draw(left, {8, 16}).at(eighths - 1, 0), 255);
    EXPECT_NEAR(draw(lower, {3, 5}).total_coverage(), 255 * 15 * eighths / 8.0, 8);
  }
  EXPECT_EQ(draw(0x2594, {8, 16}).total_coverage(), 255 * 8 * 2);
  EXPECT_EQ(draw(0x2594, {8, 16}).at(7, 1), 255);
  EXPECT_EQ(draw(0x2595, {8, 16}).total_coverage(), 255 * 16);
  EXPECT_EQ(draw(0x2595, {8, 16}).at(7, 15), 255);
}

TEST(DrawnGlyphs, ShadesAreUniform) {
  const int expected[] = {64, 128, 191};
  for (int shade = 0; shade < 3; ++shade) {
    const Drawn drawn = draw(0x2591 + static_cast<char32_t>(shade), {8, 16});
    EXPECT_EQ(drawn.mask, std::vector<std::uint8_t>(128, static_cast<std::uint8_t>(expected[shade])));
  }
}

TEST(DrawnGlyphs, QuadrantsAndSextantsFillNamedTiles) {
  EXPECT_EQ(picture(draw(0x2596, {4, 4})), "....\n....\n##..\n##..\n");  // lower left
  EXPECT_EQ(picture(draw(0x2598, {4, 4})), "##..\n##..\n....\n....\n");  // upper left
  EXPECT_EQ(picture(draw(0x259A, {4, 4})), "##..\n##..\n..##\n..##\n");  // upper left and lower right
  EXPECT_EQ(picture(draw(0x259F, {4, 4})), "..##\n..##\n####\n####\n");  // all but upper left
  EXPECT_EQ(picture(draw(0x1FB00, {2, 3})), "#.\n..\n..\n");             // sextant-1
  EXPECT_EQ(picture(draw(0x1FB13, {2, 3})), "..\n#.\n#.\n");             // sextant-35
  EXPECT_EQ(picture(draw(0x1FB14, {2, 3})), ".#\n#.\n#.\n");             // sextant-235
  EXPECT_EQ(picture(draw(0x1FB27, {2, 3})), "#.\n.#\n.#\n");             // sextant-146
  EXPECT_EQ(picture(draw(0x1FB28, {2, 3})), "##\n.#\n.#\n");             // sextant-1246
  EXPECT_EQ(picture(draw(0x1FB3B, {2, 3})), ".#\n##\n##\n");             // sextant-23456
}

/// An octant's Unicode name lists its filled tiles, numbered from 1, row by row from the top.
TEST(DrawnGlyphs, OctantsFillNamedTiles) {
  const auto tiles = [](char32_t code_point) {
    const std::string drawn = picture(draw(code_point, {2, 4}));
    std::string name;
    for (const char cell : drawn) {
      if (cell == '\n') continue;
      name += cell == '#' ? static_cast<char>('1' + name.size()) : '.';
    }
    std::erase(name, '.');
    return name;
  };
  EXPECT_EQ(tiles(0x1CD00), "3");
  EXPECT_EQ(tiles(0x1CD01), "23");
  EXPECT_EQ(tiles(0x1CD04), "14");
  EXPECT_EQ(tiles(0x1CD09), "5");
  EXPECT_EQ(tiles(0x1CD20), "146");
  EXPECT_EQ(tiles(0x1CD35), "23456");
  EXPECT_EQ(tiles(0x1CD36), "17");
  EXPECT_EQ(tiles(0x1CD70), "1234567");
  EXPECT_EQ(tiles(0x1CD71), "18");
  EXPECT_EQ(tiles(0x1CD90), "168");
  EXPECT_EQ(tiles(0x1CDAC), "178");
  EXPECT_EQ(tiles(0x1CDDB), "15678");
  EXPECT_EQ(tiles(0x1CDE4), "1345678");
  EXPECT_EQ(tiles(0x1CDE5), "2345678");
  EXPECT_EQ(tiles(0x1CEA8), "1");       // left half upper one quarter block
  EXPECT_EQ(tiles(0x1CEAB), "2");       // right half upper one quarter block
  EXPECT_EQ(tiles(0x1CEA3), "7");       // left half lower one quarter block
  EXPECT_EQ(tiles(0x1CEA0), "8");       // right half lower one quarter block
  EXPECT_EQ(tiles(0x1FB82), "12");      // upper one quarter block
  EXPECT_EQ(tiles(0x1FB85), "123456");  // upper three quarters block
  EXPECT_EQ(tiles(0x1FBE6), "35");      // middle left one quarter block
  EXPECT_EQ(tiles(0x1FBE7), "46");      // middle right one quarter block
}

TEST(DrawnGlyphs, EveryOctantPatternHasCharacter) {
  for (unsigned tiles = 0; tiles < 256; ++tiles) {
    std::string expected;
    for (unsigned tile = 0; tile < 8; ++tile) {
      expected += (tiles >> tile & 1u) != 0 ? '#' : '.';
      if (tile % 2 == 1) expected += '\n';
    }
    const char32_t character = octant_character(tiles);
    if (tiles == 0) {
      EXPECT_EQ(character, U' ');
    } else {
      EXPECT_EQ(picture(draw(character, {2, 4})), expected) << code_point_name(character);
    }
  }
}

TEST(DrawnGlyphs, BoxLinesMeetNeighbors) {
  EXPECT_EQ(picture(draw(0x250C, {5, 6})), ".....\n.....\n..###\n..#..\n..#..\n..#..\n");
  EXPECT_EQ(picture(draw(0x254B, {6, 6})), "..##..\n..##..\n######\n######\n..##..\n..##..\n");
  EXPECT_EQ(picture(draw(0x2554, {7, 7})), ".......\n.......\n..#####\n..#....\n..#.###\n..#.#..\n..#.#..\n");
  EXPECT_EQ(picture(draw(0x256C, {7, 7})), "..#.#..\n..#.#..\n###.###\n.......\n###.###\n..#.#..\n..#.#..\n");
  EXPECT_EQ(picture(draw(0x255F, {7, 7})), "..#.#..\n..#.#..\n..#.#..\n..#.###\n..#.#..\n..#.#..\n..#.#..\n");
  EXPECT_EQ(picture(draw(0x256A, {7, 7})), "...#...\n...#...\n#######\n...#...\n#######\n...#...\n...#...\n");
  EXPECT_EQ(picture(draw(0x2564, {7, 7})), ".......\n.......\n#######\n.......\n#######\n...#...\n...#...\n");
  EXPECT_EQ(picture(draw(0x257C, {6, 4})), "......\n######\n...###\n......\n");
}

/// A box-drawing line that continues into the next cell must touch the cell's edge in the same rows or
/// columns as a straight line, so that the lines connect.
TEST(DrawnGlyphs, BoxEdgesMatchStraightLine) {
  for (const CellSize cell : {CellSize{8, 16}, {6, 12}, {16, 32}, {9, 19}}) {
    const Drawn horizontal = draw(0x2500, cell), vertical = draw(0x2502, cell);
    for (const char32_t crossing : {0x253C, 0x2524, 0x256F, 0x2518, 0x2574}) {
      const Drawn drawn = draw(crossing, cell);
      for (int y = 0; y < cell.height; ++y)
        EXPECT_EQ(drawn.at(0, y), horizontal.at(0, y)) << code_point_name(crossing);
    }
    for (const char32_t crossing : {0x253C, 0x252C, 0x256D, 0x2510, 0x2577}) {
      const Drawn drawn = draw(crossing, cell);
      const int last = cell.height - 1;
      for (int x = 0; x < cell.width; ++x)
        EXPECT_EQ(drawn.at(x, last), vertical.at(x, last)) << code_point_name(crossing);
    }
  }
}

TEST(DrawnGlyphs, EveryCharacterHasInkAtCommonSizes) {
  for (const CellSize cell : {CellSize{8, 16}, {6, 12}, {16, 16}}) {
    for (char32_t code_point = 0x2500; code_point <= 0x259F; ++code_point)
      EXPECT_GT(draw(code_point, cell).total_coverage(), 0);
    for (char32_t code_point = 0x2801; code_point <= 0x28FF; ++code_point)
      EXPECT_GT(draw(code_point, cell).total_coverage(), 0);
    for (char32_t code_point = 0x1FB00; code_point <= 0x1FB3B; ++code_point)
      EXPECT_GT(draw(code_point, cell).total_coverage(), 0);
  }
}

TEST(DrawnGlyphs, BrailleDotsAreEqualAndInTheirTiles) {
  const int dot = draw(0x2801, {8, 16}).total_coverage();
  EXPECT_EQ(draw(0x2800, {8, 16}).total_coverage(), 0);
  EXPECT_EQ(draw(0x28FF, {8, 16}).total_coverage(), 8 * dot);
  const int column[] = {0, 0, 0, 1, 1, 1, 0, 1}, row[] = {0, 1, 2, 0, 1, 2, 3, 3};
  for (int bit = 0; bit < 8; ++bit) {
    const Drawn drawn = draw(0x2800 + (1u << bit), {8, 16});
    EXPECT_EQ(drawn.at(4 * column[bit] + 1, 4 * row[bit] + 1), 255) << bit;
    EXPECT_EQ(drawn.total_coverage(), dot) << bit;
  }
}

}  // namespace
}  // namespace glyphreel::text::drawn_glyphs_test
