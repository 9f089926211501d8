// Tests text over pictures on the CPU renderer. tests/gpu compares the GPU renderer with the CPU renderer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "gradient_frame.h"
#include "render/overlay_builder.h"
#include "render/renderer.h"

namespace glyphreel::render::overlay_draw_test {
namespace {

constexpr GridSize Grid{6, 3};
constexpr CellSize CellPixels{8, 16};
constexpr int Side = 48;

Frame gradient(int shift) {
  return gradient_frame(Side, shift);
}

class OverlayDraw : public testing::Test {
 protected:
  OverlayDraw() {
    auto set = text::GlyphSet::make({.cell = CellPixels, .characters = " .:oO@"});
    CHECK(static_cast<bool>(set), set.error().message);
    glyphs_ = *std::move(set);
    maker_.set_font("DejaVu Sans Mono", CellPixels);
    const auto configured =
        renderer_->configure({.grid = Grid, .glyphs = glyphs_, .picture = PictureFormat::Bgra8});
    CHECK(static_cast<bool>(configured), "configure() failed");
  }

  RenderedFrame render(const Frame& frame) { return *renderer_->render(frame, {}); }

  /// Returns an overlay with copies of `cell` at the grid's first `count` positions.
  std::shared_ptr<const Overlay> overlay(TextCell cell, int count) {
    TextLayer layer{.grid = Grid, .cells = std::vector<TextCell>(static_cast<std::size_t>(Grid.cells()))};
    std::fill_n(layer.cells.begin(), count, cell);
    return maker_.make(Grid, {&layer, 1});
  }

  static std::uint32_t pixel(const Picture& picture, int x, int y) {
    std::uint32_t word = 0;
    std::memcpy(&word, picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0] + x * 4, 4);
    return word;
  }

  static bool same_pictures(const Picture& a, const Picture& b) {
    for (int y = 0; y < a.size.height; ++y) {
      for (int x = 0; x < a.size.width; ++x) {
        if (pixel(a, x, y) != pixel(b, x, y)) return false;
      }
    }
    return true;
  }

  StageTimes times_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<Renderer> renderer_ = make_cpu_renderer(2, times_);
  OverlayBuilder maker_{{.loading = OverlayBuilder::Loading::Wait, .on_loaded = {}}};
};

TEST_F(OverlayDraw, TextUsesItsOwnMasks) {
  const RenderedFrame plain = render(gradient(0));
  const RenderedFrame shown =
      *renderer_->redraw({.overlay = overlay({.character = U'█', .foreground = 0x10A0F0}, 7)});
  const Characters characters(*glyphs_, shown.overlay_glyphs.get());
  EXPECT_EQ(characters.utf8(shown.cells[6].glyph), "█");
  EXPECT_EQ(characters.utf8(shown.cells[7].glyph), glyphs_->utf8(static_cast<int>(plain.cells[7].glyph)));
  for (int y = 0; y < Grid.rows * CellPixels.height; ++y) {
    for (int x = 0; x < Grid.columns * CellPixels.width; ++x) {
      const int cell = y / CellPixels.height * Grid.columns + x / CellPixels.width;
      ASSERT_EQ(pixel(shown.picture, x, y), cell < 7 ? 0xFF10A0F0 : pixel(plain.picture, x, y))
          << x << ',' << y;
    }
  }
}

TEST_F(OverlayDraw, FramesShowOverlayTheyWereSubmittedWith) {
  const auto first = overlay({.character = U'1'}, 3);
  const auto second = overlay({.character = U'2'}, 3);
  const RenderedFrame frame = *renderer_->render(gradient(0), {.overlay = first});
  EXPECT_EQ(Characters(*glyphs_, frame.overlay_glyphs.get()).utf8(frame.cells[0].glyph), "1");
  const RenderedFrame again = *renderer_->redraw({.overlay = second});
  EXPECT_EQ(Characters(*glyphs_, again.overlay_glyphs.get()).utf8(again.cells[0].glyph), "2");
}

TEST_F(OverlayDraw, RemovedOverlayLeavesNoTrace) {
  const RenderedFrame plain = render(gradient(0));
  const FrameOptions text{.overlay = overlay({.character = U'x', .opacity = 128}, 18)};
  EXPECT_FALSE(same_pictures(renderer_->redraw(text)->picture, plain.picture));
  const RenderedFrame again = *renderer_->redraw({});
  EXPECT_TRUE(same_pictures(again.picture, plain.picture));
  EXPECT_EQ(again.cells.data(), plain.cells.data());  // the cells are not copied
  EXPECT_EQ(again.overlay_glyphs, nullptr);
}

}  // namespace
}  // namespace glyphreel::render::overlay_draw_test
