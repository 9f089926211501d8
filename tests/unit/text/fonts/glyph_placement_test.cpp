#include "text/fonts/glyph_placement.h"

#include <gtest/gtest.h>

namespace glyphreel::text::glyph_placement_test {
namespace {

constexpr FontMetrics Mono{.ascent = 1900, .descent = 500, .units_per_em = 2000};
constexpr int Advance = 1200;
constexpr GlyphExtents Inside{.above = 1500, .below = 500};

TEST(GlyphPlacement, SizeIsLargestThatFits) {
  // The width allows 8 * 2000 / 1200 = 13.33 px per em, and the height 16 * 2000 / 2400 = 13.33 px. In 26.6
  // fixed point, that is 853.
  EXPECT_EQ(place(Mono, Advance, Inside, {8, 16}).em_26_6, 853);
  EXPECT_EQ(place(Mono, Advance, Inside, {8, 100}).em_26_6, 853);   // the width limits the size
  EXPECT_EQ(place(Mono, Advance, Inside, {100, 16}).em_26_6, 853);  // the height limits the size
}

TEST(GlyphPlacement, NextSizeWouldNotFit) {
  for (const CellSize cell : {CellSize{8, 16}, {6, 12}, {10, 20}, {1, 1}, {3, 5}, {255, 255}, {255, 1}}) {
    const int em = place(Mono, Advance, Inside, cell).em_26_6;
    const auto fits = [&](int size) {
      return size * Advance <= cell.width * 64 * 2000 && size * 2400 <= cell.height * 64 * 2000;
    };
    EXPECT_TRUE(fits(em)) << cell.width << 'x' << cell.height;
    EXPECT_FALSE(fits(em + 1)) << cell.width << 'x' << cell.height;
  }
}

TEST(GlyphPlacement, LineBoxIsCentered) {
  // In a cell of 8 x 100, the line box is 16 px high, which leaves 42 px above it. The baseline is 12.67 px
  // below the top of the box, at 54.67, so the nearest row is 55.
  EXPECT_EQ(place(Mono, Advance, Inside, {8, 100}).baseline, 55);
}

TEST(GlyphPlacement, BaselineAvoidsClipping) {
  // In 8 x 16, the centered baseline is 12.67, so the nearest row is 13. There, a glyph that extends 3.33 px
  // below the baseline would be clipped by 0.33 px.
  EXPECT_EQ(place(Mono, Advance, {.above = 1500, .below = 500}, {8, 16}).baseline, 12);
  EXPECT_EQ(place(Mono, Advance, {.above = 1900, .below = 400}, {8, 16}).baseline, 13);
  EXPECT_EQ(place(Mono, Advance, {.above = 1500, .below = 0}, {8, 16}).baseline, 13);
}

TEST(GlyphPlacement, GlyphsAreCenteredByAdvance) {
  const GlyphPlacement placement{.em_26_6 = 640, .baseline = 12};
  EXPECT_EQ(centered_origin(Mono, placement, 2000, {10, 20}), 0);
  EXPECT_EQ(centered_origin(Mono, placement, 1000, {10, 20}),
            160);  // the advance is 5 px: 2.5 px remain on each side
  EXPECT_EQ(centered_origin(Mono, placement, 3000, {10, 20}),
            -160);  // too wide: clipped equally on both sides
}

}  // namespace
}  // namespace glyphreel::text::glyph_placement_test
