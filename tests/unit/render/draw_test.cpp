#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "../../environment.h"
#include "mapping/kernels/kernels.h"
#include "mapping/shared/shared_scalar.h"
#include "render/picture_layout.h"
#include "render/renderer.h"

namespace glyphreel::render::draw_test {
namespace {

namespace scalar = mapping::shared::scalar;

constexpr CellSize Cells[] = {{1, 1}, {3, 5}, {5, 7}, {8, 16}, {16, 32}, {2, 2}, {6, 3}, {3, 4}};
constexpr GridSize Grids[] = {{1, 1}, {3, 3}, {17, 5}, {40, 2}};

TEST(PictureLayout, PlanesDoNotOverlap) {
  for (const CellSize cell : Cells) {
    for (const GridSize grid : Grids) {
      const Extent exact{grid.columns * cell.width, grid.rows * cell.height};
      const PictureLayout bgra = picture_layout(PictureFormat::Bgra8, grid, cell);
      EXPECT_EQ(bgra.size, exact);
      EXPECT_GE(bgra.strides[0], 4 * exact.width);
      EXPECT_EQ(bgra.strides[0] % 64, 0);
      EXPECT_EQ(bgra.bytes, static_cast<std::size_t>(bgra.strides[0]) * exact.height);

      const PictureLayout yuv = picture_layout(PictureFormat::Yuv420p, grid, cell);
      EXPECT_EQ(yuv.size.width, exact.width + exact.width % 2);
      EXPECT_EQ(yuv.size.height, exact.height + exact.height % 2);
      std::size_t end = 0;
      for (std::size_t plane = 0; plane < 3; ++plane) {
        const int divide = plane == 0 ? 1 : 2;
        EXPECT_EQ(yuv.offsets[plane], end);
        EXPECT_EQ(yuv.offsets[plane] % 64, 0u);
        EXPECT_EQ(yuv.strides[plane] % 64, 0);
        EXPECT_GE(yuv.strides[plane], yuv.size.width / divide);
        end += static_cast<std::size_t>(yuv.strides[plane]) * (yuv.size.height / divide);
      }
      EXPECT_EQ(yuv.bytes, end);
      EXPECT_EQ(picture_layout(PictureFormat::None, grid, cell).bytes, 0u);
    }
  }
}

/// Allocates poisoned blocks of exactly the requested size, followed by guard bytes.
class PoisonedMemory final : public HostMemory {
 public:
  static constexpr std::byte Guard{0xA5};
  std::shared_ptr<const HostBlock> acquire(std::size_t size) override {
    bytes_.assign(size + 256, Guard);
    auto* aligned =
        reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(bytes_.data()) + 63) / 64 * 64);
    end_ = aligned + size;
    block_ = {.bytes = aligned, .size = size, .origin = this};
    return {&block_, [](const HostBlock*) {}};
  }
  [[nodiscard]] bool guard_is_whole() const {
    return std::all_of(end_, end_ + 64, [](std::byte b) { return b == Guard; });
  }

 private:
  std::vector<std::byte> bytes_;
  std::byte* end_ = nullptr;
  HostBlock block_;
};

/// The inputs from which one pixel of the picture is blended.
struct Pixel {
  std::uint32_t foreground = 0xFF000000, background = 0xFF000000, coverage = 0;
};

Pixel pixel_at(const RenderedFrame& frame, const text::GlyphSet& glyphs, int x, int y) {
  const CellSize cell = glyphs.cell();
  const int column = x / cell.width;
  const int row = y / cell.height;
  if (column >= frame.grid.columns || row >= frame.grid.rows) return {};
  const Cell& c = frame.cells[static_cast<std::size_t>(row * frame.grid.columns + column)];
  const int at = (static_cast<int>(c.glyph) * cell.height + y % cell.height) * cell.width + x % cell.width;
  return {c.foreground, c.background, glyphs.masks()[static_cast<std::size_t>(at)]};
}

std::uint32_t byte_of(std::uint32_t word, int shift) {
  return (word >> shift) & 255;
}

/// Returns (foreground * coverage + background * (255 - coverage)) / 255, rounded to nearest.
std::uint32_t mixed(std::uint32_t foreground, std::uint32_t background, std::uint32_t coverage) {
  return (2 * (foreground * coverage + background * (255 - coverage)) + 255) / 510;
}

void expect_bgra(const RenderedFrame& frame, const text::GlyphSet& glyphs) {
  for (int y = 0; y < frame.picture.size.height; ++y) {
    for (int x = 0; x < frame.picture.size.width; ++x) {
      const Pixel p = pixel_at(frame, glyphs, x, y);
      const std::byte* at = frame.picture.planes[0] + y * frame.picture.strides[0] + 4 * x;
      const std::array<int, 4> drawn = {static_cast<int>(at[0]), static_cast<int>(at[1]),
                                        static_cast<int>(at[2]), static_cast<int>(at[3])};
      std::array<int, 4> wanted{0, 0, 0, 255};
      for (int c = 0; c < 3; ++c) {
        wanted[static_cast<std::size_t>(c)] =
            static_cast<int>(mixed(byte_of(p.foreground, 8 * c), byte_of(p.background, 8 * c), p.coverage));
      }
      ASSERT_EQ(drawn, wanted) << "pixel " << x << ',' << y;
    }
  }
}

void expect_yuv(const RenderedFrame& frame, const text::GlyphSet& glyphs) {
  const Picture& picture = frame.picture;
  for (int y = 0; y < picture.size.height; ++y) {
    for (int x = 0; x < picture.size.width; ++x) {
      const Pixel p = pixel_at(frame, glyphs, x, y);
      const std::uint32_t wanted = mixed(byte_of(scalar::yuv_from_rgb(p.foreground), 16),
                                         byte_of(scalar::yuv_from_rgb(p.background), 16), p.coverage);
      ASSERT_EQ(static_cast<std::uint32_t>(picture.planes[0][y * picture.strides[0] + x]), wanted)
          << "luma " << x << ',' << y;
    }
  }
  for (int y = 0; y < picture.size.height / 2; ++y) {
    for (int x = 0; x < picture.size.width / 2; ++x) {
      for (int plane = 1; plane < 3; ++plane) {
        const int shift = plane == 1 ? 8 : 0;
        std::uint32_t sum = 0;  // 1020 times the mean of the four pixels
        for (int corner = 0; corner < 4; ++corner) {
          const Pixel p = pixel_at(frame, glyphs, 2 * x + corner % 2, 2 * y + corner / 2);
          sum += byte_of(scalar::yuv_from_rgb(p.foreground), shift) * p.coverage +
                 byte_of(scalar::yuv_from_rgb(p.background), shift) * (255 - p.coverage);
        }
        const auto index = static_cast<std::size_t>(plane);
        ASSERT_EQ(static_cast<std::uint32_t>(picture.planes[index][y * picture.strides[index] + x]),
                  (sum + 510) / 1020)
            << (plane == 1 ? "Cb " : "Cr ") << x << ',' << y;
      }
    }
  }
}

Frame noise(std::uint32_t seed) {
  const Extent size{61, 43};
  auto pixels =
      std::make_shared<std::vector<std::uint8_t>>(static_cast<std::size_t>(size.width) * size.height * 3);
  std::mt19937 random(seed);
  for (auto& byte : *pixels) byte = random() % 3 == 0 ? 0 : static_cast<std::uint8_t>(random());
  Frame frame;
  frame.view.layout = {
      ColorModel::Rgb, 1, {ComponentLayout{.step = 3}, {.step = 3, .offset = 1}, {.step = 3, .offset = 2}}};
  frame.view.size = size;
  frame.view.planes[0] = reinterpret_cast<const std::byte*>(pixels->data());
  frame.view.strides[0] = size.width * 3;
  frame.pts = seed;
  frame.duration = 2;
  frame.owner = std::move(pixels);
  return frame;
}

std::shared_ptr<const text::GlyphSet> some_glyphs(CellSize cell) {
  auto glyphs = text::GlyphSet::make({.cell = cell, .characters = " .:-=+*#%@MWgj|/\\_█▄"});
  CHECK(static_cast<bool>(glyphs), glyphs.error().message);
  return *std::move(glyphs);
}

TEST(CpuRenderer, DrawsEveryPixel) {
  for (std::size_t isa = 0; isa < mapping::available_kernels().size(); ++isa) {
    static constexpr const char* Names[] = {"baseline", "avx2", "avx512"};
    const test::Environment chosen("GLYPHREEL_ISA", Names[isa]);
    for (const CellSize cell : Cells) {
      const auto glyphs = some_glyphs(cell);
      for (const GridSize grid : Grids) {
        for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
          SCOPED_TRACE(std::string(Names[isa]) + ", cell " + std::to_string(cell.width) + "x" +
                       std::to_string(cell.height) + ", grid " + std::to_string(grid.columns) + "x" +
                       std::to_string(grid.rows) + (format == PictureFormat::Bgra8 ? ", bgra" : ", yuv420p"));
          PoisonedMemory memory;
          StageTimes times;
          const auto renderer = make_cpu_renderer(2, times);
          RenderSetup setup{.grid = grid, .fit = Fit::Stretch, .glyphs = glyphs, .picture = format};
          setup.picture_memory = &memory;
          ASSERT_TRUE(renderer->configure(setup));
          ASSERT_TRUE(renderer->submit(noise(5), {}));
          const Result<RenderedFrame> frame = renderer->collect();
          ASSERT_TRUE(frame);
          ASSERT_EQ(frame->cells.size(), static_cast<std::size_t>(grid.cells()));
          ASSERT_EQ(frame->picture.format, format);
          format == PictureFormat::Bgra8 ? expect_bgra(*frame, *glyphs) : expect_yuv(*frame, *glyphs);
          EXPECT_TRUE(memory.guard_is_whole());
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

/// Draws a picture of noise with `light`. Returns the sum of all bytes for Bgra8, and the sum of the luma for
/// Yuv420p.
long drawn_luma(PixelLight light, PictureFormat format) {
  StageTimes times;
  const auto renderer = make_cpu_renderer(2, times);
  const Result<void> configured =
      renderer->configure({.grid = {17, 5}, .glyphs = some_glyphs({8, 16}), .picture = format});
  CHECK(static_cast<bool>(configured), "the renderer refused the setup");
  const Result<RenderedFrame> frame = renderer->render(noise(5), {.light = light});
  CHECK(static_cast<bool>(frame), "the renderer failed");
  const int row_bytes = format == PictureFormat::Bgra8 ? 4 * 17 * 8 : 17 * 8;
  long sum = 0;
  for (int y = 0; y < frame->picture.size.height; ++y) {
    for (int x = 0; x < row_bytes; ++x)
      sum += static_cast<long>(frame->picture.planes[0][y * frame->picture.strides[0] + x]);
  }
  return sum;
}

TEST(CpuRenderer, GlowBrightensAndScanLinesDarken) {
  for (const PictureFormat format : {PictureFormat::Bgra8, PictureFormat::Yuv420p}) {
    const long plain = drawn_luma({}, format);
    EXPECT_GT(drawn_luma({.glow = 50}, format), plain * 11 / 10);
    EXPECT_GT(drawn_luma({.glow = 100}, format), drawn_luma({.glow = 50}, format));
    EXPECT_LT(drawn_luma({.scanlines = 60}, format), plain * 9 / 10);
  }
}

TEST(CpuRenderer, FramesOutliveRenderer) {
  StageTimes times;
  auto renderer = make_cpu_renderer(3, times);
  const auto glyphs = some_glyphs({8, 16});
  ASSERT_TRUE(renderer->configure({.grid = {20, 10}, .glyphs = glyphs, .picture = PictureFormat::Bgra8}));
  std::vector<RenderedFrame> frames;
  for (std::uint32_t i = 1; i <= 4; ++i) {
    ASSERT_TRUE(renderer->submit(noise(i), {}));
    auto frame = renderer->collect();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->pts, i);
    EXPECT_EQ(frame->duration, 2);
    frames.push_back(*std::move(frame));
  }
  renderer.reset();
  for (const RenderedFrame& frame : frames) expect_bgra(frame, *glyphs);
  EXPECT_EQ(times.summary(Stage::Map).count, 4u);
  EXPECT_EQ(times.summary(Stage::Draw).count, 4u);
}

TEST(CpuRenderer, ReconfiguresAndRejectsInvalidSetups) {
  StageTimes times;
  const auto renderer = make_cpu_renderer(1, times);
  const auto glyphs = some_glyphs({8, 16});
  RenderSetup setup{.grid = {9, 4}, .glyphs = glyphs, .picture = PictureFormat::Yuv420p};
  ASSERT_TRUE(renderer->configure(setup));
  RenderSetup wrong = setup;
  wrong.mapping.mode = Mode::Ramp;
  wrong.mapping.ramp = " ü";
  const Result<void> refused = renderer->configure(wrong);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::Usage);

  setup.grid = {31, 7};
  setup.picture = PictureFormat::None;
  ASSERT_TRUE(renderer->configure(setup));
  ASSERT_TRUE(renderer->submit(noise(1), {}));
  const auto frame = renderer->collect();
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->cells.size(), 217u);
  EXPECT_EQ(frame->picture.format, PictureFormat::None);
  EXPECT_EQ(renderer->bytes_copied(), 0u);
  EXPECT_GE(renderer->depth(), 1);
}

/// Renderers with one thread and with several threads must draw the same picture.
TEST(CpuRenderer, ResultIsIndependentOfThreads) {
  const auto glyphs = some_glyphs({5, 7});
  std::vector<std::vector<std::uint32_t>> results;
  for (const int threads : {1, 2, 5}) {
    StageTimes times;
    const auto renderer = make_cpu_renderer(threads, times);
    ASSERT_TRUE(renderer->configure({.grid = {33, 21}, .glyphs = glyphs, .picture = PictureFormat::Yuv420p}));
    ASSERT_TRUE(renderer->submit(noise(8), {}));
    const auto frame = renderer->collect();
    ASSERT_TRUE(frame);
    std::vector<std::uint32_t> all;
    for (const Cell& cell : frame->cells)
      all.insert(all.end(), {cell.glyph, cell.foreground, cell.background});
    results.push_back(all);
    expect_yuv(*frame, *glyphs);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

}  // namespace
}  // namespace glyphreel::render::draw_test
