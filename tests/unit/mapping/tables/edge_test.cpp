#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "base/result.h"
#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/edge_glyphs.h"

namespace glyphreel::mapping::edge_test {
namespace {

namespace scalar = shared::scalar;

constexpr int Directions = static_cast<int>(shared::EdgeDirections);
constexpr int Places = static_cast<int>(shared::EdgePlaces);
constexpr double Degrees = std::numbers::pi / 180;

std::shared_ptr<const text::GlyphSet> glyphs(const std::string& characters, CellSize cell = {8, 16}) {
  auto set = text::GlyphSet::make({.cell = cell, .characters = characters});
  CHECK(static_cast<bool>(set), set.error().message);
  return *std::move(set);
}

std::string ascii() {
  std::string all;
  for (char c = ' '; c <= '~'; ++c) all += c;
  return all;
}

/// A cell size, a glyph set and its edge table.
struct Fixture {
  CellSize cell;
  GridSize samples;
  std::shared_ptr<const text::GlyphSet> set;
  std::vector<std::uint32_t> words;
  shared::MapParameters parameters{};

  explicit Fixture(CellSize cell_size = {8, 16}, GridSize sample_grid = {4, 8},
                   const std::string& characters = ascii())
      : cell(cell_size),
        samples(sample_grid),
        set(glyphs(characters, cell_size)),
        words(edge_table(*set, samples)) {
    parameters.sample_count = static_cast<std::uint32_t>(samples.cells());
    parameters.samples_x = static_cast<std::uint32_t>(samples.columns);
  }

  /// Returns the samples of a picture as area averages. `luma(x, y)` is the picture's luma at a position, in
  /// pixels from the center of the cell.
  [[nodiscard]] std::vector<std::uint32_t> draw(const std::function<double(double, double)>& luma) const {
    constexpr int Fine = 8;
    std::vector<std::uint32_t> drawn;
    for (int sy = 0; sy < samples.rows; ++sy) {
      for (int sx = 0; sx < samples.columns; ++sx) {
        double sum = 0;
        for (int i = 0; i < Fine * Fine; ++i) {
          const double x = (sx + (i % Fine + 0.5) / Fine) / samples.columns - 0.5;
          const double y = (sy + (i / Fine + 0.5) / Fine) / samples.rows - 0.5;
          sum += luma(x * cell.width, y * cell.height);
        }
        drawn.push_back(static_cast<std::uint32_t>(std::lround(sum / (Fine * Fine))) * 0x01010101u);
      }
    }
    return drawn;
  }
  /// Returns the samples of a step from `dark` to `light`. The normal of the step has the angle `degrees`.
  /// Along that normal, the step is `offset` pixels from the center of the cell.
  [[nodiscard]] std::vector<std::uint32_t> step(double degrees, double offset, double dark = 60,
                                                double light = 180) const {
    const double nx = std::cos(degrees * Degrees);
    const double ny = std::sin(degrees * Degrees);
    return draw([=](double x, double y) { return nx * x + ny * y < offset ? dark : light; });
  }
  [[nodiscard]] std::uint32_t word(const std::vector<std::uint32_t>& drawn) const {
    return scalar::edge_word(drawn.data(), words.data(), {}, parameters);
  }
  [[nodiscard]] std::string glyph_at(int direction, int place) const {
    const std::uint32_t glyph =
        words[shared::EdgeGlyphs + static_cast<std::uint32_t>(direction * Places + place)];
    return glyph == 0xFFFFFFFFu ? "none" : set->utf8(static_cast<int>(glyph));
  }
};

int turn_between(int a, int b) {
  return std::min((a - b) & 7, (b - a) & 7);
}

TEST(EdgeWord, FindsStepDirectionAtAllAnglesAndOffsets) {
  for (const Fixture& fixture : {Fixture(), Fixture({10, 16}), Fixture({12, 12}), Fixture({6, 16})}) {
    for (int degrees = 0; degrees < 360; ++degrees) {
      for (const double offset : {-1.5, -0.7, 0.0, 0.4, 1.0, 1.5}) {
        const std::uint32_t word = fixture.word(fixture.step(degrees, offset));
        const int direction = scalar::edge_direction(word);
        const int nearest = static_cast<int>(std::lround(degrees / 22.5)) % Directions;
        const double off =
            std::abs(degrees / 22.5 - std::round(degrees / 22.5)) * 22.5;  // degrees from `nearest`
        SCOPED_TRACE(testing::Message() << fixture.cell.width << 'x' << fixture.cell.height << " at "
                                        << degrees << " degrees, " << offset);
        ASSERT_GT(scalar::edge_strength(word), 50);
        // 4 x 8 samples are too few to tell single degrees apart, so an angle more than 4 degrees from the
        // nearest direction may also give a neighboring direction.
        ASSERT_LE(turn_between(direction, nearest), off > 4 ? 1 : 0);
      }
    }
  }
}

TEST(EdgeWord, TreatsThinLinesLikeSteps) {
  const Fixture fixture;
  for (int direction = 0; direction < Directions; ++direction) {
    const double nx = std::cos(direction * 22.5 * Degrees);
    const double ny = std::sin(direction * 22.5 * Degrees);
    for (const bool dark : {false, true}) {
      const auto drawn = fixture.draw(
          [=](double x, double y) { return (std::abs(nx * x + ny * y) < 1.2) != dark ? 200.0 : 80.0; });
      EXPECT_EQ(scalar::edge_direction(fixture.word(drawn)), direction);
      EXPECT_EQ(scalar::edge_place(fixture.word(drawn)), Places / 2);
    }
  }
}

TEST(EdgeWord, FindsOffsetAlongNormal) {
  for (const Fixture& fixture : {Fixture(), Fixture({10, 16}), Fixture({12, 12})}) {
    for (int direction = 0; direction < Directions; ++direction) {
      // Offsets increase to the right; for directions 3 to 5, they increase downward.
      const double degrees = direction * 22.5 + (direction > 5 ? 180 : 0);
      const double nx = std::abs(std::cos(degrees * Degrees));
      const double ny = std::abs(std::sin(degrees * Degrees));
      const double reach = nx * fixture.cell.width * (fixture.samples.columns - 1) / fixture.samples.columns +
                           ny * fixture.cell.height * (fixture.samples.rows - 1) / fixture.samples.rows;
      int before = 0;
      for (double share = -0.4; share <= 0.4; share += 0.05) {
        const int place = scalar::edge_place(fixture.word(fixture.step(degrees, share * reach)));
        SCOPED_TRACE(testing::Message() << fixture.cell.width << 'x' << fixture.cell.height << " direction "
                                        << direction << " at " << share);
        // The place is computed from the centroid of the gradients in the cell. If the line is near a corner,
        // that centroid is closer to the cell's center than the line is, so the tolerance is one place.
        ASSERT_NEAR(place, (share + 0.5) * Places - 0.5, 1.05);
        ASSERT_GE(place, before);
        before = place;
      }
    }
  }
}

TEST(EdgeWord, MeasuresContrast) {
  const Fixture fixture;
  for (const int contrast : {8, 20, 60, 200}) {
    // The strength of a sharp step between two samples is the step's contrast.
    EXPECT_NEAR(scalar::edge_strength(fixture.word(fixture.step(0, 0, 20, 20 + contrast))), contrast,
                1 + contrast / 50);
    EXPECT_NEAR(scalar::edge_strength(fixture.word(fixture.step(90, 0, 20, 20 + contrast))), contrast,
                1 + contrast / 50);
    // A step from light to dark has the same strength, direction and place as one from dark to light.
    EXPECT_EQ(fixture.word(fixture.step(30, 0.5, 20, 20 + contrast)) & 0xFFFFu,
              fixture.word(fixture.step(30, 0.5, 20 + contrast, 20)) & 0xFFFFu);
  }
  EXPECT_EQ(scalar::edge_strength(fixture.word(fixture.step(0, 99))), 0);
}

TEST(EdgeWord, FindsNoLineInTexture) {
  const Fixture fixture;
  std::mt19937 random(3);
  int strong = 0;
  for (int i = 0; i < 1000; ++i) {
    std::vector<std::uint32_t> noise;
    for (int k = 0; k < fixture.samples.cells(); ++k)
      noise.push_back(static_cast<std::uint32_t>(96 + random() % 64) * 0x01010101u);
    strong += scalar::edge_strength(fixture.word(noise)) >= static_cast<int>(fixture.words[shared::EdgeHigh])
                  ? 1
                  : 0;
  }
  EXPECT_LT(strong, 30);
  const auto checks = fixture.draw([](double x, double y) { return (x < 0) == (y < 0) ? 40.0 : 200.0; });
  EXPECT_LT(scalar::edge_strength(fixture.word(checks)), static_cast<int>(fixture.words[shared::EdgeLow]));
}

TEST(EdgeWord, SurvivesExtremeInput) {
  for (const GridSize samples : {GridSize{4, 8}, {1, 1}, {1, 8}, {4, 1}, {2, 16}, {16, 2}, {2, 3}}) {
    const Fixture fixture({16, 16}, samples);
    for (const std::uint32_t seed : {1u, 2u, 3u}) {
      std::mt19937 random(seed);
      std::vector<std::uint32_t> extreme;
      for (int i = 0; i < samples.cells(); ++i) extreme.push_back(random() % 2 != 0 ? 0xFFFFFFFFu : 0u);
      const std::uint32_t word = fixture.word(extreme);
      EXPECT_LT(scalar::edge_place(word), Places);
      if (samples.columns == 1 || samples.rows == 1) {
        EXPECT_EQ(scalar::edge_strength(word), 0);
      }
    }
    // A full-contrast step through the center produces the largest sums of squared gradients in edge_word().
    for (const double degrees : {0.0, 45.0, 90.0, 135.0}) {
      const int direction = scalar::edge_direction(fixture.word(fixture.step(degrees, 0, 0, 255)));
      if (samples.columns > 2 && samples.rows > 2) {
        EXPECT_EQ(direction, std::lround(degrees / 22.5));
      }
    }
  }
}

TEST(EdgeWord, SurvivesAnyCellShape) {
  for (const CellSize cell : {CellSize{2, 255}, {255, 2}, {3, 200}, {255, 255}, {2, 2}}) {
    const Fixture fixture(cell, {std::min(4, cell.width), std::min(8, cell.height)}, "|-");
    std::mt19937 random(11);
    for (int i = 0; i < 2000; ++i) {
      std::vector<std::uint32_t> extreme;
      for (int k = 0; k < fixture.samples.cells(); ++k) {
        const bool white = random() % 4 < 2 ? k % 2 != 0 : random() % 2 != 0;
        extreme.push_back(white ? 0xFFFFFFFFu : 0u);
      }
      const std::uint32_t word = fixture.word(extreme);
      ASSERT_LT(scalar::edge_place(word), Places);
      ASSERT_LT(scalar::edge_strength(word), 256);
    }
    // Skips cells that are not square: their samples are much longer in one direction than in the other, and
    // therefore resolve steps of only one direction.
    if (cell.width != cell.height) continue;
    for (const double degrees : {0.0, 90.0}) {
      const std::uint32_t word = fixture.word(fixture.step(degrees, 0, 0, 255));
      EXPECT_NEAR(scalar::edge_strength(word), 255, 16) << cell.width;
      EXPECT_EQ(scalar::edge_direction(word), degrees == 0.0 ? 0 : 4) << cell.width;
    }
  }
}

/// A cell among its eight neighbors.
class EdgeGlyph : public testing::Test {
 protected:
  static std::uint32_t make(int strength, int direction, int place, std::uint32_t left = 0,
                            std::uint32_t upper = 0) {
    return static_cast<std::uint32_t>(strength | direction << 8 | place << 11) | left << 16 | upper << 23;
  }
  void set(int dx, int dy, std::uint32_t word) {
    around_[static_cast<std::size_t>((dy + 1) * 3 + dx + 1)] = word;
  }

  std::string glyph(const std::vector<std::uint32_t>& drawn) {
    const shared::AnalysisView view{.halves = &around_[4], .mode_words = &around_[4], .pitch = 3};
    const int index = scalar::edge_glyph(drawn.data(), fixture_.words.data(), view, fixture_.parameters);
    return index < 0 ? "none" : fixture_.set->utf8(index);
  }
  std::string glyph() { return glyph(std::vector<std::uint32_t>(32, 0)); }

  Fixture fixture_;
  int high_ = static_cast<int>(fixture_.words[shared::EdgeHigh]);
  int low_ = static_cast<int>(fixture_.words[shared::EdgeLow]);
  std::array<std::uint32_t, 9> around_{};
};

TEST_F(EdgeGlyph, DrawsStrongContinuedLine) {
  set(0, 0, make(high_, 0, 2));
  EXPECT_EQ(glyph(), "none") << "no neighbor continues the line";
  set(0, 1, make(low_, 0, 2));
  EXPECT_EQ(glyph(), "|");
  set(0, 1, make(low_, 4, 2));
  EXPECT_EQ(glyph(), "none") << "the neighbor has another direction";
  set(0, 1, 0);
  set(1, 0, make(low_, 0, 2));
  EXPECT_EQ(glyph(), "none") << "a parallel line is not a continuation";
  set(0, 0, make(high_, 4, 2));
  set(1, 0, make(low_, 3, 2));
  EXPECT_EQ(glyph(), "-");
}

TEST_F(EdgeGlyph, ContinuesAlongLine) {
  // A neighbor at (dx, dy) with the same direction continues the line only if it is roughly along the line.
  // Lines of directions 1 to 3 rise to the right; those of 5 to 7 fall.
  for (const auto& [direction, dx, dy, continues] : {std::tuple{2, 1, -1, true},
                                                     {2, -1, 1, true},
                                                     {2, 1, 1, false},
                                                     {2, 1, 0, true},
                                                     {2, 0, 1, true},
                                                     {6, 1, 1, true},
                                                     {6, 1, -1, false},
                                                     {1, 1, 0, false},
                                                     {1, 0, -1, true},
                                                     {3, 0, 1, false},
                                                     {3, -1, 0, true},
                                                     {5, 1, 1, true},
                                                     {5, -1, 1, false},
                                                     {7, 0, 1, true},
                                                     {7, 1, 0, false}}) {
    around_.fill(0);
    set(0, 0, make(high_, direction, 2));
    set(dx, dy, make(low_, direction, 2));
    EXPECT_EQ(glyph() != "none", continues) << direction << ": " << dx << ' ' << dy;
  }
}

TEST_F(EdgeGlyph, ExtendsStrongLinesAlongWeakOnes) {
  set(0, 0, make(high_ - 1, 0, 2));
  set(0, 1, make(high_ - 1, 0, 2));
  EXPECT_EQ(glyph(), "none");
  set(0, -1, make(high_, 0, 2));
  EXPECT_EQ(glyph(), "|");
  set(0, 0, make(low_, 0, 2));
  EXPECT_EQ(glyph(), "|");
  set(0, 0, make(low_ - 1, 0, 2));
  EXPECT_EQ(glyph(), "none");
}

TEST_F(EdgeGlyph, DrawsBorderLineOnce) {
  // Two cells side by side detect the same contour. The left cell draws the contour unless its line is
  // clearly weaker than that of the right cell.
  const auto drawn_by = [&](int left_strength, int right_strength) {
    around_.fill(0);
    const std::uint32_t left = make(left_strength, 0, 4);
    const std::uint32_t right = make(right_strength, 0, 0);
    for (const int dy : {-1, 0, 1}) {
      set(0, dy, left);
      set(1, dy, right);
    }
    const bool by_left = glyph() != "none";
    for (const int dy : {-1, 0, 1}) {
      set(-1, dy, left);
      set(0, dy, right);
      set(1, dy, 0);
    }
    const bool by_right = glyph() != "none";
    return std::string(by_left ? "left" : "") + (by_right ? "right" : "");
  };
  EXPECT_EQ(drawn_by(60, 60), "left");
  EXPECT_EQ(drawn_by(60, 80), "left");
  EXPECT_EQ(drawn_by(60, 81), "right");
  EXPECT_EQ(drawn_by(200, 60), "left");
  EXPECT_EQ(drawn_by(60, 255), "right");

  // If one of two cells is above the other, the upper cell draws the contour unless its line is clearly
  // weaker than that of the lower cell.
  around_.fill(0);
  for (const int dx : {-1, 0, 1}) {
    set(dx, 0, make(60, 4, 4));
    set(dx, 1, make(60, 4, 0));
  }
  EXPECT_EQ(glyph(), "_");
  for (const int dx : {-1, 0, 1}) {
    set(dx, 0, make(60, 4, 1));
    set(dx, -1, make(60, 4, 4));
    set(dx, 1, 0);
  }
  EXPECT_EQ(glyph(), "none");
  // If the lines of two cells are far enough apart, each cell draws its own line.
  for (const int dx : {-1, 0, 1}) set(dx, -1, make(60, 4, 1));
  EXPECT_EQ(glyph(), "-");
}

TEST_F(EdgeGlyph, DrawsStepsBetweenCells) {
  const std::vector<std::uint32_t> dark(32, 40 * 0x01010101u);
  set(0, 0, make(0, 3, 1, 20, 20));
  for (const int dy : {-1, 0, 1}) set(1, dy, make(0, 0, 0, 60, 60));
  EXPECT_EQ(glyph(dark), "|");
  set(1, 0, make(0, 0, 0, 21, 21));
  set(0, 1, make(0, 0, 0, 60, 60));
  EXPECT_EQ(glyph(dark), "_");
  // A cell draws no step toward a neighbor that draws its own line. It also draws none toward the grid's
  // border, where the cell itself stands in for the missing neighbor.
  set(0, 1, make(high_, 4, 0, 60, 60));
  EXPECT_EQ(glyph(dark), "none");
  set(0, 1, around_[4]);
  set(1, 0, around_[4]);
  EXPECT_EQ(glyph(std::vector<std::uint32_t>(32, 0xFFFFFFFFu)), "none");
}

TEST(EdgeTable, UsesLinesOfGlyphSet) {
  for (const CellSize cell : {CellSize{8, 16}, {10, 20}, {16, 32}}) {
    const Fixture fixture(cell);
    EXPECT_EQ(fixture.glyph_at(0, 2), "|");
    EXPECT_EQ(fixture.glyph_at(1, 2), "/");
    EXPECT_EQ(fixture.glyph_at(2, 2), "/");
    EXPECT_THAT(fixture.glyph_at(4, 2), testing::AnyOf("-", "~"));
    EXPECT_EQ(fixture.glyph_at(6, 2), "\\");
    EXPECT_EQ(fixture.glyph_at(7, 2), "\\");
    EXPECT_EQ(fixture.glyph_at(4, 4), "_");
  }
}

TEST(EdgeTable, IsEmptyWithoutLineGlyphs) {
  const Fixture fixture({8, 16}, {4, 8}, " @#%&8BWM");
  for (int direction = 0; direction < Directions; ++direction) {
    for (int place = 0; place < Places; ++place) EXPECT_EQ(fixture.glyph_at(direction, place), "none");
  }
}

TEST(EdgeTable, SelectsGlyphByOffset) {
  // One-eighth blocks are used at the borders of the cell, and box-drawing lines in its middle.
  const Fixture fixture({8, 16}, {4, 8}, "▁▔▕▏│─█ ");
  EXPECT_EQ(fixture.glyph_at(0, 0), "▏");
  EXPECT_EQ(fixture.glyph_at(0, 2), "│");
  EXPECT_EQ(fixture.glyph_at(0, 4), "▕");
  EXPECT_EQ(fixture.glyph_at(4, 0), "▔");
  EXPECT_EQ(fixture.glyph_at(4, 2), "─");
  EXPECT_EQ(fixture.glyph_at(4, 4), "▁");
  EXPECT_EQ(fixture.glyph_at(2, 2), "none");
}

TEST(EdgeTable, HasWordForEachDirectionAndOffset) {
  for (const CellSize cell : {CellSize{8, 16}, {1, 1}, {2, 3}, {255, 255}}) {
    const GridSize samples{std::min(4, cell.width), std::min(8, cell.height)};
    const Fixture fixture(cell, samples, "|-/\\");
    ASSERT_EQ(fixture.words.size(), shared::EdgeGlyphs + static_cast<std::size_t>(Directions * Places));
    for (std::size_t i = shared::EdgeGlyphs; i < fixture.words.size(); ++i) {
      EXPECT_TRUE(fixture.words[i] < 4u || fixture.words[i] == 0xFFFFFFFFu);
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::edge_test
