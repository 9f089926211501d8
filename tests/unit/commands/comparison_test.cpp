#include "commands/comparison.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace glyphreel::commands::comparison_test {
namespace {

constexpr GridSize Grid{3, 2};
constexpr Extent Size{6, 4};
constexpr int Stride = 64;

/// A rendered frame that owns its cells and pixels. All cells are equal, and all pixels are equal.
struct Drawn {
  std::vector<render::Cell> cells = std::vector<render::Cell>(6, {1, 0xFF112233, 0xFF445566});
  std::vector<std::byte> pixels;
  render::RenderedFrame frame;

  explicit Drawn(std::byte padding) : pixels(static_cast<std::size_t>(Stride) * Size.height, padding) {
    for (int y = 0; y < Size.height; ++y) {
      for (int x = 0; x < Size.width; ++x) set(x, y, 0xFF112233);
    }
    frame = {.grid = Grid, .cells = cells, .picture = {.format = PictureFormat::Bgra8, .size = Size}};
    frame.picture.planes[0] = pixels.data();
    frame.picture.strides[0] = Stride;
  }
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;
  void set(int x, int y, std::uint32_t color) {
    std::memcpy(pixels.data() + static_cast<std::ptrdiff_t>(y) * Stride + 4 * x, &color, 4);
  }
};

TEST(Comparison, StartsEmpty) {
  Drawn gpu(std::byte{1});
  Drawn cpu(std::byte{2});  // different row padding, which is not compared
  Comparison comparison;
  comparison.add(gpu.frame, cpu.frame);
  comparison.add(gpu.frame, cpu.frame);
  EXPECT_EQ(comparison.frames, 2);
  EXPECT_EQ(comparison.cells, 12);
  EXPECT_EQ(comparison.mismatched_cells, 0);
  EXPECT_EQ(comparison.mismatched_pixels, 0);
  EXPECT_EQ(comparison.max_pixel_difference, 0);
  EXPECT_FALSE(comparison.first_mismatch);
}

TEST(Comparison, CountsEveryCellOnceAndKeepsFirst) {
  Drawn same(std::byte{0});
  Drawn gpu(std::byte{0});
  gpu.cells[4].glyph = 9;
  gpu.cells[4].foreground = 0xFF000000;
  gpu.cells[5].background = 0xFF445567;
  Comparison comparison;
  comparison.add(same.frame, same.frame);
  comparison.add(gpu.frame, same.frame);
  gpu.cells[0].foreground ^= 1;
  comparison.add(gpu.frame, same.frame);
  EXPECT_EQ(comparison.mismatched_cells, 5);
  ASSERT_TRUE(comparison.first_mismatch);
  EXPECT_EQ(comparison.first_mismatch->frame, 1);
  EXPECT_EQ(comparison.first_mismatch->column, 1);
  EXPECT_EQ(comparison.first_mismatch->row, 1);
  EXPECT_EQ(comparison.first_mismatch->gpu.glyph, 9u);
  EXPECT_EQ(comparison.first_mismatch->cpu.glyph, 1u);
}

TEST(Comparison, CountsPixelsInEveryCorner) {
  Drawn gpu(std::byte{0});
  Drawn cpu(std::byte{0});
  gpu.set(0, 0, 0xFF112234);
  gpu.set(5, 3, 0xFF112533);
  cpu.set(5, 0, 0xFFF12233);
  Comparison comparison;
  comparison.add(gpu.frame, cpu.frame);
  EXPECT_EQ(comparison.mismatched_pixels, 3);
  EXPECT_EQ(comparison.max_pixel_difference, 0xF1 - 0x11);
  EXPECT_EQ(comparison.mismatched_cells, 0);
  EXPECT_FALSE(comparison.first_mismatch);
}

TEST(Comparison, IncludesAlpha) {
  Drawn gpu(std::byte{0});
  Drawn cpu(std::byte{0});
  gpu.set(2, 2, 0x00112233);
  Comparison comparison;
  comparison.add(gpu.frame, cpu.frame);
  EXPECT_EQ(comparison.mismatched_pixels, 1);
  EXPECT_EQ(comparison.max_pixel_difference, 255);
}

TEST(Comparison, CanCompareCellsOnly) {
  Drawn gpu(std::byte{0});
  Drawn cpu(std::byte{0});
  gpu.frame.picture = {};
  cpu.frame.picture = {};
  gpu.cells[1].glyph = 2;
  Comparison comparison;
  comparison.add(gpu.frame, cpu.frame);
  EXPECT_EQ(comparison.mismatched_cells, 1);
  EXPECT_EQ(comparison.mismatched_pixels, 0);
}

TEST(ComparisonDeathTest, RejectsMismatchedFrames) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Drawn gpu(std::byte{0});
  Drawn cpu(std::byte{0});
  gpu.frame.grid = {2, 3};
  Comparison comparison;
  EXPECT_DEATH(comparison.add(gpu.frame, cpu.frame), "internal error");
  gpu.frame.grid = Grid;
  gpu.frame.cells = {};  // the cells were not read back
  EXPECT_DEATH(comparison.add(gpu.frame, cpu.frame), "internal error");
}

}  // namespace
}  // namespace glyphreel::commands::comparison_test
