#include "mapping/tables/palette.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <string>

#include "../map_subjects.h"
#include "mapping/color/oklab.h"
#include "mapping/shared/shared_scalar.h"

namespace glyphreel::mapping::palette_test {
namespace {

namespace scalar = shared::scalar;
using testing::ElementsAre;
using testing::HasSubstr;

class PaletteFile : public testing::Test {
 protected:
  void SetUp() override {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) / (std::string("palette-") + test->name());
  }
  void TearDown() override { std::filesystem::remove(path_); }

  Result<std::vector<std::uint32_t>> read(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return read_palette(path_.string());
  }
  std::vector<std::uint32_t> colors(const std::string& text) {
    auto palette = read(text);
    EXPECT_TRUE(palette) << palette.error().message;
    return palette ? *palette : std::vector<std::uint32_t>{};
  }
  std::string error(const std::string& text) {
    auto palette = read(text);
    if (palette) return "no error";
    EXPECT_EQ(palette.error().code, ErrorCode::Usage);
    return palette.error().message;
  }

  std::filesystem::path path_;
};

TEST_F(PaletteFile, ReadsHexLines) {
  EXPECT_THAT(colors("#000000\n#FFFFFF\n"), ElementsAre(0x000000, 0xFFFFFF));
  EXPECT_THAT(colors("0a1B2c\r\nFFEEDD"), ElementsAre(0x0A1B2C, 0xFFEEDD));
  EXPECT_THAT(colors("; a comment\n# another\n#\n\n  #123456 \t\n\t654321\n"),
              ElementsAre(0x123456, 0x654321));
  EXPECT_THAT(colors("\xEF\xBB\xBF#123456\n#654321"), ElementsAre(0x123456, 0x654321));
}

TEST_F(PaletteFile, ReadsGimpPalettes) {
  EXPECT_THAT(
      colors("GIMP Palette\nName: Two\nColumns: 4\n#comment\n# 1 2 3\n  0   0   0\tUntitled\n255 128   7 "
             "Warm 99\n1 2 3\n"),
      ElementsAre(0x000000, 0xFF8007, 0x010203));
}

TEST_F(PaletteFile, AcceptsTwoTo256Colors) {
  std::string text;
  for (int i = 0; i < 256; ++i) text += "00FF00\n";
  EXPECT_EQ(colors(text).size(), 256u);
  EXPECT_THAT(error(text + "\n112233\n"),
              HasSubstr("more than 256 colors; delete line 258 and all lines after it"));
  EXPECT_THAT(error("#112233\n"), HasSubstr("has only one color"));
  EXPECT_THAT(error("GIMP Palette\n"), HasSubstr("has no color"));
  EXPECT_THAT(error(""), HasSubstr("has no color"));
}

TEST_F(PaletteFile, ErrorsNameInvalidLine) {
  EXPECT_THAT(error("#112233\n\n#1122\n"), HasSubstr("Line 3 of the palette"));
  EXPECT_THAT(error("#112233\n#1122334\n"), HasSubstr("\"#1122334\""));
  for (const char* line : {"#11223g", "-12345", "+12345", "##12345", "#112233 red", "1 2 3", "0x1234"}) {
    EXPECT_THAT(error("#112233\n" + std::string(line) + "\n"), HasSubstr("Line 2")) << line;
  }
  for (const char* line : {"1 2", "1 2 256", "-1 2 3", "1,2,3", "1 2 3x", "#", "red"}) {
    const std::string text = "GIMP Palette\n1 2 3\n4 5 6\n" + std::string(line) + "\n";
    if (std::string(line) == "#") {
      EXPECT_EQ(colors(text).size(), 2u);
    } else {
      EXPECT_THAT(error(text), HasSubstr("Line 4")) << line;
    }
  }
  // The error quotes the beginning of the line, with '?' for each byte that is not printable ASCII, because
  // control characters could disturb a terminal.
  EXPECT_THAT(error("#112233\n\xC3\xA4" + std::string(99, 'x')),
              HasSubstr("\"??xxxxxxxxxxxxxxxxxxxxxx...\""));
}

TEST_F(PaletteFile, RejectsBinaryFiles) {
  EXPECT_THAT(error(std::string("#112233\n\0#445566\n", 17)), HasSubstr("not a text file"));
  EXPECT_THAT(error("\x89PNG\r\n\x1A\n"), HasSubstr("not a text file"));
  EXPECT_THAT(error(std::string((1 << 20) + 1, '\n')), HasSubstr("not a text file"));
}

TEST_F(PaletteFile, ReportsUnreadableFiles) {
  const auto missing = read_palette(path_.string());
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().message, HasSubstr("cannot be read"));
  EXPECT_FALSE(missing.error().cause.empty());
  const auto folder = read_palette(testing::TempDir());
  ASSERT_FALSE(folder);
  EXPECT_THAT(folder.error().message, HasSubstr("cannot be read"));
}

TEST(AnsiPalettes, MatchXterm) {
  EXPECT_EQ(ansi16_palette().size(), 16u);
  const std::vector<std::uint32_t> all = ansi256_palette();
  ASSERT_EQ(all.size(), 256u);
  EXPECT_EQ(all[15], 0xFFFFFFu);
  EXPECT_EQ(all[16], 0x000000u);
  EXPECT_EQ(all[16 + 36 * 1 + 6 * 2 + 3], 0x5F87AFu);
  EXPECT_EQ(all[208], 0xFF8700u);
  EXPECT_EQ(all[231], 0xFFFFFFu);
  EXPECT_EQ(all[232], 0x080808u);
  EXPECT_EQ(all[255], 0xEEEEEEu);
}

TEST(NearestTable, RoundTripsPaletteColors) {
  for (const auto& palette : {ansi16_palette(), ansi256_palette()}) {
    const std::vector<std::uint32_t> table = nearest_table(palette);
    ASSERT_EQ(table.size(), 32768u);
    EXPECT_LT(*std::max_element(table.begin(), table.end()), palette.size());
    const auto key_of = [](std::uint32_t color) {
      return (color >> 19 & 31) << 10 | (color >> 11 & 31) << 5 | (color >> 3 & 31);
    };
    for (const std::uint32_t color : palette) {
      const std::uint32_t found = palette[table[key_of(color)]];
      const auto same_entry = [&](std::uint32_t other) {
        return key_of(other) == key_of(color) && other != color;
      };
      if (std::none_of(palette.begin(), palette.end(), same_entry)) {
        EXPECT_EQ(found, color);
      } else {
        EXPECT_EQ(key_of(found), key_of(color));
      }
    }
  }
}

TEST(NearestTable, SkipsColorsBeforeFirst) {
  for (const std::uint32_t index : nearest_table(ansi256_palette(), FirstFixedAnsiColor)) {
    ASSERT_GE(index, FirstFixedAnsiColor);
  }
}

TEST(NearestTable, IsPerceptual) {
  // Perceptually, a dark blue is far from black, although it is near black in R'G'B', and a greenish gray is
  // nearer to gray than to a saturated green.
  const std::vector<std::uint32_t> palette = {0x000000, 0x0000FF, 0x808080, 0x00A000, 0xFFFFFF};
  const std::vector<std::uint32_t> table = nearest_table(palette);
  const auto nearest = [&](std::uint32_t red, std::uint32_t green, std::uint32_t blue) {
    return palette[table[(red >> 3) << 10 | (green >> 3) << 5 | blue >> 3]];
  };
  EXPECT_EQ(nearest(0, 0, 120), 0x0000FFu);
  EXPECT_EQ(nearest(90, 110, 90), 0x808080u);
  EXPECT_EQ(nearest(16, 128, 24), 0x00A000u);
  EXPECT_EQ(nearest(0, 0, 0), 0x000000u);
  EXPECT_EQ(nearest(7, 7, 7), 0x000000u);
  EXPECT_EQ(nearest(250, 250, 255), 0xFFFFFFu);
}

TEST(NearestTable, DoublesLightnessUnlessThePaletteIsCoarse) {
  // Of the purples 0x8700D7 and 0x8700AF, the first is nearer to the tested color (about 0x7B00C6) in Oklab,
  // but the lightness of the second is closer to that of the tested color.
  const auto nearest = [](const std::vector<std::uint32_t>& palette) {
    return palette[nearest_table(palette)[(0x7B >> 3) << 10 | 0xC6 >> 3]];
  };
  const std::vector<std::uint32_t> coarse = {0x000000, 0x8700AF, 0x8700D7, 0xFFFFFF};
  ASSERT_TRUE(is_coarse(coarse) && is_coarse(ansi16_palette()));
  ASSERT_FALSE(is_coarse(ansi256_palette()));
  EXPECT_EQ(nearest(coarse), 0x8700D7u);
  EXPECT_EQ(nearest(ansi256_palette()), 0x8700AFu);
}

TEST(DitherRange, IsMeanNeighborDistance) {
  EXPECT_EQ(dither_range({0x000000, 0xFFFFFF}), 255);
  // The distances from each color to its nearest neighbor are 64, 32 and 32.
  EXPECT_EQ(dither_range({0x000000, 0x404040, 0x606060}), 43);
  EXPECT_EQ(dither_range({0x123456, 0x123456}), 0);
  const int coarse = dither_range(ansi16_palette());
  const int fine = dither_range(ansi256_palette());
  EXPECT_GT(coarse, fine);
  EXPECT_GT(fine, 4);
  EXPECT_LT(coarse, 128);
}

/// The tables that shared/palette.glsl reads.
struct Tables {
  std::vector<std::uint32_t> words;
  shared::MapParameters parameters{};

  explicit Tables(const std::vector<std::uint32_t>& palette, int range) {
    parameters.palette.colors_at = 3;
    words.assign(3, 0xDEAD);
    words.insert(words.end(), palette.begin(), palette.end());
    parameters.palette.nearest_at = static_cast<std::uint32_t>(words.size());
    for (const std::uint32_t index : nearest_table(palette)) words.push_back(index);
    parameters.dither.thresholds_at = static_cast<std::uint32_t>(words.size());
    for (std::uint32_t i = 0; i < shared::DitherSize * shared::DitherSize; ++i) words.push_back(i % 256);
    parameters.dither.range = static_cast<std::uint32_t>(range);
  }
  [[nodiscard]] std::uint32_t nearest(std::uint32_t color, int offset) const {
    return scalar::nearest_color(nullptr, words.data(), {}, parameters, color, offset);
  }
  [[nodiscard]] int offset(int column, int row) const {
    return scalar::dither_offset(nullptr, words.data(), {}, parameters, column, row);
  }
};

TEST(NearestColor, MovesAndClamps) {
  const Tables tables({0x000000, 0x808080, 0xFFFFFF}, 128);
  EXPECT_EQ(tables.nearest(0xFF000000, 0), 0xFF000000u);
  EXPECT_EQ(tables.nearest(0xFF8A7F80, 0), 0xFF808080u);
  EXPECT_EQ(tables.nearest(0xFF808080, 127), 0xFFFFFFFFu);
  EXPECT_EQ(tables.nearest(0xFF808080, -127), 0xFF000000u);
  EXPECT_EQ(tables.nearest(0xFFFFFFFF, 127), 0xFFFFFFFFu);
  EXPECT_EQ(tables.nearest(0xFF000000, -127), 0xFF000000u);
}

TEST(NearestColor, LooksUpEachComponent) {
  const std::vector<std::uint32_t> palette = ansi256_palette();
  const Tables tables(palette, 20);
  const std::vector<std::uint32_t> table = nearest_table(palette);
  std::mt19937 random(2);
  for (int i = 0; i < 2000; ++i) {
    const auto color = static_cast<std::uint32_t>(random() & 0xFFFFFF);
    const int offset = static_cast<int>(random() % 101) - 50;
    std::uint32_t key = 0;
    for (const int shift : {16, 8, 0}) {
      const int moved = std::clamp(static_cast<int>(color >> shift & 255) + offset, 0, 255);
      key = key << 5 | static_cast<std::uint32_t>(moved / 8);
    }
    ASSERT_EQ(tables.nearest(0xFF000000 | color, offset), 0xFF000000 | palette[table[key]]);
  }
}

TEST(DitherThreshold, RepeatsSquare) {
  Tables tables({0x000000, 0xFFFFFF}, 100);
  const auto size = static_cast<int>(shared::DitherSize);
  for (int i = 0; i < size * size; ++i) {
    tables.words[tables.parameters.dither.thresholds_at + static_cast<std::uint32_t>(i)] =
        static_cast<std::uint32_t>(i);
  }
  for (int row = 0; row < 2 * size; ++row) {
    for (int column = 0; column < 2 * size; ++column) {
      ASSERT_EQ(scalar::dither_threshold(nullptr, tables.words.data(), {}, tables.parameters, column, row),
                row % size * size + column % size);
    }
  }
}

TEST(DitherOffset, SpansRangeAroundZero) {
  Tables tables({0x000000, 0xFFFFFF}, 100);
  EXPECT_EQ(tables.offset(5, 5), 0) << "without dither";
  tables.parameters.dither.kind = 1;
  std::set<int> offsets;
  double sum = 0;
  for (int column = 0; column < 256; ++column) {
    offsets.insert(tables.offset(column % 64, column / 64));
    sum += tables.offset(column % 64, column / 64);
  }
  EXPECT_EQ(*offsets.begin(), -50);
  EXPECT_EQ(*offsets.rbegin(), 50);
  EXPECT_LT(std::abs(sum / 256), 0.5);
  EXPECT_EQ(tables.offset(3, 9), tables.offset(67, 73)) << "the pattern repeats";
}

TEST(NamedPalettes, HaveUniqueNamesAndColors) {
  std::set<std::string_view> names;
  for (const NamedPalette& palette : named_palettes()) {
    EXPECT_TRUE(names.insert(palette.name).second) << palette.name;
    EXPECT_GE(palette.colors.size(), 2u);
    EXPECT_EQ(std::set<std::uint32_t>(palette.colors.begin(), palette.colors.end()).size(),
              palette.colors.size())
        << palette.name;
  }
}

/// Returns a cell's mean squared code value for each component.
std::array<double, 3> squares_of(const text::GlyphSet& set, std::uint32_t glyph, std::uint32_t foreground,
                                 std::uint32_t background) {
  std::array<double, 3> means{};
  const std::size_t pixels = 8 * 16;
  for (std::size_t i = 0; i < pixels; ++i) {
    const std::uint32_t drawn = scalar::blend(foreground, background, set.masks()[glyph * pixels + i]);
    for (std::size_t c = 0; c < 3; ++c) {
      const double code = drawn >> (16 - 8 * c) & 255;
      means[c] += code * code / pixels;
    }
  }
  return means;
}

/// Maps a cell of one color with a palette. Returns the mean code value of each component of the drawn cell:
/// the root of its mean square.
std::array<double, 3> drawn_in(std::uint32_t color, const std::vector<std::uint32_t>& palette) {
  const auto set = glyphs(ascii());
  Parameters parameters;
  parameters.palette = palette;
  const GlyphTables made = tables(*set, parameters);
  const std::vector<std::uint32_t> samples(shared::MaxSamples, color);
  const auto cell = scalar::map_cell(samples.data(), made.words.data(), {}, made.parameters, {}, 0, 0);
  std::array<double, 3> codes = squares_of(*set, cell.glyph, cell.foreground, cell.background);
  for (double& code : codes) code = std::sqrt(code);
  return codes;
}

TEST(Mixes, ReproduceAGreenThatThePaletteLacks) {
  const auto [red, green, blue] = drawn_in(0x3A5A20, ansi16_palette());
  EXPECT_GT(green, red + 15);
  EXPECT_GT(green, blue + 30);
  EXPECT_NEAR(green, 0x5A, 32);
}

TEST(Mixes, HaveTheLuminanceOfTheCell) {
  const auto luminance_code = [](const std::array<double, 3>& codes) {
    return std::sqrt(0.2126 * codes[0] * codes[0] + 0.7152 * codes[1] * codes[1] +
                     0.0722 * codes[2] * codes[2]);
  };
  double sum = 0;
  for (const std::uint32_t color :
       {0x3A5A20, 0x7A6048, 0x506890, 0xB08898, 0x2C5C58, 0x8C9A60, 0xA0C8E8, 0x305010, 0xF0C8C8, 0x204080}) {
    const std::array<double, 3> wanted = {double(color >> 16 & 255), double(color >> 8 & 255),
                                          double(color & 255)};
    sum += std::abs(luminance_code(drawn_in(color, ansi16_palette())) - luminance_code(wanted));
  }
  EXPECT_LT(sum / 10, 9);  // the mean error, which would be 12.7 if MixMeanChroma were 16
}

TEST(Mixes, KeepColorsOfThePalette) {
  for (const std::uint32_t color : ansi16_palette()) {
    const auto drawn = drawn_in(color, ansi16_palette());
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(drawn[c], color >> (16 - 8 * c) & 255, 12) << color;
  }
}

/// Returns the distance between a color and the color that has these mean squares.
double distance(std::uint32_t color, const std::array<double, 3>& squares) {
  std::uint32_t drawn = 0;
  for (const double square : squares)
    drawn = drawn << 8 | static_cast<std::uint32_t>(std::lround(std::sqrt(square)));
  return std::sqrt(square_distance(oklab(color), oklab(drawn)));
}

/// Maps a frame of one color to 8 x 8 cells. Returns the distance of that color from the mean of all cells,
/// and its distance from the mean of the cells whose column plus row is even. Cells whose column plus row is
/// even do not compensate for their neighbors.
std::pair<double, double> errors_in(std::uint32_t color, const text::GlyphSet& set, Mapped& mapped) {
  // A new epoch for each color prevents cells from keeping the previous color's glyphs.
  const auto& cells = mapped.map(painted(
      {64, 128}, [&](int, int) { return color; }, color));
  std::array<double, 3> all{};
  std::array<double, 3> even{};
  for (int i = 0; i < 64; ++i) {
    const shared::Cell& cell = cells[static_cast<std::size_t>(i)];
    const auto squares = squares_of(set, cell.glyph, cell.foreground, cell.background);
    for (std::size_t c = 0; c < 3; ++c) {
      all[c] += squares[c] / 64;
      if ((i % 8 + i / 8) % 2 == 0) even[c] += squares[c] / 32;
    }
  }
  return {distance(color, all), distance(color, even)};
}

TEST(Mixes, CellsCompensateForTheErrorsOfTheirNeighbors) {
  for (const auto& palette : {ansi16_palette(), ansi256_palette()}) {
    const auto set = glyphs(ascii());
    Parameters parameters;
    parameters.palette = palette;
    Mapped mapped(*set, {8, 8}, parameters);
    double all = 0;
    double even = 0;
    for (const std::uint32_t color :
         {0x3A5A20, 0x7A6048, 0x506890, 0xB08898, 0x2C5C58, 0x8C9A60, 0xA0C8E8, 0x305010}) {
      const auto [of_all, of_even] = errors_in(color, *set, mapped);
      all += of_all;
      even += of_even;
    }
    EXPECT_GT(even, 0.05) << palette.size();
    EXPECT_LT(all, 0.8 * even) << palette.size();
  }
}

TEST(NearestColor, DithersToMeanTone) {
  // Dither must mix two palette colors in proportion, for a gray between them.
  const std::vector<std::uint32_t> palette = {0x404040, 0x808080};
  Tables tables(palette, dither_range(palette));
  tables.parameters.dither.kind = 1;
  int bright = 0;
  for (int row = 0; row < 64; ++row) {
    for (int column = 0; column < 64; ++column) {
      bright += tables.nearest(0xFF606060, tables.offset(column, row)) == 0xFF808080u ? 1 : 0;
    }
  }
  EXPECT_NEAR(bright / 4096.0, 0.5, 0.08);
}

}  // namespace
}  // namespace glyphreel::mapping::palette_test
