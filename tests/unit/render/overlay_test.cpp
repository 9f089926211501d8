#include "render/overlay.h"
#include "mapping/shared/shared_scalar.h"

#include <gtest/gtest.h>

#include <vector>

namespace glyphreel::render::overlay_test {
namespace {

namespace scalar = mapping::shared::scalar;
using mapping::shared::Cell;
using mapping::shared::OverlayNone;

/// The picture has narrow glyphs 0 to 9 and wide glyphs 10 to 19; the text's glyphs follow from 20 on.
constexpr OverlayParameters Parameters{.columns = 4,
                                       .rows = 1,
                                       .has_picture = 1,
                                       .first_glyph = 20,
                                       .wide_from = 10,
                                       .blank = 21,
                                       .coverage_at = 0};
constexpr OverlayCell Nothing{.glyph = OverlayNone, .foreground = 0, .background = 0};
constexpr Cell White{.glyph = 5, .foreground = 0xFFFFFFFF, .background = 0xFF000000};

bool same(const Cell& a, const Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

TEST(ComposeCell, KeepsCellWithoutText) {
  EXPECT_TRUE(same(scalar::compose_cell(White, 90, Nothing, true, true, Parameters), White));
}

TEST(ComposeCell, OpaqueTextHidesPicture) {
  const OverlayCell text{.glyph = 4, .foreground = 0xFF112233, .background = 0xFF445566};
  EXPECT_TRUE(same(scalar::compose_cell(White, 90, text, false, false, Parameters),
                   {.glyph = 24, .foreground = 0xFF112233, .background = 0xFF445566}));
}

TEST(ComposeCell, TransparentTextShowsPictureMean) {
  OverlayCell text{.glyph = 4, .foreground = 0xFF112233, .background = 0x00FF0000};
  EXPECT_EQ(scalar::compose_cell(White, 51, text, false, false, Parameters).background, 0xFF333333u);
  text.background = 0x80FF0000;  // red at 128/255 over gray 51 at 127/255
  EXPECT_EQ(scalar::compose_cell(White, 51, text, false, false, Parameters).background, 0xFF991919u);
  // Swapping the colors and inverting the coverage must not change the mean.
  const Cell reversed{.glyph = 6, .foreground = 0xFF000000, .background = 0xFFFFFFFF};
  EXPECT_EQ(scalar::compose_cell(reversed, 204, text, false, false, Parameters).background, 0xFF991919u);
}

TEST(ComposeCell, CoveredWideGlyphLosesBothHalves) {
  const Cell left{.glyph = 12, .foreground = 0xFFFFFFFF, .background = 0xFF000000};
  const Cell right{.glyph = 13, .foreground = 0xFFFFFFFF, .background = 0xFF000000};
  const auto compose = [](const Cell& cell, bool text_left, bool text_right) {
    return scalar::compose_cell(cell, 51, Nothing, text_left, text_right, Parameters);
  };
  EXPECT_TRUE(same(compose(left, true, false), left));
  EXPECT_TRUE(same(compose(right, false, true), right));
  const Cell blank{.glyph = 21, .foreground = 0xFFFFFFFF, .background = 0xFF333333};
  EXPECT_TRUE(same(compose(left, false, true), blank));
  EXPECT_TRUE(same(compose(right, true, false), blank));
}

TEST(ComposeRow, RowsAreIndependent) {
  const OverlayParameters p{.columns = 2,
                            .rows = 2,
                            .has_picture = 1,
                            .first_glyph = 2,
                            .wide_from = 0,
                            .blank = 2,
                            .coverage_at = 0};
  const std::vector<Cell> picture(4, {.glyph = 0, .foreground = 0xFF0000FF, .background = 0xFF000000});
  const std::vector<std::uint8_t> coverage(2, 255);
  // Text at the end of the first row must not count as the left neighbor of the second row's first cell.
  Overlay overlay{.grid = {2, 2}, .cells = {Nothing, {.glyph = 0}, Nothing, Nothing}, .glyphs = nullptr};
  std::vector<Cell> composed(4);
  for (int row = 0; row < 2; ++row)
    compose_row(p, picture.data(), coverage.data(), &overlay, row, composed.data());
  EXPECT_EQ(composed[0].glyph, 2u);
  EXPECT_EQ(composed[0].background, 0xFF0000FFu);
  EXPECT_EQ(composed[1].glyph, 2u);
  EXPECT_EQ(composed[2].glyph, 0u);
  EXPECT_EQ(composed[3].glyph, 0u);
}

TEST(ComposeRow, IsBlackBeforeFirstFrame) {
  const OverlayParameters p{.columns = 2,
                            .rows = 1,
                            .has_picture = 0,
                            .first_glyph = 9,
                            .wide_from = 9,
                            .blank = 9,
                            .coverage_at = 0};
  const Overlay overlay{.grid = {2, 1},
                        .cells = {Nothing, {.glyph = 7, .foreground = 0xFFFFFFFF, .background = 0x80FFFFFF}},
                        .glyphs = nullptr};
  std::vector<Cell> composed(2);
  compose_row(p, nullptr, nullptr, &overlay, 0, composed.data());
  EXPECT_TRUE(same(composed[0], {.glyph = 9, .foreground = 0xFF000000, .background = 0xFF000000}));
  EXPECT_TRUE(same(composed[1], {.glyph = 16, .foreground = 0xFFFFFFFF, .background = 0xFF808080}));
}

TEST(MeanCoverage, IsRoundedMeanOfMask) {
  const auto set = text::GlyphSet::make({.cell = {4, 4}, .characters = " █▀░"});
  ASSERT_TRUE(set);
  const auto coverage = mean_coverage(**set);
  ASSERT_EQ(coverage.size(), 4u);
  EXPECT_EQ(coverage[0], 0);
  EXPECT_EQ(coverage[1], 255);
  EXPECT_EQ(coverage[2], 128);  // rounded to nearest
}

}  // namespace
}  // namespace glyphreel::render::overlay_test
