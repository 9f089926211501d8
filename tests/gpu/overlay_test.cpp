// Text over the picture: the GPU renderer against the CPU renderer, every cell and every byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cases.h"
#include "gpu_fixture.h"
#include "import/frame_importer.h"
#include "moving_frame.h"
#include "render/overlay_maker.h"
#include "render/picture_layout.h"

namespace glyphreel::gpu {
namespace {

using mapping::shared::Cell;
using parity::Case;
using OverlayPointer = std::shared_ptr<const render::Overlay>;

/// The renderers side by side; frames are submitted to both and compared when they are collected.
class Pair {
 public:
  Pair(const std::shared_ptr<Device>& device, int depth) : cpu_(render::make_cpu_renderer(1, cpu_times_)) {
    auto made = importer::make_gpu_renderer(device, gpu_times_, depth);
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

  void set_overlay(const OverlayPointer& overlay) {
    cpu_->set_overlay(overlay);
    gpu_->set_overlay(overlay);
  }

  void submit(const Frame& frame) {
    while (static_cast<int>(expected_.size()) >= gpu_->depth()) ASSERT_NO_FATAL_FAILURE(collect());
    ASSERT_TRUE(cpu_->submit(frame));
    expected_.push_back(*cpu_->collect());
    const auto submitted = gpu_->submit(frame);
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

  void redraw() {
    const auto expected = cpu_->redraw();
    ASSERT_TRUE(expected) << expected.error().message;
    auto rendered = gpu_->redraw();
    ASSERT_TRUE(rendered) << rendered.error().message;
    ASSERT_NO_FATAL_FAILURE(expect_same(*rendered, *expected));
    last_ = *std::move(rendered);
  }

  /// What was compared last.
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

/// Letters, and more of them by frame, in all opacities and styles, over about half of the cells.
render::TextLayer random_layer(GridSize grid, std::uint32_t seed) {
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

/// Some of the modes, colours and settings, with and without wide glyphs, at cell sizes of all kinds.
std::vector<Case> cases() {
  std::vector<Case> all;
  const std::vector<Case> narrow = parity::sequence_cases();
  const std::vector<Case> wide = parity::wide_glyph_cases();
  for (std::size_t i = 0; i < narrow.size(); i += narrow.size() / 6 + 1) all.push_back(narrow[i]);
  for (std::size_t i = 0; i < wide.size(); i += wide.size() / 6 + 1) all.push_back(wide[i]);
  for (const CellSize cell : {CellSize{7, 13}, CellSize{3, 5}, CellSize{16, 32}}) {
    all.push_back({.frame = {.layout = parity::layout_named("yuv420p")}, .grid = {13, 5}, .cell = cell});
  }
  return all;
}

TEST_F(GpuTest, TextLiesOverThePictureLikeOnTheCpu) {
  constexpr int Frames = 8;
  Pair pair(device(), 3);
  std::uint32_t seed = 1;
  for (const Case& test_case : cases()) {
    for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
      SCOPED_TRACE(parity::describe(test_case));
      render::OverlayMaker maker({.loading = render::OverlayMaker::Loading::Wait, .on_loaded = {}});
      maker.set_font("DejaVu Sans Mono", test_case.cell);
      ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
      for (int i = 0; i < Frames; ++i) {
        const render::TextLayer layer = random_layer(test_case.grid, ++seed);
        pair.set_overlay(i % 4 == 3 ? nullptr : maker.make(test_case.grid, {&layer, 1}));
        ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({.seed = seed}, i)));
      }
      ASSERT_NO_FATAL_FAILURE(pair.collect_all());
    }
  }
}

Case simple_case() {
  return {.frame = {}, .grid = {20, 8}, .cell = {8, 16}};
}

OverlayPointer overlay_of(const Case& test_case, std::uint32_t seed) {
  render::OverlayMaker maker({.loading = render::OverlayMaker::Loading::Wait, .on_loaded = {}});
  maker.set_font("DejaVu Sans Mono", test_case.cell);
  const render::TextLayer layer = random_layer(test_case.grid, seed);
  return maker.make(test_case.grid, {&layer, 1});
}

TEST_F(GpuTest, MappingDoesNotSeeTheText) {
  const Case test_case = simple_case();  // stable: each frame's cells depend on those before
  Pair plain(device(), 1);
  Pair with_text(device(), 1);
  ASSERT_NO_FATAL_FAILURE(plain.configure(setup_of(test_case, PictureFormat::None)));
  ASSERT_NO_FATAL_FAILURE(with_text.configure(setup_of(test_case, PictureFormat::None)));
  for (int i = 0; i < 10; ++i) {
    const Frame frame = parity::moving_frame({}, i);
    ASSERT_NO_FATAL_FAILURE(plain.submit(frame));
    ASSERT_NO_FATAL_FAILURE(plain.collect_all());
    with_text.set_overlay(overlay_of(test_case, static_cast<std::uint32_t>(i)));
    ASSERT_NO_FATAL_FAILURE(with_text.submit(frame));
    ASSERT_NO_FATAL_FAILURE(with_text.collect_all());
    ASSERT_NE(std::memcmp(plain.last().cells.data(), with_text.last().cells.data(),
                          plain.last().cells.size_bytes()),
              0);
    with_text.set_overlay(nullptr);
    ASSERT_NO_FATAL_FAILURE(with_text.redraw());
    ASSERT_EQ(with_text.last().overlay_glyphs, nullptr);
    ASSERT_EQ(std::memcmp(plain.last().cells.data(), with_text.last().cells.data(),
                          plain.last().cells.size_bytes()),
              0)
        << "frame " << i;
  }
}

TEST_F(GpuTest, TextChangesWhileThePictureStands) {
  const Case test_case = simple_case();
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
    Pair pair(device(), 3);
    ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
    ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 1)));
    ASSERT_NO_FATAL_FAILURE(pair.collect_all());
    for (std::uint32_t seed = 1; seed < 9; ++seed) {  // more often than there are slots
      pair.set_overlay(seed % 3 == 0 ? nullptr : overlay_of(test_case, seed));
      ASSERT_NO_FATAL_FAILURE(pair.redraw());
    }
    ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 2)));
    ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  }
}

TEST_F(GpuTest, TextStandsOnBlackBeforeTheFirstFrame) {
  const Case test_case = simple_case();
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p, PictureFormat::None}) {
    Pair pair(device(), 2);
    ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, format)));
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    for (const Cell& cell : pair.last().cells) {
      ASSERT_EQ(cell.foreground, 0xFF000000u);
      ASSERT_EQ(cell.background, 0xFF000000u);
    }
    pair.set_overlay(overlay_of(test_case, 5));
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    pair.set_overlay(nullptr);
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 2)));
    ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  }
}

TEST_F(GpuTest, TextForAnotherGridIsNotShown) {
  const Case test_case = simple_case();
  Case other = test_case;
  other.grid = {10, 8};
  Case larger = test_case;
  larger.cell = {10, 20};
  Pair pair(device(), 2);
  pair.set_overlay(overlay_of(other, 1));  // before configure() too
  ASSERT_NO_FATAL_FAILURE(pair.configure(setup_of(test_case, PictureFormat::Bgra8)));
  ASSERT_NO_FATAL_FAILURE(pair.submit(parity::moving_frame({}, 1)));
  ASSERT_NO_FATAL_FAILURE(pair.collect_all());
  const std::vector<Cell> cells = pair.last_cells();
  for (const OverlayPointer& overlay : {overlay_of(larger, 1), OverlayPointer()}) {
    pair.set_overlay(overlay);
    ASSERT_NO_FATAL_FAILURE(pair.redraw());
    ASSERT_EQ(pair.last().overlay_glyphs, nullptr);
    ASSERT_EQ(std::memcmp(pair.last().cells.data(), cells.data(), cells.size() * sizeof(Cell)), 0);
  }
  pair.set_overlay(overlay_of(test_case, 1));
  ASSERT_NO_FATAL_FAILURE(pair.redraw());
  ASSERT_NE(std::memcmp(pair.last().cells.data(), cells.data(), cells.size() * sizeof(Cell)), 0);
}

}  // namespace
}  // namespace glyphreel::gpu
