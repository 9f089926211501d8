#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cases.h"
#include "interop/frame_importer.h"
#include "render/overlay_builder.h"
#include "render/renderer.h"

namespace glyphreel::gpu {

using mapping::shared::Cell;
using OverlayPointer = std::shared_ptr<const render::Overlay>;

/// Returns the picture formats in which to compare case `number`: in a whole sweep, Bgra8 and Yuv420p;
/// otherwise, one of these in turn.
inline std::vector<PictureFormat> formats_of(std::size_t number) {
  if (parity::is_whole_sweep()) return {PictureFormat::Bgra8, PictureFormat::Yuv420p};
  return {number % 2 == 0 ? PictureFormat::Bgra8 : PictureFormat::Yuv420p};
}

/// Two renderers side by side; frames are submitted to both and compared when they are collected.
class Pair {
 public:
  Pair(const std::shared_ptr<Device>& device, int depth) : cpu_(render::make_cpu_renderer(1, cpu_times_)) {
    auto made = interop::make_gpu_renderer(device, gpu_times_, depth);
    EXPECT_TRUE(made) << made.error().message;
    gpu_ = *std::move(made);
  }

  void configure(const render::RenderSetup& setup) {
    setup_ = setup;
    const auto on_cpu = cpu_->configure(setup);
    ASSERT_TRUE(on_cpu) << on_cpu.error().message;
    const auto on_gpu = gpu_->configure(setup);
    ASSERT_TRUE(on_gpu) << on_gpu.error().message << on_gpu.error().cause;
  }

  void submit(const Frame& frame, const render::FrameOptions& options = {}) {
    while (static_cast<int>(expected_.size()) >= gpu_->depth()) ASSERT_NO_FATAL_FAILURE(collect());
    expected_.push_back(*cpu_->render(frame, options));
    const auto submitted = gpu_->submit(frame, options);
    ASSERT_TRUE(submitted) << submitted.error().message;
  }

  void collect() {
    const render::RenderedFrame expected = std::move(expected_.front());
    expected_.pop_front();
    auto rendered = gpu_->collect();
    ASSERT_TRUE(rendered) << rendered.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_same(*rendered, expected));
    last_ = *std::move(rendered);
  }

  void collect_all() {
    while (!expected_.empty()) ASSERT_NO_FATAL_FAILURE(collect());
  }

  void redraw(const render::FrameOptions& options = {}) {
    const auto expected = cpu_->redraw(options);
    ASSERT_TRUE(expected) << expected.error().message;
    auto rendered = gpu_->redraw(options);
    ASSERT_TRUE(rendered) << rendered.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_same(*rendered, *expected));
    last_ = *std::move(rendered);
  }

  /// Returns the last frame that was compared.
  [[nodiscard]] const render::RenderedFrame& last() const { return last_; }
  [[nodiscard]] std::vector<Cell> last_cells() const { return {last_.cells.begin(), last_.cells.end()}; }

 private:
  void expect_same(const render::RenderedFrame& gpu, const render::RenderedFrame& cpu) const {
    ASSERT_EQ(gpu.pts, cpu.pts);
    ASSERT_EQ(gpu.duration, cpu.duration);
    ASSERT_EQ(gpu.overlay_glyphs, cpu.overlay_glyphs);
    ASSERT_EQ(gpu.cells.size(), cpu.cells.size());
    for (std::size_t i = 0; i < gpu.cells.size(); ++i) {
      ASSERT_EQ(std::memcmp(&gpu.cells[i], &cpu.cells[i], sizeof(Cell)), 0)
          << fmt::format("cell {}: GPU {} {:08X} {:08X}, CPU {} {:08X} {:08X}", i, gpu.cells[i].glyph,
                         gpu.cells[i].foreground, gpu.cells[i].background, cpu.cells[i].glyph,
                         cpu.cells[i].foreground, cpu.cells[i].background);
    }
    ASSERT_EQ(gpu.picture.format, cpu.picture.format);
    ASSERT_EQ(gpu.picture.size, cpu.picture.size);
    const bool is_yuv = gpu.picture.format == PictureFormat::Yuv420p;
    const std::size_t planes = is_yuv ? 3 : gpu.picture.format == PictureFormat::Bgra8 ? 1 : 0;
    for (std::size_t plane = 0; plane < planes; ++plane) {
      const int divide = plane == 0 ? 1 : 2;
      const auto width = static_cast<std::size_t>(gpu.picture.size.width / divide * (is_yuv ? 1 : 4));
      for (int y = 0; y < gpu.picture.size.height / divide; ++y) {
        const auto row = [&](const Picture& picture) {
          return picture.planes[plane] + static_cast<std::ptrdiff_t>(y) * picture.strides[plane];
        };
        ASSERT_EQ(std::memcmp(row(gpu.picture), row(cpu.picture), width), 0)
            << "plane " << plane << " row " << y;
      }
    }
  }

  render::RenderSetup setup_;
  StageTimes cpu_times_, gpu_times_;
  std::unique_ptr<render::Renderer> cpu_;
  std::unique_ptr<GpuRenderer> gpu_;
  std::deque<render::RenderedFrame> expected_;
  render::RenderedFrame last_;
};

/// Returns random letters, which depend on `seed`, in all opacities and styles, over about half of the cells.
inline render::TextLayer random_layer(GridSize grid, std::uint32_t seed) {
  constexpr std::uint8_t Opacities[] = {0, 1, 128, 200, 255};
  const std::u32string letters = U"Aäg|_ █▒─" + std::u32string{static_cast<char32_t>(0x430 + seed % 32)};
  std::mt19937 random(seed);
  render::TextLayer layer{.grid = grid, .cells = {}};
  layer.cells.resize(static_cast<std::size_t>(grid.cells()));
  for (std::size_t i = 0; i < layer.cells.size(); ++i) {
    if (random() % 2 == 0) continue;
    render::TextCell& cell = layer.cells[i];
    cell.foreground = random() & 0xFFFFFF;
    cell.background = random() & 0xFFFFFF;
    cell.opacity = Opacities[random() % 5];
    cell.bold = random() % 4 == 0;
    cell.character = letters[random() % letters.size()];
    if (random() % 4 == 0 && i + 1 < layer.cells.size()) {
      cell.character = static_cast<char32_t>(0x4E00 + seed % 50 + random() % 3);
      layer.cells[i + 1] = cell;
      layer.cells[++i].character = render::TextCell::WideRight;
    }
  }
  return layer;
}

/// Returns an overlay with the text of random_layer(), for the case's grid and cell size.
inline OverlayPointer overlay_of(const parity::Case& test_case, std::uint32_t seed) {
  render::OverlayBuilder maker({.loading = render::OverlayBuilder::Loading::Wait, .on_loaded = {}});
  maker.set_font("DejaVu Sans Mono", test_case.cell);
  const render::TextLayer layer = random_layer(test_case.grid, seed);
  return maker.make(test_case.grid, {&layer, 1});
}

}  // namespace glyphreel::gpu
