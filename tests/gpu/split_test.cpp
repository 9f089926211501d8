// Tests the split view with the GPU renderer on one side: the split view must report no difference and show
// two equal halves.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "cases.h"
#include "interop/frame_importer.h"
#include "moving_frame.h"
#include "render/split_renderer.h"
#include "support/gpu_fixture.h"

namespace glyphreel::gpu {
namespace {

using Split = GpuTest;
using Side = render::SplitRenderer::Side;

std::unique_ptr<render::SplitRenderer> make_split(const std::shared_ptr<Device>& device) {
  render::SplitHalf left{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  auto gpu = interop::make_gpu_renderer(device, *left.times, FramesInFlight);
  EXPECT_TRUE(gpu) << gpu.error().message;
  left.renderer = *std::move(gpu);
  render::SplitHalf right{.times = std::make_unique<StageTimes>(), .renderer = nullptr};
  right.renderer = render::make_cpu_renderer(1, *right.times);
  return std::make_unique<render::SplitRenderer>(std::move(left), std::move(right), 1);
}

TEST_F(Split, RenderersMatchForAnyHistory) {
  const std::unique_ptr<render::SplitRenderer> split = make_split(device());
  // Render with narrow and with wide characters, one setup after the other. Each sequence contains a cut and
  // a new epoch.
  std::int64_t frames = 0;
  for (const parity::Case& test_case : {parity::sequence_cases().front(), parity::wide_glyph_cases().front(),
                                        parity::sequence_cases().back(), parity::wide_glyph_cases().back()}) {
    SCOPED_TRACE(describe(test_case));
    render::RenderSetup setup = setup_of(test_case, PictureFormat::Bgra8);
    for (const int columns : {setup.grid.columns, setup.grid.columns + 1}) {
      setup.grid.columns = columns;
      const auto configured = split->configure(setup);
      ASSERT_TRUE(configured) << configured.error().message;
      const render::SplitLayout halves = render::split_layout(columns);
      for (int index = 0; index < parity::SequenceFrames; index += 4, ++frames) {
        const auto submitted = split->submit(parity::moving_frame({}, index), {});
        ASSERT_TRUE(submitted) << submitted.error().message;
        const auto rendered = split->collect();
        ASSERT_TRUE(rendered) << rendered.error().message;
        ASSERT_EQ(split->findings().differing, 0) << "frame " << index;
        for (int row = 0; row < setup.grid.rows; ++row) {
          const auto* cells = &rendered->cells[static_cast<std::size_t>(row * columns)];
          for (int column = 0; column < halves.columns; ++column) {
            ASSERT_EQ(cells[column].glyph, cells[halves.right_at + column].glyph);
            ASSERT_EQ(cells[column].foreground, cells[halves.right_at + column].foreground);
          }
        }
        EXPECT_EQ(rendered->picture.size.width, columns * setup.glyphs->cell().width);
      }
    }
  }
  EXPECT_EQ(split->findings().frames, frames);
  EXPECT_EQ(split->findings().differing_in_all, 0);
  EXPECT_EQ(split->times(Side::Right).summary(Stage::Map).count, static_cast<std::uint64_t>(frames));
  if (device()->timestamp_bits() > 0) {
    EXPECT_EQ(split->times(Side::Left).summary(Stage::Map).count, static_cast<std::uint64_t>(frames));
  }
}

TEST_F(Split, ReadsFramesInGpuMemory) {
  const std::unique_ptr<render::SplitRenderer> split = make_split(device());
  ASSERT_NE(split->frame_memory(), nullptr);
  ASSERT_TRUE(split->configure(setup_of(parity::sequence_cases().front(), PictureFormat::None)));
  Frame frame = parity::moving_frame({}, 3);
  ASSERT_TRUE(split->submit(frame, {}));
  ASSERT_TRUE(split->collect());
  EXPECT_GT(split->bytes_copied(), 0u);
  const std::uint64_t copied = split->bytes_copied();

  // Submit the same pixels again, in the renderer's memory for decoders.
  std::size_t bytes = 0;
  constexpr std::size_t PlaneSpace = 64 * 1024;
  const auto block = split->frame_memory()->acquire(3 * PlaneSpace);
  ASSERT_NE(block, nullptr);
  for (std::size_t p = 0; p < 3; ++p) {
    const int rows = p == 0 ? frame.view.size.height : (frame.view.size.height + 1) / 2;
    const std::size_t size = static_cast<std::size_t>(frame.view.strides[p]) * static_cast<std::size_t>(rows);
    ASSERT_LE(size, PlaneSpace);
    std::copy_n(frame.view.planes[p], size, block->bytes + bytes);
    frame.view.planes[p] = block->bytes + bytes;
    bytes += PlaneSpace;
  }
  frame.view.block = block.get();
  frame.owner = block;
  ASSERT_TRUE(split->submit(frame, {}));
  ASSERT_TRUE(split->collect());
  EXPECT_EQ(split->bytes_copied(), copied);
  EXPECT_EQ(split->findings().differing_in_all, 0);
}

}  // namespace
}  // namespace glyphreel::gpu
