#include "render/overlay_builder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>

#include "../../eventually.h"
#include "text/code_points/unicode.h"
#include "text/fonts/font_search.h"

namespace glyphreel::render::overlay_builder_test {
namespace {

constexpr GridSize Grid{12, 2};
constexpr CellSize CellPixels{8, 16};
const std::string Font = "DejaVu Sans Mono";

TextLayer layer_of(std::u32string_view text, TextCell cell = {}) {
  TextLayer layer{.grid = Grid, .cells = std::vector<TextCell>(static_cast<std::size_t>(Grid.cells()))};
  for (std::size_t i = 0; i < text.size(); ++i) {
    layer.cells[i] = cell;
    layer.cells[i].character = text[i] == U'_' ? TextCell::WideRight : text[i];
  }
  return layer;
}

std::string text_of(const Overlay& overlay) {
  std::string text;
  for (const OverlayCell& cell : overlay.cells) {
    text += cell.glyph == mapping::shared::OverlayNone ? "." : overlay.glyphs->utf8[cell.glyph];
  }
  return text;
}

std::span<const std::uint8_t> mask(const Overlay& overlay, std::size_t cell) {
  const std::size_t bytes = static_cast<std::size_t>(CellPixels.width * CellPixels.height);
  return std::span(overlay.glyphs->masks).subspan(overlay.cells[cell].glyph * bytes, bytes);
}

bool has_coverage(std::span<const std::uint8_t> pixels) {
  return std::ranges::any_of(pixels, [](std::uint8_t coverage) { return coverage > 0; });
}

class OverlayBuilderTest : public testing::Test {
 protected:
  OverlayBuilderTest() { builder_.set_font(Font, CellPixels); }
  std::shared_ptr<const Overlay> make(const TextLayer& layer) { return builder_.make(Grid, {&layer, 1}); }

  OverlayBuilder builder_{{.loading = OverlayBuilder::Loading::Wait, .on_loaded = {}}};
};

TEST_F(OverlayBuilderTest, LettersLinesAndColors) {
  const auto overlay =
      make(layer_of(U"Aé─█", {.foreground = 0x123456, .background = 0xABCDEF, .opacity = 200}));
  ASSERT_TRUE(overlay);
  EXPECT_EQ(text_of(*overlay), "Aé─█....................");
  EXPECT_EQ(overlay->cells[0].foreground, 0xFF123456u);
  EXPECT_EQ(overlay->cells[0].background, 0xC8ABCDEFu);
  EXPECT_TRUE(std::ranges::all_of(mask(*overlay, 3), [](std::uint8_t c) { return c == 255; }));
  EXPECT_TRUE(has_coverage(mask(*overlay, 0)));
  EXPECT_EQ(overlay->glyphs->masks.size(), static_cast<std::size_t>(overlay->glyphs->size()) * 8 * 16);
}

TEST_F(OverlayBuilderTest, EmptyLayersYieldNoOverlay) {
  EXPECT_EQ(builder_.make(Grid, {}), nullptr);
  EXPECT_EQ(make(layer_of(U"")), nullptr);
  EXPECT_EQ(make(TextLayer{.grid = Grid, .cells = {}}), nullptr);
  EXPECT_EQ(builder_.make({3, 3}, std::vector{layer_of(U"other grid")}), nullptr);
}

TEST_F(OverlayBuilderTest, SameLayersYieldSameOverlay) {
  const auto first = make(layer_of(U"12:01"));
  EXPECT_EQ(make(layer_of(U"12:01")), first);
  const auto second = make(layer_of(U"12:02"));
  EXPECT_NE(second, first);
  EXPECT_EQ(second->glyphs, first->glyphs);  // no glyph was redrawn
  EXPECT_EQ(text_of(*first).substr(0, 5), "12:01");
}

TEST_F(OverlayBuilderTest, LaterLayersAreOnTop) {
  const std::vector<TextLayer> layers = {layer_of(U"lower"), layer_of(std::u32string{U'U', 0, U'P'})};
  EXPECT_EQ(text_of(*builder_.make(Grid, layers)).substr(0, 5), "UoPer");
}

TEST_F(OverlayBuilderTest, WideCharactersSpanTwoCells) {
  const auto overlay = make(layer_of(U"a漢_b"));
  EXPECT_EQ(text_of(*overlay).substr(0, 6), "a漢b.");
  EXPECT_EQ(overlay->glyphs->columns[overlay->cells[1].glyph], text::GlyphColumns::WideLeft);
  EXPECT_EQ(overlay->cells[2].glyph, overlay->cells[1].glyph + 1);
  EXPECT_TRUE(has_coverage(mask(*overlay, 1)));
  EXPECT_TRUE(has_coverage(mask(*overlay, 2)));
}

TEST_F(OverlayBuilderTest, WideCharacterSizeIsIndependentOfNeighbors) {
  for (const char32_t character : {U'漢', U'あ', U'한'}) {
    const auto alone = make(layer_of(std::u32string{character, U'_'}));
    OverlayBuilder other({.loading = OverlayBuilder::Loading::Wait, .on_loaded = {}});
    other.set_font(Font, CellPixels);
    const TextLayer layer =
        layer_of(std::u32string{character, U'_', U'口', U'_', U'ぱ', U'_', U'뷁', U'_', U'、', U'_'});
    const auto together = other.make(Grid, {&layer, 1});
    int most = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < mask(*alone, half).size(); ++i) {
        most = std::max(most, std::abs(mask(*alone, half)[i] - mask(*together, half)[i]));
      }
    }
    // Full coverage is 255. The tolerance allows for character sizes that differ by 1 %.
    EXPECT_LE(most, 32) << text::encode_utf8(character);
  }
}

TEST_F(OverlayBuilderTest, LonelyHalvesAreBlank) {
  TextLayer layer = layer_of(U"漢x__");
  layer.at(Grid.columns - 1, 0).character =
      U'漢';  // the first cell of the next row must not count as this character's right half
  layer.at(0, 1).character = TextCell::WideRight;
  EXPECT_EQ(text_of(*make(layer)),
            " x  ....... "
            " ...........");
}

TEST_F(OverlayBuilderTest, MissingCharactersAreReplaced) {
  // A private-use character, an unassigned code point, a combining mark, a control character.
  const auto overlay = make(layer_of(U"\U0010FFF0\u0378\u0301\u0007ok"));
  EXPECT_EQ(text_of(*overlay).substr(0, 14), "\uFFFD\uFFFD\uFFFD\uFFFDok");
  EXPECT_EQ(make(layer_of(U"\u0378"))->glyphs, overlay->glyphs);  // the fonts are not searched again
}

TEST_F(OverlayBuilderTest, MissingWideCharactersAreReplaced) {
  const auto overlay = make(layer_of(U"\U0003FFF0_x"));  // unassigned, in the Tertiary Ideographic Plane
  EXPECT_EQ(text_of(*overlay).substr(0, 5), "\uFFFD x");
}

TEST_F(OverlayBuilderTest, BoldAndItalicAreSeparateGlyphs) {
  TextLayer layer = layer_of(U"ggg");
  layer.cells[1].bold = true;
  layer.cells[2].italic = true;
  const auto overlay = make(layer);
  EXPECT_EQ(text_of(*overlay).substr(0, 3), "ggg");
  EXPECT_FALSE(std::ranges::equal(mask(*overlay, 0), mask(*overlay, 1)));
  const auto italic = text::find_font(Font + ":italic");
  const auto regular = text::find_font(Font);
  ASSERT_TRUE(italic && regular);
  const bool has_italic = italic->path != regular->path;
  EXPECT_EQ(std::ranges::equal(mask(*overlay, 0), mask(*overlay, 2)), !has_italic);
  EXPECT_FALSE(std::ranges::equal(mask(*overlay, 1), mask(*overlay, 2)));
}

TEST_F(OverlayBuilderTest, GlyphIndicesAreStable) {
  const auto before = make(layer_of(U"Abc"));
  const auto after = make(layer_of(U"Abc漢_ж"));
  EXPECT_NE(after->glyphs, before->glyphs);
  ASSERT_GT(after->glyphs->size(), before->glyphs->size());
  EXPECT_TRUE(std::equal(before->cells.begin(), before->cells.begin() + 3, after->cells.begin(),
                         [](const OverlayCell& a, const OverlayCell& b) { return a.glyph == b.glyph; }));
  EXPECT_TRUE(
      std::equal(before->glyphs->masks.begin(), before->glyphs->masks.end(), after->glyphs->masks.begin()));
}

TEST_F(OverlayBuilderTest, MemoryStaysBounded) {
  const std::vector<char32_t> ideographs = text::everyday_ideographs("ja");
  ASSERT_GT(ideographs.size(), 1500u);
  TextLayer all{.grid = {2 * static_cast<int>(ideographs.size()), 1}, .cells = {}};
  std::vector<int> sizes;
  for (unsigned style = 0; style < 4; ++style) {
    TextCell look{.bold = (style & 1) != 0, .italic = (style & 2) != 0};
    all.cells.assign(2 * ideographs.size(), look);
    for (std::size_t i = 0; i < ideographs.size(); ++i) {
      all.cells[2 * i].character = ideographs[i];
      all.cells[2 * i + 1].character = TextCell::WideRight;
    }
    static_cast<void>(builder_.make(all.grid, {&all, 1}));
    const auto overlay = make(layer_of(U"漢_a", look));
    EXPECT_EQ(text_of(*overlay).substr(0, 4), "漢a");
    EXPECT_TRUE(has_coverage(mask(*overlay, 0)));
    sizes.push_back(overlay->glyphs->size());
  }
  EXPECT_GT(sizes[0], 3000);
  EXPECT_LT(*std::ranges::min_element(sizes), sizes[0]);  // the cache was cleared at least once
  EXPECT_LT(*std::ranges::max_element(sizes), 14000);
}

TEST_F(OverlayBuilderTest, CellSizeChangeRedrawsGlyphs) {
  const auto small = make(layer_of(U"A"));
  builder_.set_font(Font, {10, 20});
  const auto large = make(layer_of(U"A"));
  EXPECT_EQ(small->glyphs->cell, CellPixels);
  EXPECT_EQ(large->glyphs->cell, (CellSize{10, 20}));
  EXPECT_FALSE(fits_grid(small.get(), Grid, {10, 20}));
  EXPECT_TRUE(fits_grid(large.get(), Grid, {10, 20}));
  EXPECT_FALSE(fits_grid(large.get(), {12, 3}, {10, 20}));
}

TEST_F(OverlayBuilderTest, MissingFontIsReplaced) {
  builder_.set_font("No Such Font", CellPixels);
  const auto overlay = make(layer_of(U"A"));
  EXPECT_EQ(text_of(*overlay).substr(0, 1), "A");
  EXPECT_TRUE(has_coverage(mask(*overlay, 0)));
}

TEST(OverlayBuilderBackground, ShowsBlanksUntilGlyphsAreReady) {
  std::atomic<int> loaded = 0;
  OverlayBuilder builder({.loading = OverlayBuilder::Loading::Background, .on_loaded = [&] { ++loaded; }});
  builder.set_font(Font, CellPixels);
  const TextLayer layer = layer_of(U"a漢_");
  const auto first = builder.make(Grid, {&layer, 1});
  EXPECT_EQ(text_of(*first).substr(0, 4), "a  .");
  ASSERT_TRUE(test::eventually([&] { return loaded == 1; }));
  const auto second = builder.make(Grid, {&layer, 1});
  EXPECT_EQ(text_of(*second).substr(0, 5), "a漢.");
}

TEST(OverlayBuilderBackground, IgnoresGlyphsOfPreviousSize) {
  std::atomic<int> loaded = 0;
  OverlayBuilder builder({.loading = OverlayBuilder::Loading::Background, .on_loaded = [&] { ++loaded; }});
  builder.set_font(Font, CellPixels);
  const TextLayer layer = layer_of(U"漢_");
  static_cast<void>(builder.make(Grid, {&layer, 1}));
  builder.set_font(Font, {16, 32});
  std::shared_ptr<const Overlay> overlay;
  ASSERT_TRUE(test::eventually([&] {
    overlay = builder.make(Grid, {&layer, 1});
    return text_of(*overlay).substr(0, 3) == "漢";
  }));
  EXPECT_EQ(overlay->glyphs->masks.size(), static_cast<std::size_t>(overlay->glyphs->size()) * 16 * 32);
}

}  // namespace
}  // namespace glyphreel::render::overlay_builder_test
