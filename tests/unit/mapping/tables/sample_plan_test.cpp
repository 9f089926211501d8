#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "mapping/cell_mapper.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::sample_plan_test {

// Prints values in GoogleTest's messages.
void PrintTo(const GridSize& grid, std::ostream* out) {
  *out << grid.columns << 'x' << grid.rows;
}

}  // namespace glyphreel::sample_plan_test

namespace glyphreel::mapping::sample_plan_test {
namespace {

TEST(DisplayAspect, IncludesRotationAndPixelShape) {
  FrameView view{.size = {720, 576}};
  EXPECT_DOUBLE_EQ(display_aspect(view), 1.25);
  view.sample_aspect_ratio = {64, 45};
  EXPECT_NEAR(display_aspect(view), 16.0 / 9, 1e-12);
  view.rotation = Rotation::Clockwise90;
  EXPECT_NEAR(display_aspect(view), 9.0 / 16, 1e-12);
  view.rotation = Rotation::Half;
  EXPECT_NEAR(display_aspect(view), 16.0 / 9, 1e-12);
  view.rotation = Rotation::Clockwise270;
  EXPECT_NEAR(display_aspect(view), 9.0 / 16, 1e-12);
  view.rotation = Rotation::None;
  for (const Rational unknown : {Rational{0, 1}, Rational{1, 0}, Rational{-4, 3}}) {
    view.sample_aspect_ratio = unknown;
    EXPECT_DOUBLE_EQ(display_aspect(view), 1.25);
  }
}

TEST(FitGrid, KnownSizes) {
  const CellSize cell{8, 16};
  EXPECT_EQ(fit_grid(16.0 / 9, cell, {1920, 1080}), (GridSize{240, 67})) << "67.5 rows are ideal, and 67 fit";
  EXPECT_EQ(fit_grid(4.0 / 3, cell, {640, 480}), (GridSize{80, 30}));
  EXPECT_EQ(fit_grid(4.0 / 3, cell, {1920, 1080}), (GridSize{179, 67})) << "the height is the limit";
  EXPECT_EQ(fit_grid(16.0 / 9, cell, {640, 4000}), (GridSize{80, 23})) << "the width is the limit";
  EXPECT_EQ(fit_grid(9.0 / 16, {10, 20}, {1080, 1920}), (GridSize{108, 96}));
  EXPECT_EQ(fit_grid(1, {8, 8}, {100, 100}), (GridSize{12, 12}));
}

TEST(FitGrid, IsNeverEmptyOrOutOfBounds) {
  for (const double aspect : {0.001, 0.1, 0.5625, 1.0, 1.7778, 2.39, 50.0, 5000.0}) {
    for (const CellSize cell : {CellSize{1, 1}, CellSize{8, 16}, CellSize{16, 8}, CellSize{255, 255}}) {
      for (const Extent bounds : {Extent{1, 1}, Extent{7, 1000}, Extent{1920, 1080}, Extent{333, 77}}) {
        const GridSize grid = fit_grid(aspect, cell, bounds);
        const GridSize most{std::max(1, bounds.width / cell.width), std::max(1, bounds.height / cell.height)};
        ASSERT_GE(grid.columns, 1);
        ASSERT_GE(grid.rows, 1);
        ASSERT_LE(grid.columns, most.columns);
        ASSERT_LE(grid.rows, most.rows);
        ASSERT_TRUE(grid.columns == most.columns || grid.rows == most.rows)
            << "the grid leaves room in both directions";
        // Checks that the grid keeps the source's aspect ratio: either the number of rows is off by at most
        // half a row plus 1 %, or the number of columns is off by at most half a column.
        const double rows = grid.columns / aspect * cell.width / cell.height;
        const double columns = grid.rows * aspect * cell.height / cell.width;
        const bool near_rows =
            std::abs(rows - grid.rows) <= 0.5 + 0.01 * grid.rows || (grid.rows == 1 && rows < 1);
        const bool near_columns =
            std::abs(columns - grid.columns) <= 0.5 || (grid.columns == 1 && columns < 1);
        ASSERT_TRUE(near_rows || near_columns)
            << aspect << " cell " << cell.width << 'x' << cell.height << " in " << bounds.width << 'x'
            << bounds.height << ": " << grid.columns << 'x' << grid.rows;
      }
    }
  }
}

struct PlaceCase {
  const char* what;
  double aspect;
  GridSize grid;
  Fit fit;
  int left, top, columns, rows;
  double source_left = 0, source_top = 0, source_width = 1, source_height = 1;
};

TEST(GridPlacement, Table) {
  const CellSize cell{8, 16};  // a grid of 100 x 50 such cells is a square
  const GridSize grid{100, 50};
  const PlaceCase cases[] = {
      {"wide, contained", 2.0, grid, Fit::Contain, 0, 12, 100, 25},
      {"tall, contained", 0.5, grid, Fit::Contain, 25, 0, 50, 50},
      {"wide, covering", 2.0, grid, Fit::Cover, 0, 0, 100, 50, 0.25, 0, 0.5, 1},
      {"tall, covering", 0.5, grid, Fit::Cover, 0, 0, 100, 50, 0, 0.25, 1, 0.5},
      {"stretched", 7.0, grid, Fit::Stretch, 0, 0, 100, 50},
      {"the same aspect", 1.0, grid, Fit::Contain, 0, 0, 100, 50},
      {"0.9 % off: stretched", 1.009, {1000, 500}, Fit::Contain, 0, 0, 1000, 500},
      {"0.9 % off, covering", 1.009, {1000, 500}, Fit::Cover, 0, 0, 1000, 500},
      {"1.5 % off, less than a row", 1.015, grid, Fit::Contain, 0, 0, 100, 50},
      {"2.5 % off, more than a row", 1.025, {100, 50}, Fit::Contain, 0, 0, 100, 49},
      {"unknown aspect", 0.0, grid, Fit::Contain, 0, 0, 100, 50},
      {"a line", 1000.0, grid, Fit::Contain, 0, 24, 100, 1},
      {"a column", 0.001, grid, Fit::Contain, 49, 0, 1, 50},
      {"one cell", 3.0, {1, 1}, Fit::Contain, 0, 0, 1, 1},
  };
  for (const PlaceCase& c : cases) {
    SCOPED_TRACE(c.what);
    const GridPlacement placement = place(c.aspect, c.grid, cell, c.fit);
    EXPECT_EQ(placement.grid, c.grid);
    EXPECT_EQ(placement.left, c.left);
    EXPECT_EQ(placement.top, c.top);
    EXPECT_EQ(placement.columns, c.columns);
    EXPECT_EQ(placement.rows, c.rows);
    EXPECT_NEAR(placement.source_left, c.source_left, 1e-12);
    EXPECT_NEAR(placement.source_top, c.source_top, 1e-12);
    EXPECT_NEAR(placement.source_width, c.source_width, 1e-12);
    EXPECT_NEAR(placement.source_height, c.source_height, 1e-12);
  }
}

TEST(GridPlacement, ContainIsCenteredAndKeepsAspect) {
  for (const GridSize grid : {GridSize{80, 24}, GridSize{17, 90}, GridSize{240, 67}}) {
    for (const CellSize cell : {CellSize{8, 16}, CellSize{5, 7}}) {
      for (double aspect = 0.1; aspect < 10; aspect *= 1.07) {
        const GridPlacement p = place(aspect, grid, cell, Fit::Contain);
        ASSERT_GE(p.left, 0);
        ASSERT_GE(p.top, 0);
        ASSERT_LE(p.left + p.columns, grid.columns);
        ASSERT_LE(p.top + p.rows, grid.rows);
        ASSERT_LE(std::abs(grid.columns - p.columns - 2 * p.left), 1);
        ASSERT_LE(std::abs(grid.rows - p.rows - 2 * p.top), 1);
        ASSERT_TRUE(p.columns == grid.columns || p.rows == grid.rows);
        const double rows = p.columns / aspect * cell.width / cell.height;
        const double columns = p.rows * aspect * cell.height / cell.width;
        ASSERT_TRUE(std::abs(rows - p.rows) <= 1.0 || std::abs(columns - p.columns) <= 1.0 ||
                    std::abs(rows / p.rows - 1) <= 0.011)
            << aspect << ": " << p.columns << 'x' << p.rows << " of " << grid.columns << 'x' << grid.rows;
      }
    }
  }
}

TEST(SamplesPerCell, NeverExceedPixels) {
  EXPECT_EQ(samples_per_cell({8, 16}, Sampling::Area), (GridSize{4, 8}));
  EXPECT_EQ(samples_per_cell({255, 255}, Sampling::Area), (GridSize{4, 8}));
  EXPECT_EQ(samples_per_cell({3, 5}, Sampling::Area), (GridSize{3, 5}));
  EXPECT_EQ(samples_per_cell({1, 1}, Sampling::Area), (GridSize{1, 1}));
  EXPECT_EQ(samples_per_cell({16, 32}, Sampling::Corner), (GridSize{1, 1}));
}

/// Rotates a 2x2 picture of four grays, one per cell, and checks where its corners are.
TEST(SamplePlan, RotationsAreClockwise) {
  const std::uint8_t pixels[] = {10, 20, 30, 40};  // upright: 10 20 over 30 40
  FrameView view{.layout = {.model = ColorModel::Gray}, .color = {.range = ColorRange::Full}, .size = {2, 2}};
  view.planes[0] = reinterpret_cast<const std::byte*>(pixels);
  view.strides[0] = 2;
  const auto turned = [&](Rotation rotation, Sampling sampling) {
    view.rotation = rotation;
    const Parameters parameters{.sampling = sampling};
    const SamplePlan plan = make_sample_plan(sample_key(view, {2, 2}, {1, 1}, Fit::Stretch, parameters));
    const shared::SampleParameters& p = plan.parameters;
    std::vector<int> lattice;
    for (std::uint32_t y = 0; y < 2; ++y) {
      for (std::uint32_t x = 0; x < 2; ++x) {
        const std::uint32_t along_x = p.transpose != 0 ? y : x;
        const std::uint32_t along_y = p.transpose != 0 ? x : y;
        const std::uint32_t column = plan.axis_words[p.component_0.axis_x + along_x];
        const std::uint32_t row = plan.axis_words[p.component_0.axis_y + along_y];
        lattice.push_back(pixels[row * 2 + column]);
      }
    }
    return lattice;
  };
  for (const Sampling sampling : {Sampling::Area, Sampling::Corner}) {
    EXPECT_EQ(turned(Rotation::None, sampling), (std::vector<int>{10, 20, 30, 40}));
    EXPECT_EQ(turned(Rotation::Clockwise90, sampling), (std::vector<int>{30, 10, 40, 20}));
    EXPECT_EQ(turned(Rotation::Half, sampling), (std::vector<int>{40, 30, 20, 10}));
    EXPECT_EQ(turned(Rotation::Clockwise270, sampling), (std::vector<int>{20, 40, 10, 30}));
  }
}

TEST(SamplePlan, PlanesBecomeOffsets) {
  const PixelLayout nv12{ColorModel::Yuv,
                         1,
                         {ComponentLayout{.plane = 0},
                          {.plane = 1, .step = 2, .offset = 0, .log2_subsampling_x = 1},
                          {.plane = 1, .step = 2, .offset = 1, .log2_subsampling_x = 1}}};
  shared::SampleParameters parameters{};
  set_planes(parameters, nv12, {64, 5000, 0, 0}, {128, 192, 0, 0});
  EXPECT_EQ(parameters.component_0.base, 64u);
  EXPECT_EQ(parameters.component_0.stride, 128u);
  EXPECT_EQ(parameters.component_1.base, 5000u);
  EXPECT_EQ(parameters.component_2.base, 5001u);
  EXPECT_EQ(parameters.component_2.stride, 192u);
}

/// The chroma of a subsampled picture must be read at the same pixel as the luma.
TEST(SamplePlan, CornerReadsLumaAndChromaFromSamePixel) {
  const PixelLayout yuv420p{ColorModel::Yuv,
                            1,
                            {ComponentLayout{.plane = 0},
                             {.plane = 1, .log2_subsampling_x = 1, .log2_subsampling_y = 1},
                             {.plane = 2, .log2_subsampling_x = 1, .log2_subsampling_y = 1}}};
  for (const Extent size : {Extent{640, 480}, Extent{100, 70}, Extent{53, 37}, Extent{854, 480}}) {
    for (const GridSize grid : {GridSize{30, 9}, GridSize{16, 16}, GridSize{160, 45}}) {
      for (const Rotation rotation : {Rotation::None, Rotation::Half}) {
        const FrameView view{.layout = yuv420p, .size = size, .rotation = rotation};
        const Parameters parameters{.sampling = Sampling::Corner};
        const SamplePlan plan = make_sample_plan(sample_key(view, grid, {8, 16}, Fit::Cover, parameters));
        const shared::SampleParameters& p = plan.parameters;
        for (std::uint32_t k = 0; k < p.lattice_width; ++k) {
          const std::uint32_t luma = plan.axis_words[p.component_0.axis_x + k];
          ASSERT_EQ(plan.axis_words[p.component_1.axis_x + k], luma / 2)
              << size.width << " pixels, column " << k << " of " << grid.columns;
        }
        for (std::uint32_t k = 0; k < p.lattice_height; ++k) {
          const std::uint32_t luma = plan.axis_words[p.component_0.axis_y + k];
          ASSERT_EQ(plan.axis_words[p.component_2.axis_y + k], luma / 2)
              << size.height << " lines, row " << k << " of " << grid.rows;
        }
      }
    }
  }
}

/// If a picture is cropped to cover the grid, corner sampling must read only the visible part.
TEST(SamplePlan, CornersOfCroppedPictureAreVisible) {
  const FrameView view{.layout = {.model = ColorModel::Gray}, .size = {400, 100}};
  const Parameters parameters{.sampling = Sampling::Corner};
  const SamplePlan plan = make_sample_plan(sample_key(view, {10, 5}, {8, 16}, Fit::Cover, parameters));
  // 10 x 5 cells of 8 x 16 pixels form a square, so the middle 100 of 400 pixels are shown.
  for (std::uint32_t k = 0; k < 10; ++k) {
    EXPECT_EQ(plan.axis_words[plan.parameters.component_0.axis_x + k], 150 + 10 * k);
  }
  for (std::uint32_t k = 0; k < 5; ++k) {
    EXPECT_EQ(plan.axis_words[plan.parameters.component_0.axis_y + k], 20 * k);
  }
}

}  // namespace
}  // namespace glyphreel::mapping::sample_plan_test
