#include <array>
#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "mapping/shared/shared_scalar.h"
#include "mapping/tables/glyph_tables.h"

namespace glyphreel::mapping::clarity_test {
namespace {

namespace scalar = shared::scalar;

shared::MapParameters parameters_for(GridSize grid, Mode mode = Mode::Shape, std::uint32_t auto_levels = 1) {
  shared::MapParameters p{};
  p.mode = mode;
  p.levels.automatic = auto_levels;
  set_grid(p, grid);
  return p;
}

/// Returns clarity() of a cell. The mean luma of the cell (`luma`) and of the regions (`means`) is given in
/// quarters of a code value.
std::int32_t clarity_of(const shared::MapParameters& p, const std::array<std::uint32_t, 144>& means,
                        std::uint32_t luma, int column, int row) {
  const std::uint32_t halves = luma * 4 | luma * 4 << 16;
  const shared::AnalysisView view{.halves = &halves, .region_means = means.data()};
  return scalar::clarity(nullptr, nullptr, view, p, column, row);
}

/// Returns clarity() of a cell if all regions have the mean luma `around`.
std::int32_t clarity_of(std::uint32_t around, std::uint32_t luma) {
  std::array<std::uint32_t, 144> means;
  means.fill(around);
  return clarity_of(parameters_for({160, 45}), means, luma, 80, 22);
}

TEST(Clarity, RegionsCoverEveryGrid) {
  for (const GridSize grid :
       {GridSize{1, 1}, {2, 3}, {15, 8}, {16, 9}, {17, 10}, {160, 45}, {241, 67}, {1000, 997}}) {
    const shared::MapParameters p = parameters_for(grid);
    std::uint32_t cells = 0;
    for (std::uint32_t y = 0; y < shared::RegionsY; ++y) {
      for (std::uint32_t x = 0; x < shared::RegionsX; ++x) {
        cells += scalar::region_extent(p.columns, p.regions.columns, x) *
                 scalar::region_extent(p.rows, p.regions.rows, y);
      }
    }
    EXPECT_EQ(cells, p.columns * p.rows);
    EXPECT_LT(scalar::region_at(p, p.columns - 1, p.rows - 1), shared::RegionCount);
    EXPECT_EQ(scalar::region_mean(p, 0, p.regions.columns * p.regions.rows * 7), 7u);
  }
}

TEST(Clarity, IsForAutomaticLevelsExceptRamps) {
  EXPECT_NE(parameters_for({160, 45}).regions.columns, 0u);
  EXPECT_EQ(parameters_for({160, 45}, Mode::Ramp).regions.columns, 0u);
  EXPECT_EQ(parameters_for({160, 45}, Mode::Shape, 0).regions.columns, 0u);
  EXPECT_EQ(scalar::clarity(nullptr, nullptr, {}, parameters_for({160, 45}, Mode::Ramp), 3, 3), 0);
}

TEST(Clarity, TriplesSmallDifferencesOfBrightCells) {
  for (const int difference : {-5, -3, 0, 2, 4})
    EXPECT_EQ(clarity_of(880, static_cast<std::uint32_t>(880 + 4 * difference)), 2 * difference);
}

TEST(Clarity, LeavesEdgesAndBlackAlone) {
  for (const std::uint32_t luma : {0u, 200u, 760u, 1000u, 1020u}) EXPECT_EQ(clarity_of(880, luma), 0) << luma;
  for (std::uint32_t luma = 0; luma < 1020; luma += 4) EXPECT_EQ(clarity_of(0, luma), 0) << luma;
}

TEST(Clarity, KeepsTheOrderOfTones) {
  for (const std::uint32_t around : {60u, 300u, 512u, 900u}) {
    std::int32_t darker = 0;
    for (std::uint32_t luma = 0; luma <= 1020; luma += 4) {
      const std::int32_t code = static_cast<std::int32_t>(luma / 4) + clarity_of(around, luma);
      EXPECT_GE(code, darker - 1) << around << " " << luma;  // allows 1 code, because clarity() rounds
      darker = code;
    }
  }
}

TEST(Clarity, InterpolatesBetweenRegions) {
  const shared::MapParameters p = parameters_for({160, 45});  // regions of 10 x 5 cells
  std::array<std::uint32_t, 144> means;
  for (std::uint32_t i = 0; i < means.size(); ++i) means[i] = 600 + 16 * (i % 16) + 8 * (i / 16);
  // The means lie on a plane, so interpolation yields the plane's luma at each cell. clarity() then returns
  // 0, apart from rounding.
  for (const int column : {5, 12, 77, 154}) {
    for (const int row : {2, 9, 30, 42}) {
      const double plane = 600 + 16 * ((column + 0.5) / 10 - 0.5) + 8 * ((row + 0.5) / 5 - 0.5);
      EXPECT_LE(std::abs(clarity_of(p, means, static_cast<std::uint32_t>(plane), column, row)), 1);
    }
  }
  // Beyond the center of an outer region, the surrounding luma is the mean luma of that region.
  EXPECT_EQ(clarity_of(p, means, 600, 0, 0), 0);
  EXPECT_EQ(clarity_of(p, means, means[143], 159, 44), 0);
}

}  // namespace
}  // namespace glyphreel::mapping::clarity_test
