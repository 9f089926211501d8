// Tests SplitRenderer: joining the cells of two renderers, and marking and counting differences.
#include "render/split_renderer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "gradient_frame.h"
#include "render/overlay_builder.h"

namespace glyphreel::render::split_renderer_test {
namespace {

constexpr CellSize CellPixels{8, 16};
constexpr int Pixels = 48;

Frame gradient(int shift) {
  Frame frame = gradient_frame(Pixels, shift);
  frame.pts = shift;
  return frame;
}

/// Wraps a renderer and changes one cell in every frame.
class Mistaken final : public Renderer {
 public:
  Mistaken(std::unique_ptr<Renderer> right, std::size_t at) : right_(std::move(right)), at_(at) {}

  Result<void> configure(const RenderSetup& setup) override { return right_->configure(setup); }
  Result<RenderedFrame> redraw(const FrameOptions& options) override { return right_->redraw(options); }
  Result<void> submit(const Frame& frame, const FrameOptions& options) override {
    return right_->submit(frame, options);
  }
  Result<RenderedFrame> collect() override {
    TRY_ASSIGN(RenderedFrame rendered, right_->collect());
    auto cells = std::make_shared<std::vector<Cell>>(rendered.cells.begin(), rendered.cells.end());
    (*cells)[at_].foreground ^= 1;
    rendered.cells = *cells;
    rendered.owner = std::move(cells);
    return rendered;
  }
  std::string description() const override { return "mistaken"; }
  std::uint64_t bytes_copied() const override { return 0; }

 private:
  const std::unique_ptr<Renderer> right_;
  const std::size_t at_;
};

SplitHalf cpu_half() {
  SplitHalf half{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  half.renderer = make_cpu_renderer(1, *half.times);
  return half;
}

SplitHalf mistaken_half(std::size_t at) {
  SplitHalf half = cpu_half();
  half.renderer = std::make_unique<Mistaken>(std::move(half.renderer), at);
  return half;
}

std::shared_ptr<const text::GlyphSet> make_glyphs(const std::string& characters) {
  auto made = text::GlyphSet::make({.cell = CellPixels, .characters = characters});
  CHECK(static_cast<bool>(made), made.error().message);
  return *std::move(made);
}

bool same(const Cell& a, const Cell& b) {
  return a.glyph == b.glyph && a.foreground == b.foreground && a.background == b.background;
}

RenderedFrame render(Renderer& renderer, const Frame& frame, const FrameOptions& options = {}) {
  return *renderer.render(frame, options);
}

/// Renders one gradient frame for each shift with a single renderer. Returns the last rendered frame.
RenderedFrame alone(const RenderSetup& setup, const std::vector<int>& shifts,
                    const FrameOptions& options = {}) {
  static StageTimes times;
  const std::unique_ptr<Renderer> renderer = make_cpu_renderer(1, times);
  EXPECT_TRUE(renderer->configure(setup));
  RenderedFrame last;
  for (const int shift : shifts) last = render(*renderer, gradient(shift), options);
  return last;
}

std::uint32_t pixel(const Picture& picture, int x, int y) {
  std::uint32_t word = 0;
  std::memcpy(&word, picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0] + x * 4, 4);
  return word;
}

TEST(SplitLayout, HalvesAreEqualAndSeparate) {
  EXPECT_EQ(split_layout(80), (SplitLayout{39, 41}));
  EXPECT_EQ(split_layout(81), (SplitLayout{40, 41}));
  EXPECT_EQ(split_layout(3), (SplitLayout{1, 2}));
  EXPECT_EQ(split_layout(2), (SplitLayout{1, 1}));
  EXPECT_EQ(split_layout(1), (SplitLayout{1, 0}));
}

TEST(SplitRenderer, EachHalfShowsWholePicture) {
  // Tests wide characters as well, since a half of the split may have an odd number of columns.
  for (const char* characters : {" .:oO@", " .:oO@漢字かな"}) {
    for (const int columns : {1, 2, 3, 4, 5, 9, 10, 12, 13, 15, 22}) {
      SCOPED_TRACE(columns);
      const std::unique_ptr<SplitRenderer> split = std::make_unique<SplitRenderer>(cpu_half(), cpu_half(), 2);
      const RenderSetup setup{.grid = {columns, 4}, .glyphs = make_glyphs(characters), .mapping = {}};
      ASSERT_TRUE(split->configure(setup));
      RenderedFrame joined;
      for (const int shift : {0, 40}) joined = render(*split, gradient(shift));
      EXPECT_EQ(joined.pts, 40);
      ASSERT_EQ(joined.grid, setup.grid);

      const SplitLayout layout = split_layout(columns);
      RenderSetup half = setup;
      half.grid.columns = layout.columns;
      const RenderedFrame expected = alone(half, {0, 40});
      for (int row = 0; row < setup.grid.rows; ++row) {
        for (int column = 0; column < columns; ++column) {
          const Cell& cell = joined.cells[static_cast<std::size_t>(row * columns + column)];
          const int in_half = column < layout.columns ? column : column - layout.right_at;
          if (in_half < 0) {
            EXPECT_EQ(cell.glyph, static_cast<std::uint32_t>(setup.glyphs->blank()));
            EXPECT_EQ(cell.background, 0xFF000000);
          } else {
            EXPECT_TRUE(same(cell, expected.cells[static_cast<std::size_t>(row * layout.columns + in_half)]))
                << column << ',' << row;
          }
        }
      }
      EXPECT_EQ(split->findings().cells, half.grid.cells());
      EXPECT_EQ(split->findings().frames, 2);
      EXPECT_EQ(split->findings().differing_in_all, 0);
    }
  }
}

TEST(SplitRenderer, MarksDifferencesOnBothSides) {
  constexpr int Columns = 11, Half = 5, Row = 2, Column = 3;
  const auto glyphs = make_glyphs(" .:oO@");
  const RenderSetup setup{
      .grid = {Columns, 4}, .glyphs = glyphs, .mapping = {}, .picture = PictureFormat::Bgra8};
  const std::unique_ptr<SplitRenderer> fine = std::make_unique<SplitRenderer>(cpu_half(), cpu_half(), 1);
  const std::unique_ptr<SplitRenderer> split =
      std::make_unique<SplitRenderer>(cpu_half(), mistaken_half(Row * Half + Column), 1);
  ASSERT_TRUE(fine->configure(setup));
  ASSERT_TRUE(split->configure(setup));
  const RenderedFrame expected = render(*fine, gradient(0));
  const RenderedFrame marked = render(*split, gradient(0));
  const std::vector<std::uint8_t> coverage = mean_coverage(*glyphs);
  for (std::size_t i = 0; i < expected.cells.size(); ++i) {
    const bool differs = i == Row * Columns + Column || i == Row * Columns + Half + 1 + Column;
    const Cell& right = expected.cells[i];
    EXPECT_TRUE(same(marked.cells[i], differs ? marked_cell(right, coverage[right.glyph]) : right)) << i;
  }
  // The mark on a differing cell must be visible: more than half of the cell's pixels must be red.
  int red = 0;
  for (int y = 0; y < CellPixels.height; ++y) {
    for (int x = 0; x < CellPixels.width; ++x) {
      const std::uint32_t color =
          pixel(marked.picture, Column * CellPixels.width + x, Row * CellPixels.height + y);
      red += (color >> 16 & 255) > 180 && (color >> 8 & 255) < 100 && (color & 255) < 100 ? 1 : 0;
    }
  }
  EXPECT_GT(red, CellPixels.width * CellPixels.height / 2);

  EXPECT_EQ(split->findings().differing, 1);
  render(*split, gradient(9));
  EXPECT_EQ(split->findings().differing_in_all, 2);
  EXPECT_EQ(split->findings().frames, 2);
  split->reset_findings();
  EXPECT_EQ(split->findings().differing_in_all, 0);
  EXPECT_EQ(split->findings().frames, 0);
  EXPECT_EQ(split->findings().cells, Half * 4);
}

TEST(SplitRenderer, MarkIsRedForAnyGlyph) {
  const Cell cell{.glyph = 7, .foreground = 0xFF102030, .background = 0xFF405060};
  const auto is_red = [](std::uint32_t color) {
    return (color & 0xFFFFFF) != 0xFFFFFF && (color >> 16 & 255) > 200;
  };
  EXPECT_EQ(marked_cell(cell, 0).glyph, 7u);
  EXPECT_TRUE(is_red(marked_cell(cell, 0).background));
  EXPECT_TRUE(is_red(marked_cell(cell, 255).foreground));
}

TEST(SplitRenderer, TextCoversWholeGrid) {
  constexpr GridSize Grid{9, 3};
  const auto glyphs = make_glyphs(" .:oO@");
  const std::unique_ptr<SplitRenderer> split = std::make_unique<SplitRenderer>(cpu_half(), cpu_half(), 2);
  ASSERT_TRUE(
      split->configure({.grid = Grid, .glyphs = glyphs, .mapping = {}, .picture = PictureFormat::Bgra8}));
  // Before the first frame, all cells are black.
  const RenderedFrame black = *split->redraw({});
  EXPECT_TRUE(std::all_of(black.cells.begin(), black.cells.end(),
                          [](const Cell& cell) { return cell.background == 0xFF000000; }));
  const RenderedFrame plain = render(*split, gradient(0));

  OverlayBuilder maker({.loading = OverlayBuilder::Loading::Wait, .on_loaded = {}});
  maker.set_font("DejaVu Sans Mono", CellPixels);
  TextLayer layer{.grid = Grid, .cells = std::vector<TextCell>(static_cast<std::size_t>(Grid.cells()))};
  for (int column = 3; column < 6; ++column)
    layer.at(column, 1) = {.character = U'█', .foreground = 0x10A0F0};
  const RenderedFrame shown = *split->redraw({.overlay = maker.make(Grid, {&layer, 1})});
  const Characters characters(*glyphs, shown.overlay_glyphs.get());
  for (int i = 0; i < Grid.cells(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i >= Grid.columns + 3 && i < Grid.columns + 6) {
      EXPECT_EQ(characters.utf8(shown.cells[at].glyph), "█");
    } else {
      EXPECT_EQ(shown.cells[at].background, plain.cells[at].background) << i;
    }
  }
  EXPECT_EQ(pixel(shown.picture, 4 * CellPixels.width, CellPixels.height), 0xFF10A0F0);
  EXPECT_EQ(split->findings().frames, 1) << "redraw() must not map frames";
  EXPECT_EQ(split->findings().differing_in_all, 0) << "text must not be compared";
}

TEST(SplitRenderer, AppliesEffectsOnBothSides) {
  const std::unique_ptr<SplitRenderer> split = std::make_unique<SplitRenderer>(cpu_half(), cpu_half(), 1);
  const RenderSetup setup{.grid = {13, 5}, .glyphs = make_glyphs(" .:oO@"), .mapping = {}};
  const SplitLayout layout = split_layout(setup.grid.columns);
  ASSERT_TRUE(split->configure(setup));
  const auto shows = [&](const RenderedFrame& shown, Effect effect, const std::vector<int>& shifts) {
    RenderSetup half = setup;
    half.grid.columns = layout.columns;
    const RenderedFrame expected = alone(half, shifts, {.effect = effect});
    for (int row = 0; row < setup.grid.rows; ++row) {
      const Cell* left = &shown.cells[static_cast<std::size_t>(row * setup.grid.columns)];
      const Cell* right = left + layout.right_at;
      const Cell* cell = &expected.cells[static_cast<std::size_t>(row * layout.columns)];
      if (!std::equal(cell, cell + layout.columns, left, same)) return false;
      if (!std::equal(cell, cell + layout.columns, right, same)) return false;
    }
    return true;
  };
  EXPECT_TRUE(shows(render(*split, gradient(20)), Effect::None, {20}));
  // The effect must apply to the current frame and to the next one.
  const Result<RenderedFrame> again = split->redraw({.effect = Effect::Tube});
  ASSERT_TRUE(again);
  EXPECT_TRUE(shows(*again, Effect::Tube, {20}));
  EXPECT_FALSE(shows(*again, Effect::None, {20}));
  EXPECT_EQ(split->findings().frames, 1) << "a redrawn frame must not be counted again";
  EXPECT_TRUE(shows(render(*split, gradient(40), {.effect = Effect::Tube}), Effect::Tube, {20, 40}));
  EXPECT_EQ(split->findings().differing_in_all, 0);
  const Result<RenderedFrame> without = split->redraw({});
  ASSERT_TRUE(without);
  EXPECT_TRUE(shows(*without, Effect::None, {20, 40}));
}

TEST(SplitRenderer, MeasuresEachSideSeparately) {
  using Side = SplitRenderer::Side;
  const std::unique_ptr<SplitRenderer> split = std::make_unique<SplitRenderer>(cpu_half(), cpu_half(), 1);
  ASSERT_TRUE(split->configure(
      {.grid = {10, 4}, .glyphs = make_glyphs(" .:oO@"), .mapping = {}, .picture = PictureFormat::Bgra8}));
  for (const int shift : {0, 1, 2}) render(*split, gradient(shift));
  EXPECT_EQ(split->times(Side::Left).summary(Stage::Map).count, 3u);
  EXPECT_EQ(split->times(Side::Right).summary(Stage::Map).count, 3u);
  EXPECT_EQ(split->times(Side::Left).summary(Stage::Draw).count, 0u);
  EXPECT_EQ(split->own_times().summary(Stage::Draw).count, 3u);
}

}  // namespace
}  // namespace glyphreel::render::split_renderer_test
