// Tests overlay text with its own cell size, and the source drawn over the left part of pictures.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gradient_frame.h"
#include "render/overlay_builder.h"
#include "render/renderer.h"
#include "render/wipe.h"

namespace glyphreel::render::text_image_test {
namespace {

TEST(TextPlace, FollowsTheHeightOfThePicture) {
  EXPECT_EQ(text_place({1280, 720}, 36, 1).cell, (CellSize{10, 20}));
  EXPECT_EQ(text_place({1920, 1080}, 36, 1).cell, (CellSize{15, 30}));
  EXPECT_EQ(text_place({1280, 720}, 36, 1.5).cell, (CellSize{15, 30}));
  EXPECT_EQ(text_place({320, 180}, 36, 1).cell, (CellSize{7, 14})) << "small text must be legible";
  const TextPlace place = text_place({1280, 720}, 18, 100);
  EXPECT_EQ(place.cell.height, 120);
  EXPECT_EQ(place.grid, (GridSize{21, 6}));
  EXPECT_EQ(place.x, 10) << "the grid is centered";
  EXPECT_GE(text_place({1, 1}, 36, 0).cell.height, 1);
}

TEST(WipeColumns, AreEvenAndWithinThePicture) {
  EXPECT_EQ(wipe_columns(0.5, 640), 320u);
  EXPECT_EQ(wipe_columns(0.5, 643), 322u);
  EXPECT_EQ(wipe_columns(0, 640), 2u);
  EXPECT_EQ(wipe_columns(1, 641), 640u);
}

class TextImageDraw : public testing::Test {
 protected:
  /// Renders a gradient into cells of this size, with the glyphs " " and "@". Returns the rendered frame.
  RenderedFrame render(GridSize grid, CellSize cell, FrameOptions options) {
    auto glyphs = text::GlyphSet::make({.cell = cell, .characters = " @"});
    CHECK(static_cast<bool>(glyphs), "no glyphs");
    const auto configured =
        renderer_->configure({.grid = grid, .glyphs = *glyphs, .picture = PictureFormat::Bgra8});
    CHECK(static_cast<bool>(configured), "configure() failed");
    return *renderer_->render(gradient_frame(48, 0), options);
  }
  static std::uint32_t pixel(const Picture& picture, int x, int y) {
    std::uint32_t word = 0;
    std::memcpy(&word, picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0] + x * 4, 4);
    return word;
  }

  StageTimes times_;
  std::unique_ptr<Renderer> renderer_ = make_cpu_renderer(2, times_);
};

TEST_F(TextImageDraw, SizeDoesNotDependOnTheCell) {
  constexpr Extent Size{96, 64};
  const TextPlace place = text_place(Size, 4, 1);
  OverlayBuilder builder({.loading = OverlayBuilder::Loading::Wait, .on_loaded = {}});
  builder.set_font("DejaVu Sans Mono", place.cell);
  TextLayer layer{.grid = place.grid,
                  .cells = std::vector<TextCell>(static_cast<std::size_t>(place.grid.cells()))};
  layer.at(1, 1) = {.character = U'█', .foreground = 0x10A0F0};
  const PlacedOverlay placed{builder.make(place.grid, {&layer, 1}), place};
  const FrameOptions options{.text = make_text_image(Size, {&placed, 1})};
  const int left = place.x + place.cell.width;
  const int top = place.y + place.cell.height;
  for (const CellSize cell : {CellSize{4, 8}, CellSize{16, 32}}) {
    const GridSize grid{Size.width / cell.width, Size.height / cell.height};
    const RenderedFrame plain = render(grid, cell, {});
    const RenderedFrame shown = render(grid, cell, options);
    for (int y = 0; y < Size.height; ++y) {
      for (int x = 0; x < Size.width; ++x) {
        const bool is_text =
            x >= left && x < left + place.cell.width && y >= top && y < top + place.cell.height;
        ASSERT_EQ(pixel(shown.picture, x, y), is_text ? 0xFF10A0F0 : pixel(plain.picture, x, y))
            << x << ',' << y;
      }
    }
  }
}

TEST_F(TextImageDraw, WipeShowsTheSourceAndALine) {
  const RenderedFrame plain = render({12, 4}, {8, 16}, {});
  const RenderedFrame shown = render({12, 4}, {8, 16}, {.wipe = 0.5});
  std::size_t differing = 0;
  for (int x = 0; x < 96; ++x) {
    if (x == 48 || x == 49) {
      EXPECT_EQ(pixel(shown.picture, x, 20), 0xFFFFFFFF);
    } else if (x > 49) {
      ASSERT_EQ(pixel(shown.picture, x, 20), pixel(plain.picture, x, 20));
    } else if (pixel(shown.picture, x, 20) != pixel(plain.picture, x, 20)) {
      ++differing;
    }
  }
  EXPECT_GT(differing, 20u);
}

}  // namespace
}  // namespace glyphreel::render::text_image_test
