// Tests characters two cells wide: they must be found where drawn, and both halves must stay together, in the
// same colors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "map_subjects.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_measures.h"
#include "mapping/tables/palette.h"
#include "tables/perceived_cells.h"

namespace glyphreel::mapping::wide_test {
namespace {

namespace scalar = shared::scalar;

// The wide characters of DejaVu Sans Mono, except one that looks like another of them at this cell size.
const std::string Wide = "♈♉♊♋♌♍♎♏♐♑♒♓⚡⚓♿☔◾";
const std::string Mixed = ascii() + Wide;

constexpr Color Colors[] = {Color::Mono, Color::Fg, Color::Full};

/// Returns a frame that shows a glyph of `set` in each cell, pixel for pixel. `glyph_at(column, row)` returns
/// the number of the cell's glyph.
template <typename GlyphAt>
Frame drawn(const text::GlyphSet& set, GridSize grid, std::uint32_t ink, std::uint32_t background,
            GlyphAt&& glyph_at) {
  const CellSize cell = set.cell();
  return painted({grid.columns * cell.width, grid.rows * cell.height}, [&](int x, int y) {
    const std::uint32_t glyph = glyph_at(x / cell.width, y / cell.height);
    const int pixel = (static_cast<int>(glyph) * cell.height + y % cell.height) * cell.width + x % cell.width;
    return scalar::blend(0xFF000000u | ink, 0xFF000000u | background,
                         set.masks()[static_cast<std::size_t>(pixel)]) &
           0xFFFFFFu;
  });
}

/// Returns the samples of a cell that shows a glyph in one color on black. Each sample has the mean light of
/// the pixels under it.
std::vector<std::uint32_t> lit(const text::GlyphSet& set, int glyph, std::uint32_t ink) {
  MaskCurve light_of{};
  for (int code = 0; code < 256; ++code)
    light_of[static_cast<std::size_t>(code)] = linear_from_code(code) / 65535.0;
  const std::vector<std::uint32_t> encode = encode_table();
  std::vector<std::uint32_t> samples;
  const auto masks = sample_masks(set, {4, 8}, light_of);
  for (const double light : masks[static_cast<std::size_t>(glyph)]) {
    std::uint32_t channels[3];
    for (int c = 0; c < 3; ++c) {
      const double full = linear_from_code(static_cast<int>((ink >> (16 - 8 * c)) & 255));
      channels[c] = encode[static_cast<std::size_t>(full * light) >> 4];
    }
    samples.push_back(sample_of(channels[0], channels[1], channels[2]));
  }
  return samples;
}

/// Maps two cells that show these glyphs. Turns local contrast off, since it would change the glyphs' light.
scalar::CELLS map_lit(const text::GlyphSet& set, const Parameters& parameters, int left, int right,
                      std::uint32_t ink) {
  GlyphTables made = tables(set, parameters);
  made.parameters.surround.contrast = 0;
  const auto left_samples = lit(set, left, ink);
  const auto right_samples = lit(set, right, ink);
  const Surroundings around;
  return scalar::map_pair(left_samples.data(), made.words.data(), around.view(), right_samples.data(),
                          around.view(), made.parameters, {}, 0, 0, true);
}

/// Counts the wide characters in the cells. If a half is alone or the colors of two halves differ, adds a
/// test failure and returns -1.
int whole_characters(const text::GlyphSet& set, GridSize grid, const std::vector<shared::Cell>& cells) {
  int count = 0;
  for (int row = 0; row < grid.rows; ++row) {
    for (int column = 0; column < grid.columns; ++column) {
      const auto at = static_cast<std::size_t>(row * grid.columns + column);
      switch (set.columns(static_cast<int>(cells[at].glyph))) {
        case text::GlyphColumns::Narrow:
          break;
        case text::GlyphColumns::WideLeft: {
          if (column % 2 != 0 || column + 1 == grid.columns) {
            ADD_FAILURE() << "a left half in column " << column << " of " << grid.columns;
            return -1;
          }
          const shared::Cell& right = cells[at + 1];
          if (right.glyph != cells[at].glyph + 1 || right.foreground != cells[at].foreground ||
              right.background != cells[at].background) {
            ADD_FAILURE() << "a left half without its right half in column " << column << ", row " << row;
            return -1;
          }
          ++count;
          ++column;
          break;
        }
        case text::GlyphColumns::WideRight:
          ADD_FAILURE() << "a right half alone in column " << column << ", row " << row;
          return -1;
      }
    }
  }
  return count;
}

TEST(WideGlyphs, AreFoundWhereDrawn) {
  const GridSize grid{34, 3};
  for (const std::string& characters : {Wide, Mixed}) {
    const auto set = glyphs(characters);
    const auto glyph_at = [&](int column, int) {
      return static_cast<std::uint32_t>(set->narrow_count() + column);
    };
    const auto expect_found = [&](const Frame& frame, Parameters parameters) {
      parameters.auto_levels = AutoLevels::Off;
      Mapped mapped(*set, grid, parameters);
      mapped.map(frame);
      EXPECT_EQ(whole_characters(*set, grid, mapped.cells), 17 * 3);
      for (int at = 0; at < grid.cells(); ++at) {
        EXPECT_EQ(mapped.cells[static_cast<std::size_t>(at)].glyph, glyph_at(at % grid.columns, 0))
            << "column " << at % grid.columns << ", color " << static_cast<int>(parameters.color)
            << (characters == Wide ? ", alone" : ", mixed");
      }
    };
    expect_found(drawn(*set, grid, 0x30C0FF, 0x102008, glyph_at), {.color = Color::Full});
    expect_found(drawn(*set, grid, 0x101010, 0xF0E0D0, glyph_at), {.color = Color::Full});
  }
}

/// With Color::Fg and Color::Mono, cells that show a wide character must be mapped to that character: with
/// and without narrow glyphs in the set, and with swapped colors.
TEST(WideGlyphs, AreFoundInFixedColors) {
  // In mono, source white is drawn as the brightest form of the set. If that form has less light than white,
  // all cells are drawn darker than their samples. With a full block in the set, the brightest form has the
  // light of white, so a glyph is drawn with the light of its samples.
  const std::string blocks = ascii() + "█" + Wide;
  for (const std::string& characters : {Wide, Mixed, blocks}) {
    const auto set = glyphs(characters);
    for (int glyph = set->narrow_count(); glyph < set->size(); glyph += 2) {
      const auto expect_found = [&](const Parameters& parameters, std::uint32_t ink) {
        const scalar::CELLS cells = map_lit(*set, parameters, glyph, glyph + 1, ink);
        EXPECT_EQ(cells.left.glyph, static_cast<std::uint32_t>(glyph)) << set->utf8(glyph);
        EXPECT_EQ(cells.right.glyph, static_cast<std::uint32_t>(glyph + 1)) << set->utf8(glyph);
        EXPECT_EQ(cells.left.foreground, cells.right.foreground);
        if (parameters.reverse == Reverse::PerCell) {
          EXPECT_EQ(cells.left.foreground, 0xFFFFFFFFu) << "the colors were not swapped";
        }
      };
      if (characters != blocks) {
        expect_found({.color = Color::Fg}, 0xB08040);
        continue;
      }
      expect_found({.color = Color::Mono}, 0xFFFFFF);
      expect_found(
          {.color = Color::Mono, .foreground = 0x000000, .background = 0xFFFFFF, .reverse = Reverse::PerCell},
          0xFFFFFF);
    }
  }
}

/// If two narrow glyphs match better, they must be preferred.
TEST(WideGlyphs, YieldToBetterNarrowGlyphs) {
  for (const Color color : {Color::Mono, Color::Fg}) {
    const auto set = glyphs(ascii() + (color == Color::Mono ? "█" : "") + Wide);
    for (const char* letters : {"HK", "AM", "#W", "lT", "()"}) {
      const int left = letters[0] - ' ';
      const int right = letters[1] - ' ';
      const scalar::CELLS cells = map_lit(*set, {.color = color}, left, right, 0xFFFFFF);
      EXPECT_LT(static_cast<int>(cells.left.glyph), set->narrow_count()) << letters;
      // In mono, an ordered dither changes a cell's light (mono_dither()), so some letters are not found.
      if (color == Color::Mono) continue;
      EXPECT_EQ(set->utf8(static_cast<int>(cells.left.glyph)), set->utf8(left)) << letters;
      EXPECT_EQ(set->utf8(static_cast<int>(cells.right.glyph)), set->utf8(right)) << letters;
    }
  }
  const auto set = glyphs(Mixed);
  const GridSize grid{20, 4};
  const std::string letters = "HKXAMWZEFT";
  const auto glyph_at = [&](int column, int row) -> std::uint32_t {
    if ((column / 2 + row) % 2 == 0) return static_cast<std::uint32_t>(set->narrow_count() + column);
    return static_cast<std::uint32_t>(letters[static_cast<std::size_t>(column % 10)] - ' ');
  };
  Mapped mapped(*set, grid, {});
  mapped.map(drawn(*set, grid, 0xFFFFFF, 0x000000, glyph_at));
  EXPECT_EQ(whole_characters(*set, grid, mapped.cells), grid.cells() / 4);
  for (int at = 0; at < grid.cells(); ++at) {
    EXPECT_EQ(mapped.cells[static_cast<std::size_t>(at)].glyph,
              glyph_at(at % grid.columns, at / grid.columns))
        << "column " << at % grid.columns << ", row " << at / grid.columns;
  }
}

/// How a wide character covers its two cells: as drawn (`ink`), and as sampled (`samples`).
struct SeenCover {
  double ink, samples;  ///< perceived coverage, 1 = full
  double slope;         ///< contrast of the colors that fit the samples best, 1 = as drawn
};
SeenCover seen_cover(const text::GlyphSet& set, const PerceivedByEyes& eyes, int left) {
  MaskCurve coverage{};
  for (std::size_t i = 0; i < coverage.size(); ++i) coverage[i] = static_cast<double>(i) / 255;
  const auto averages = sample_masks(set, {4, 8}, coverage);
  const std::vector<double> ones(eyes.pixels(), 1.0);
  double square = 0;
  double product = 0;
  SeenCover cover{};
  for (int half = left; half < left + 2; ++half) {
    const std::vector<double> mask = mask_of(set, half);
    const std::vector<double> sampled = eyes.to_pixels(averages[static_cast<std::size_t>(half)]);
    cover.ink += eyes.product(mask, ones) / 2;
    cover.samples += eyes.product(sampled, ones) / 2;
    square += eyes.product(mask, mask) / 2;
    product += eyes.product(mask, sampled) / 2;
  }
  cover.slope = (product - cover.ink * cover.samples) / (square - cover.ink * cover.ink);
  return cover;
}

/// A character must be drawn in the picture's colors, except for the contrast that is lost because samples
/// are two pixels wide and high. Both halves are fitted together.
TEST(WideGlyphs, UsePictureColors) {
  const auto set = glyphs(Wide);
  const GridSize grid{34, 1};
  const std::uint32_t ink = 0x2878E0;
  const std::uint32_t background = 0xC8B090;
  const Frame frame = drawn(*set, grid, ink, background, [&](int column, int) {
    return static_cast<std::uint32_t>(set->narrow_count() + column);
  });
  Mapped mapped(*set, grid, {});
  mapped.map(frame);
  const PerceivedByEyes eyes({8, 16}, {4, 8});
  for (int column = 0; column < grid.columns; ++column) {
    const shared::Cell& cell = mapped.cells[static_cast<std::size_t>(column)];
    const SeenCover cover = seen_cover(*set, eyes, set->narrow_count() + column / 2 * 2);
    EXPECT_GE(cover.slope, 0.8) << column;
    for (const int shift : {0, 8, 16}) {
      const auto dark = static_cast<double>((ink >> shift) & 255);
      const auto light = static_cast<double>((background >> shift) & 255);
      const double mean = light + (dark - light) * cover.samples;
      const double apart = (dark - light) * cover.slope;
      EXPECT_NEAR((cell.foreground >> shift) & 255, mean + (1 - cover.ink) * apart, 6) << column;
      EXPECT_NEAR((cell.background >> shift) & 255, mean - cover.ink * apart, 6) << column;
    }
  }
}

/// Tests every mode and color with varying options, on frames of noise, shades and moving contours.
TEST(WideGlyphs, AreAlwaysWhole) {
  std::mt19937 random(31);
  int way = 0;
  for (const std::string& characters : {Wide, Mixed, " |_/\\" + Wide, std::string("♈"), "#" + Wide}) {
    const auto set = glyphs(characters);
    for (const Mode mode : AllModes) {
      for (const Color color : Colors) {
        const GridSize grid{std::vector{33, 1, 24, 18, 7}[static_cast<std::size_t>(way % 5)], 6};
        Parameters parameters{.mode = mode,
                              .color = color,
                              .reverse = way % 2 == 0 ? Reverse::PerCell : Reverse::Never,
                              .legibility = way % 3 == 1 ? 0.5 : 0.0,
                              .stability = way % 4 == 3 ? 1.0 : 0.5,
                              .dither = static_cast<Dither>(way % 3)};
        if (way % 3 == 2) parameters.palette = ansi16_palette();
        ++way;
        Mapped mapped(*set, grid, parameters);
        int count = 0;
        for (int index = 0; index < 12; ++index) {
          const Frame frame = painted({grid.columns * 8, grid.rows * 16}, [&](int x, int y) -> std::uint32_t {
            const auto noise = static_cast<std::uint32_t>(random());
            if (index % 6 == 5) return noise & 0xFFFFFFu;
            const auto shade =
                static_cast<std::uint32_t>((x + y) * 255 / (grid.columns * 8 + grid.rows * 16));
            const bool bar = (x + index * 3) % 40 < 14;
            return (bar ? 0xF0D0A0u : shade * 0x010101u) ^ (noise & 0x030303u);
          });
          mapped.map(frame);
          const int whole = whole_characters(*set, grid, mapped.cells);
          ASSERT_GE(whole, 0) << characters << ", mode " << static_cast<int>(mode) << " color "
                              << static_cast<int>(color) << ", frame " << index;
          count += whole;
        }
        if (characters == Wide && grid.columns > 1) {
          EXPECT_GT(count, 12 * grid.cells() / 20)
              << static_cast<int>(mode) << ' ' << static_cast<int>(color);
        }
      }
    }
  }
}

TEST(WideGlyphs, LeaveLastOddColumnToNarrowGlyphs) {
  const auto set = glyphs(Wide);
  const GridSize grid{5, 2};
  for (const Mode mode : AllModes) {
    for (const Color color : Colors) {
      Mapped mapped(*set, grid, {.mode = mode, .color = color});
      mapped.map(painted({40, 32}, [](int x, int y) { return (x + y) % 5 < 2 ? 0xFFC080u : 0x806040u; }));
      EXPECT_GT(whole_characters(*set, grid, mapped.cells), 0);
      for (const std::size_t last : {4u, 9u}) {
        EXPECT_EQ(static_cast<int>(mapped.cells[last].glyph), set->blank());
        if (color == Color::Full) {
          EXPECT_GT(mapped.cells[last].background & 255, 0x30u) << "the mean color, not black";
        }
      }
    }
  }
}

/// If a contour passes through one cell of a pair, that cell must show a narrow line glyph, so no wide
/// character can cover the pair.
TEST(WideGlyphs, YieldToContours) {
  const auto set = glyphs(" |/\\_-" + Wide);
  const GridSize grid{16, 8};
  // The contour passes through column 7, the right cell of a pair.
  const Frame frame = painted({128, 128}, [&](int x, int) { return x < 60 ? 0x101010u : 0xE0E0E0u; });
  for (const Color color : Colors) {
    Mapped mapped(*set, grid, {.mode = Mode::Edge, .color = color, .auto_levels = AutoLevels::Off});
    mapped.map(frame);
    ASSERT_GE(whole_characters(*set, grid, mapped.cells), 0);
    for (int row = 0; row < grid.rows; ++row) {
      const shared::Cell* cells = mapped.cells.data() + row * grid.columns;
      EXPECT_EQ(set->utf8(static_cast<int>(cells[7].glyph)), "|") << row;
      EXPECT_LT(static_cast<int>(cells[6].glyph), set->narrow_count()) << row;
    }
  }
}

/// Returns a frame of wide characters whose contrast decreases from left to right, on a gradient, with noise.
Frame grainy(const text::GlyphSet& set, GridSize grid, int darkest, unsigned seed) {
  std::mt19937 random(seed);
  const int width = grid.columns * 8;
  const Frame characters = drawn(set, grid, 0xFFFFFF, 0x000000, [&](int column, int row) {
    return static_cast<std::uint32_t>(set.narrow_count() +
                                      (column + 6 * row) % (set.size() - set.narrow_count()));
  });
  return painted({width, grid.rows * 16}, [&](int x, int y) {
    const int drawn_there = static_cast<int>(characters.view.planes[0][3 * (y * width + x)]);
    const int grain = static_cast<int>(random() % 5) - 2;
    const int shade = darkest + y / 4 + drawn_there * (width - x) / ((darkest < 60 ? 2 : 3) * width) + grain;
    return static_cast<std::uint32_t>(shade) * 0x010101u;
  });
}

/// Noise must rarely replace a wide character: only a glyph that is better by a margin may replace it.
TEST(WideGlyphs, AreStableInStillPictures) {
  const GridSize grid{32, 12};
  for (const std::string& characters : {Wide, ascii() + Wide}) {
    const auto set = glyphs(characters);
    // For each set, uses a range of tones in which glyphs change if stability is off.
    const int usual = characters == Wide ? 90 : 30;
    for (const Mode mode : {Mode::Shape, Mode::Edge}) {
      for (const Color color : Colors) {
        // Edge mode dims areas between contours: somewhat with Color::Fg, and with Color::Mono so much that
        // no wide character is left.
        if (mode == Mode::Edge && color == Color::Mono) continue;
        const int darkest = mode == Mode::Edge && color == Color::Fg ? usual * 3 / 2 : usual;
        int changes[2] = {};
        int wide = 0;
        for (const bool steady : {false, true}) {
          Mapped mapped(*set, grid, {.mode = mode, .color = color, .stability = steady ? 0.5 : 0.0});
          std::vector<shared::Cell> before = mapped.map(grainy(*set, grid, darkest, 0));
          for (unsigned frame = 1; frame <= 10; ++frame) {
            mapped.map(grainy(*set, grid, darkest, frame));
            wide += whole_characters(*set, grid, mapped.cells);
            for (std::size_t i = 0; i < before.size(); ++i) {
              changes[steady ? 1 : 0] += mapped.cells[i].glyph != before[i].glyph ? 1 : 0;
            }
            before = mapped.cells;
          }
        }
        EXPECT_GT(wide, 500);
        EXPECT_GT(changes[0], 20) << "mode " << static_cast<int>(mode) << " color "
                                  << static_cast<int>(color);
        EXPECT_LE(changes[1] * 4, changes[0])
            << changes[1] << " of " << changes[0] << ", mode " << static_cast<int>(mode) << " color "
            << static_cast<int>(color) << ' ' << characters;
      }
    }
  }
}

/// In ramp mode, a set of only wide characters must form a ramp, ordered by the mean ink of both halves. Its
/// darkest step is two blanks.
TEST(WideGlyphs, FormTheirOwnRamps) {
  const auto set = glyphs(Wide);
  const std::vector<std::uint32_t> ink = character_ink(*set);
  const GridSize grid{2, 1};
  std::vector<std::uint32_t> seen;
  for (std::uint32_t code = 0; code < 256; ++code) {
    Mapped mapped(*set, grid, {.mode = Mode::Ramp, .color = Color::Mono, .auto_levels = AutoLevels::Off});
    // The pair's tone is the mean of both cells.
    mapped.map(painted({16, 16}, [&](int, int) { return code * 0x010101u; }));
    ASSERT_GE(whole_characters(*set, grid, mapped.cells), 0);
    seen.push_back(ink[mapped.cells[0].glyph]);
  }
  EXPECT_EQ(seen.front(), 0u);
  EXPECT_EQ(seen.back(), *std::max_element(ink.begin(), ink.end()));
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_GT(std::set<std::uint32_t>(seen.begin(), seen.end()).size(), 5u);

  // A white cell and a black cell form a pair with the mean light: half of white's light.
  Mapped mapped(*set, grid, {.mode = Mode::Ramp, .color = Color::Mono, .auto_levels = AutoLevels::Off});
  mapped.map(painted({16, 16}, [&](int x, int) { return x < 8 ? 0xFFFFFFu : 0u; }));
  EXPECT_EQ(ink[mapped.cells[0].glyph], seen[188]);  // 188: sRGB code value of half of white's light
}

TEST(WideGlyphs, CustomRampHasOneWidth) {
  const auto set = glyphs(" .#♈♉◾");
  const GridSize samples{4, 8};
  EXPECT_TRUE(make_glyph_tables(*set, {.mode = Mode::Ramp, .ramp = " ♈◾"}, samples));
  EXPECT_TRUE(make_glyph_tables(*set, {.mode = Mode::Ramp, .ramp = " .#"}, samples));
  const auto mixed = make_glyph_tables(*set, {.mode = Mode::Ramp, .ramp = " .◾"}, samples);
  ASSERT_FALSE(mixed);
  EXPECT_EQ(mixed.error().code, ErrorCode::Usage);

  // The ramp must change its character at exactly the code values 100 and 200.
  const GridSize grid{2, 1};
  for (const std::uint32_t code : {0u, 99u, 100u, 199u, 200u, 255u}) {
    Mapped mapped(*set, grid,
                  {.mode = Mode::Ramp, .color = Color::Mono, .ramp = " ♉◾", .thresholds = {100, 200}});
    mapped.map(painted({16, 16}, [&](int, int) { return code * 0x010101u; }));
    EXPECT_EQ(set->utf8(static_cast<int>(mapped.cells[0].glyph)), code < 100   ? " "
                                                                  : code < 200 ? "♉"
                                                                               : "◾")
        << code;
  }
}

/// Tests extreme samples in both cells, and previous frames that cannot occur. Builds with
/// -fsanitize=undefined report overflows.
TEST(WideGlyphs, WorstCasesStayWithinRange) {
  std::mt19937 random(32);
  for (const auto& [characters, cell] :
       {std::pair<std::string, CellSize>{Wide, {8, 16}}, {Mixed, {8, 16}}, {Wide, {3, 5}}, {"♈", {1, 1}}}) {
    const auto set = glyphs(characters, cell);
    const auto total = static_cast<std::uint32_t>(set->size());
    for (const Mode mode : AllModes) {
      for (const Color color : Colors) {
        for (const std::uint32_t background : {0x000000u, 0xFFFFFFu, 0x808080u}) {
          for (const bool all : {false, true}) {
            GlyphTables made = tables(*set, {.mode = mode,
                                             .color = color,
                                             .background = background,
                                             .reverse = all ? Reverse::PerCell : Reverse::Never,
                                             .legibility = all ? 1.0 : 0.0,
                                             .stability = all ? 1.0 : 0.5});
            shared::MapParameters& p = made.parameters;
            if (p.forms.wide == 0) continue;
            for (int round = 0; round < 100; ++round) {
              std::vector<std::uint32_t> sides[2];
              for (std::uint32_t side = 0; side < 2; ++side) {
                for (std::uint32_t i = 0; i < p.sample_count; ++i) {
                  std::uint32_t word = static_cast<std::uint32_t>(random());
                  const int look = round % 8;
                  if (look == 0) word = 0;
                  if (look == 1) word = 0xFFFFFFFF;
                  if (look == 2) word = side == 0 ? 0 : 0xFFFFFFFF;
                  if (look == 3) word = side == 1 ? 0 : 0xFFFFFFFF;
                  if (look == 4) word = (i + i / p.samples_x) % 2 == 0 ? 0 : 0xFFFFFFFF;
                  if (look == 5) word = (random() & 1) != 0 ? 0x00FF00FF : 0xFF00FF00;
                  sides[side].push_back(word);
                }
              }
              Surroundings left(mode_word_of(made, sides[0]));
              Surroundings right(mode_word_of(made, sides[1]));
              for (auto* around : {&left, &right}) {
                for (auto& word : around->halves) word = round % 3 == 0 ? 0 : 4080u | 4080u << 16;
              }
              p.levels.gain = round % 3 == 0 ? 6144 : 4096;
              p.history.keep = static_cast<std::uint32_t>(round & 1);
              const std::uint32_t before =
                  static_cast<std::uint32_t>(random()) % p.forms.wide_count * 2 + p.forms.wide_from;
              const scalar::CELLS previous{{before, p.foreground, p.background},
                                           {before + 1, p.foreground, p.background}};
              const scalar::CELLS mapped =
                  scalar::map_pair(sides[0].data(), made.words.data(), left.view(), sides[1].data(),
                                   right.view(), p, previous, 2 * (round % 32), round, true);
              ASSERT_LT(mapped.left.glyph, total);
              ASSERT_LT(mapped.right.glyph, total);
              ASSERT_EQ(mapped.left.glyph >= p.forms.wide_from, mapped.right.glyph >= p.forms.wide_from);
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::wide_test
