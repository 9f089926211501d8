// Compares every cell and every picture byte of the GPU renderer with the results of the shared code
// (shaders/shared) built as plain C++.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cases.h"
#include "interop/frame_importer.h"
#include "mapping/shared/shared_scalar.h"
#include "reference.h"
#include "render/picture_layout.h"
#include "support/gpu_fixture.h"
#include "test_frame.h"

namespace glyphreel::gpu {
namespace {

using mapping::shared::Cell;
using parity::Case;

struct Gpu {
  StageTimes times;
  std::unique_ptr<GpuRenderer> renderer;
};

std::unique_ptr<Gpu> make_gpu(const std::shared_ptr<Device>& device, int depth, int together = 1) {
  auto gpu = std::make_unique<Gpu>();
  auto renderer = interop::make_gpu_renderer(device, gpu->times, depth, together);
  EXPECT_TRUE(renderer) << renderer.error().message << renderer.error().cause;
  gpu->renderer = *std::move(renderer);
  return gpu;
}

void expect_cells(std::span<const Cell> cells, const std::vector<Cell>& expected, const std::string& what) {
  ASSERT_EQ(cells.size(), expected.size()) << what;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    ASSERT_EQ(std::memcmp(&cells[i], &expected[i], sizeof(Cell)), 0)
        << fmt::format("cell {}: GPU {} {:08X} {:08X}, reference {} {:08X} {:08X}\n  {}", i, cells[i].glyph,
                       cells[i].foreground, cells[i].background, expected[i].glyph, expected[i].foreground,
                       expected[i].background, what);
  }
}

/// A pixel of the drawn grid: foreground, background (0xFFRRGGBB) and coverage. Black outside the grid.
struct Pixel {
  std::uint32_t foreground = 0xFF000000, background = 0xFF000000, coverage = 0;
};

Pixel pixel_at(std::span<const Cell> cells, const text::GlyphSet& glyphs, GridSize grid, int x, int y) {
  const mapping::shared::DrawParameters parameters{
      .columns = static_cast<std::uint32_t>(grid.columns),
      .rows = static_cast<std::uint32_t>(grid.rows),
      .cell_width = static_cast<std::uint32_t>(glyphs.cell().width),
      .cell_height = static_cast<std::uint32_t>(glyphs.cell().height),
  };
  const auto place = mapping::shared::scalar::place_pixel(static_cast<std::uint32_t>(x),
                                                          static_cast<std::uint32_t>(y), parameters);
  if (!place.inside) return {};
  const Cell& cell = cells[place.cell];
  return {cell.foreground, cell.background,
          glyphs.masks()[mapping::shared::scalar::mask_offset(cell.glyph, place.x, place.y, parameters)]};
}

void expect_bgra(const render::RenderedFrame& frame, const text::GlyphSet& glyphs, const std::string& what) {
  const Picture& picture = frame.picture;
  for (int y = 0; y < picture.size.height; ++y) {
    for (int x = 0; x < picture.size.width; ++x) {
      const Pixel pixel = pixel_at(frame.cells, glyphs, frame.grid, x, y);
      std::uint32_t word = 0;
      std::memcpy(&word, picture.planes[0] + static_cast<std::ptrdiff_t>(y) * picture.strides[0] + x * 4, 4);
      ASSERT_EQ(word, mapping::shared::scalar::blend(pixel.foreground, pixel.background, pixel.coverage))
          << x << ',' << y << ' ' << what;
    }
  }
}

void expect_yuv(const render::RenderedFrame& frame, const text::GlyphSet& glyphs, const std::string& what) {
  namespace shared = mapping::shared::scalar;
  const Picture& picture = frame.picture;
  const auto byte_at = [&](std::size_t plane, int x, int y) {
    return static_cast<std::uint32_t>(
        picture.planes[plane][static_cast<std::ptrdiff_t>(y) * picture.strides[plane] + x]);
  };
  for (int y = 0; y < picture.size.height; y += 2) {
    for (int x = 0; x < picture.size.width; x += 2) {
      std::uint32_t cb = 0;
      std::uint32_t cr = 0;
      for (int i = 0; i < 4; ++i) {
        const int px = x + i % 2;
        const int py = y + i / 2;
        const Pixel pixel = pixel_at(frame.cells, glyphs, frame.grid, px, py);
        const std::uint32_t foreground = shared::yuv_from_rgb(pixel.foreground);
        const std::uint32_t background = shared::yuv_from_rgb(pixel.background);
        ASSERT_EQ(byte_at(0, px, py), shared::blend_8(foreground >> 16, background >> 16, pixel.coverage))
            << px << ',' << py << ' ' << what;
        cb += shared::weigh_chroma((foreground >> 8) & 255, (background >> 8) & 255, pixel.coverage);
        cr += shared::weigh_chroma(foreground & 255, background & 255, pixel.coverage);
      }
      ASSERT_EQ(byte_at(1, x / 2, y / 2), shared::finish_chroma(cb)) << x << ',' << y << ' ' << what;
      ASSERT_EQ(byte_at(2, x / 2, y / 2), shared::finish_chroma(cr)) << x << ',' << y << ' ' << what;
    }
  }
}

/// Renders one frame and checks every cell and every byte of the picture.
void expect_case(GpuRenderer& renderer, const Case& test_case, const Frame& frame, PictureFormat format,
                 bool may_resize = false) {
  const std::string what = parity::describe(test_case);
  const auto glyphs = parity::glyphs_of(test_case);
  render::RenderSetup setup = setup_of(test_case, format);
  setup.may_resize = may_resize;
  const auto configured = renderer.configure(setup);
  ASSERT_TRUE(configured) << configured.error().message << configured.error().cause << what;
  const auto expected =
      parity::reference_cells(frame.view, *glyphs, test_case.grid, test_case.fit, test_case.mapping);
  ASSERT_TRUE(expected) << expected.error().message;
  const auto submitted = renderer.submit(frame, {});
  ASSERT_TRUE(submitted) << submitted.error().message << submitted.error().cause << what;
  const auto rendered = renderer.collect();
  ASSERT_TRUE(rendered) << rendered.error().message;
  ASSERT_NO_FATAL_FAILURE(expect_cells(rendered->cells, *expected, what));
  ASSERT_EQ(rendered->picture.format, format);
  if (format == PictureFormat::Bgra8) {
    ASSERT_NO_FATAL_FAILURE(expect_bgra(*rendered, *glyphs, what));
  }
  if (format == PictureFormat::Yuv420p) {
    ASSERT_NO_FATAL_FAILURE(expect_yuv(*rendered, *glyphs, what));
  }
}

Case simple_case(GridSize grid, CellSize cell, Extent size, parity::Pattern pattern, std::uint32_t seed) {
  return {
      .frame = {.layout = parity::layout_named("yuv420p"), .size = size, .pattern = pattern, .seed = seed},
      .grid = grid,
      .cell = cell};
}

TEST_F(GpuTest, RendererMatchesCpuAtOddCellSizes) {
  const auto gpu = make_gpu(device(), 1);
  for (const CellSize cell : {CellSize{8, 16}, CellSize{16, 32}, CellSize{7, 13}, CellSize{9, 17},
                              CellSize{1, 1}, CellSize{3, 5}, CellSize{8, 15}, CellSize{24, 48}}) {
    const Case test_case = simple_case({13, 5}, cell, {130, 90}, parity::Pattern::Stripes, 5);
    const Frame frame = parity::make_frame(test_case.frame);
    ASSERT_NO_FATAL_FAILURE(expect_case(*gpu->renderer, test_case, frame, PictureFormat::Bgra8));
    ASSERT_NO_FATAL_FAILURE(expect_case(*gpu->renderer, test_case, frame, PictureFormat::Yuv420p));
  }
}

TEST_F(GpuTest, RendererKeepsFrameOrderAtAnyDepth) {
  for (const int depth : {1, 2, 4}) {
    const auto gpu = make_gpu(device(), depth);
    ASSERT_EQ(gpu->renderer->depth(), depth);
    const Case base = simple_case({20, 8}, {8, 16}, {160, 128}, parity::Pattern::Random, 0);
    const auto glyphs = parity::glyphs_of(base);
    ASSERT_TRUE(gpu->renderer->configure(setup_of(base, PictureFormat::Yuv420p)));
    auto reference = parity::Reference::make(*glyphs, base.grid, base.fit, base.mapping);
    ASSERT_TRUE(reference);
    std::vector<render::RenderedFrame> held;  // results stay valid while later frames are rendered
    int submitted = 0;
    for (int collected = 0; collected < 9; ++collected) {
      while (submitted < 9 && submitted - collected < depth) {
        Case test_case = base;
        test_case.frame.seed = static_cast<std::uint32_t>(submitted + 1);
        Frame frame = parity::make_frame(test_case.frame);
        frame.pts = 100 + submitted;
        ASSERT_TRUE(gpu->renderer->submit(frame, {}));  // only the renderer keeps the frame alive
        ++submitted;
      }
      auto rendered = gpu->renderer->collect();
      ASSERT_TRUE(rendered);
      held.push_back(*std::move(rendered));
    }
    for (int i = 0; i < 9; ++i) {
      const render::RenderedFrame& rendered = held[static_cast<std::size_t>(i)];
      EXPECT_EQ(rendered.pts, 100 + i);
      Case test_case = base;
      test_case.frame.seed = static_cast<std::uint32_t>(i + 1);
      const Frame frame = parity::make_frame(test_case.frame);
      const std::vector<Cell> expected = reference->map(frame);
      ASSERT_NO_FATAL_FAILURE(expect_cells(rendered.cells, expected, std::to_string(i)));
      ASSERT_NO_FATAL_FAILURE(expect_yuv(rendered, *glyphs, std::to_string(i)));
    }
  }
}

TEST_F(GpuTest, RendererSubmitsFramesTogether) {
  constexpr int Together = 8;
  const auto gpu = make_gpu(device(), 2, Together);
  ASSERT_EQ(gpu->renderer->most_together(), Together);
  const Case base = simple_case({20, 8}, {8, 16}, {160, 128}, parity::Pattern::Random, 0);
  const auto glyphs = parity::glyphs_of(base);
  // For each picture format, submit two batches of seven frames, in which two frames in the middle have
  // another layout or size. Then submit a batch of a single frame, which reuses the slots.
  std::vector<parity::FrameOptions> kinds(7, base.frame);
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i].seed = static_cast<std::uint32_t>(i + 1);
  kinds[3].layout = parity::layout_named("rgb24");
  kinds[4].size = {33, 77};
  for (const PictureFormat format : {PictureFormat::None, PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
    ASSERT_TRUE(gpu->renderer->configure(setup_of(base, format)));
    std::uint32_t epoch = 0;
    for (const std::size_t count : {kinds.size(), kinds.size(), std::size_t{1}}) {
      std::vector<Frame> frames;
      for (std::size_t i = 0; i < count; ++i) {
        frames.push_back(parity::make_frame(kinds[i]));
        frames.back().pts = static_cast<std::int64_t>(i);
        frames.back().epoch = ++epoch;
      }
      ASSERT_TRUE(gpu->renderer->submit_together(frames, {}));
      for (std::size_t i = 0; i < count; ++i) {
        const auto rendered = gpu->renderer->collect();
        ASSERT_TRUE(rendered);
        EXPECT_EQ(rendered->pts, static_cast<std::int64_t>(i));
        const auto expected =
            parity::reference_cells(frames[i].view, *glyphs, base.grid, base.fit, base.mapping);
        ASSERT_TRUE(expected);
        ASSERT_NO_FATAL_FAILURE(expect_cells(rendered->cells, *expected, std::to_string(i)));
        if (format == PictureFormat::Bgra8) expect_bgra(*rendered, *glyphs, std::to_string(i));
        if (format == PictureFormat::Yuv420p) expect_yuv(*rendered, *glyphs, std::to_string(i));
      }
    }
    ASSERT_TRUE(gpu->renderer->submit(parity::make_frame(kinds[0]), {}));
    ASSERT_TRUE(gpu->renderer->collect());
  }
  if (device()->timestamp_bits() > 0) {
    EXPECT_EQ(gpu->times.summary(Stage::Map).count, 3 * (2 * kinds.size() + 2));
  }
}

TEST_F(GpuTest, RendererFollowsMidStreamChanges) {
  const auto gpu = make_gpu(device(), 3);
  Case test_case = simple_case({24, 9}, {8, 16}, {160, 120}, parity::Pattern::Smooth, 3);
  const auto glyphs = parity::glyphs_of(test_case);
  ASSERT_TRUE(gpu->renderer->configure(setup_of(test_case, PictureFormat::None)));
  const std::vector<parity::FrameOptions> kinds = {
      test_case.frame,
      {.layout = parity::layout_named("yuv420p"), .size = {320, 100}, .pattern = parity::Pattern::Halves},
      {.layout = parity::layout_named("rgb24"), .size = {33, 77}, .pattern = parity::Pattern::Random},
      {.layout = parity::layout_named("yuv420p"), .size = {64, 96}, .rotation = Rotation::Clockwise90},
      test_case.frame};
  for (const parity::FrameOptions& kind : kinds) {  // three are in flight before the first collect()
    if (&kind - kinds.data() >= 3) break;
    ASSERT_TRUE(gpu->renderer->submit(parity::make_frame(kind), {}));
  }
  auto reference = parity::Reference::make(*glyphs, test_case.grid, test_case.fit, test_case.mapping);
  ASSERT_TRUE(reference);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const auto rendered = gpu->renderer->collect();
    ASSERT_TRUE(rendered);
    const std::vector<Cell> expected = reference->map(parity::make_frame(kinds[i]));
    ASSERT_NO_FATAL_FAILURE(expect_cells(rendered->cells, expected, std::to_string(i)));
    if (i + 3 < kinds.size()) {
      ASSERT_TRUE(gpu->renderer->submit(parity::make_frame(kinds[i + 3]), {}));
    }
  }
}

TEST_F(GpuTest, RendererResultsOutliveRenderer) {
  const Case test_case = simple_case({10, 4}, {8, 16}, {80, 64}, parity::Pattern::Random, 9);
  const Frame frame = parity::make_frame(test_case.frame);
  render::RenderedFrame rendered;
  {
    const auto gpu = make_gpu(device(), 2);
    ASSERT_TRUE(gpu->renderer->configure(setup_of(test_case, PictureFormat::Bgra8)));
    ASSERT_TRUE(gpu->renderer->submit(frame, {}));
    ASSERT_TRUE(gpu->renderer->submit(frame, {}));  // in flight when the renderer is destroyed
    rendered = *gpu->renderer->collect();
  }
  expect_bgra(rendered, *parity::glyphs_of(test_case), "after the renderer");
}

TEST_F(GpuTest, RendererReportsGpuStageTimes) {
  if (device()->timestamp_bits() == 0) GTEST_SKIP() << "this device's queue has no timestamps";
  const auto gpu = make_gpu(device(), 2);
  const Case test_case = simple_case({40, 20}, {8, 16}, {320, 240}, parity::Pattern::Random, 2);
  const Frame frame = parity::make_frame(test_case.frame);
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
    ASSERT_TRUE(gpu->renderer->configure(setup_of(test_case, format)));
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(gpu->renderer->submit(frame, {}));
      ASSERT_TRUE(gpu->renderer->collect());
    }
  }
  EXPECT_EQ(gpu->times.summary(Stage::Import).count, 6u);
  EXPECT_EQ(gpu->times.summary(Stage::Map).count, 6u);
  EXPECT_EQ(gpu->times.summary(Stage::Draw).count, 3u);
  EXPECT_EQ(gpu->times.summary(Stage::Pack).count, 3u);
  EXPECT_EQ(gpu->times.summary(Stage::Readback).count, 6u);
  EXPECT_GT(gpu->times.summary(Stage::Map).total_ms, 0);
  EXPECT_EQ(gpu->times.summary(Stage::Map).engine, device()->name());
}

TEST_F(GpuTest, RendererReadsCellsBackOnlyOnRequest) {
  const auto gpu = make_gpu(device(), 1);
  const Case test_case = simple_case({10, 4}, {8, 16}, {80, 64}, parity::Pattern::Random, 9);
  render::RenderSetup setup = setup_of(test_case, PictureFormat::Yuv420p);
  setup.want_cells = false;
  ASSERT_TRUE(gpu->renderer->configure(setup));
  ASSERT_TRUE(gpu->renderer->submit(parity::make_frame(test_case.frame), {}));
  const auto rendered = gpu->renderer->collect();
  ASSERT_TRUE(rendered);
  EXPECT_TRUE(rendered->cells.empty());
  EXPECT_EQ(rendered->picture.size, (Extent{80, 64}));
}

TEST_F(GpuTest, RendererRejectsRampMissingFromGlyphs) {
  const auto gpu = make_gpu(device(), 1);
  Case test_case = simple_case({10, 4}, {8, 16}, {80, 64}, parity::Pattern::Random, 9);
  test_case.mapping.mode = Mode::Ramp;
  test_case.mapping.ramp = " \u2603";
  const auto configured = gpu->renderer->configure(setup_of(test_case, PictureFormat::None));
  ASSERT_FALSE(configured);
  EXPECT_EQ(configured.error().code, ErrorCode::Usage);
}

TEST_F(GpuTest, RendererMatchesCpuOnGridOfSeveralRowsOfGroups) {
  const auto gpu = make_gpu(device(), 1);
  const Case test_case = simple_case({300, 240}, {2, 2}, {320, 200}, parity::Pattern::Random, 6);
  const Frame frame = parity::make_frame(test_case.frame);
  expect_case(*gpu->renderer, test_case, frame, PictureFormat::None);
}

TEST_F(GpuTest, RendererMatchesCpuWhileWindowIsResized) {
  const auto gpu = make_gpu(device(), 1);
  // For each layout, the first grid has a sampling pipeline of its own, and a pipeline for all grids is
  // compiled in the background. If the second grid is set before this compilation finishes, it also has a
  // pipeline of its own.
  for (const std::string layout : {"yuv420p", "p010", "rgb24"}) {
    for (int i = 0; i < 8; ++i) {
      Case test_case = simple_case({20 + 3 * i, 10 + i}, {8, 16}, {320, 200}, parity::Pattern::Random, 7);
      test_case.frame.layout = parity::layout_named(layout);
      const Frame frame = parity::make_frame(test_case.frame);
      ASSERT_NO_FATAL_FAILURE(expect_case(*gpu->renderer, test_case, frame, PictureFormat::None, true));
    }
  }
}

TEST_F(GpuTest, RendererRejectsOversizedGrid) {
  const auto gpu = make_gpu(device(), 1);
  const Case wide = simple_case({5000, 1}, {8, 16}, {80, 64}, parity::Pattern::Random, 9);
  const Case large = simple_case({4000, 2000}, {4, 8}, {80, 64}, parity::Pattern::Random, 9);
  for (const Case& test_case : {wide, large}) {
    const auto configured = gpu->renderer->configure(setup_of(test_case, PictureFormat::Bgra8));
    ASSERT_FALSE(configured);
    EXPECT_EQ(configured.error().code, ErrorCode::Usage) << configured.error().message;
  }
}

}  // namespace
}  // namespace glyphreel::gpu
