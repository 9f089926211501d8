// Tests that chroma siting is applied: the chroma samples that a lattice position averages must be centered
// on that position.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "mapping/cell_mapper.h"
#include "mapping/tables/sample_plan.h"

namespace glyphreel::mapping::sample_siting_test {
namespace {

using shared::ComponentSource;

PixelLayout subsampled(int log2_x, int log2_y) {
  PixelLayout layout{ColorModel::Yuv, 1, {ComponentLayout{.plane = 0}, {.plane = 1}, {.plane = 2}}};
  for (std::size_t c = 1; c < 3; ++c) {
    layout.components[c].log2_subsampling_x = static_cast<std::uint8_t>(log2_x);
    layout.components[c].log2_subsampling_y = static_cast<std::uint8_t>(log2_y);
  }
  return layout;
}

/// The center of the first chroma sample, in luma samples from the picture's left and top edges (H.273,
/// figures 7 and 8).
struct Offset {
  ChromaSiting siting;
  double x, y;
};
constexpr Offset Of420[] = {{ChromaSiting::Left, 0.5, 1},         {ChromaSiting::Center, 1, 1},
                            {ChromaSiting::TopLeft, 0.5, 0.5},    {ChromaSiting::Top, 1, 0.5},
                            {ChromaSiting::BottomLeft, 0.5, 1.5}, {ChromaSiting::Bottom, 1, 1.5}};

/// Returns the mean position, in luma samples, of the chroma samples that lattice position `k` averages.
double mean_place(const SamplePlan& plan, std::uint32_t at, std::uint32_t taps, std::uint32_t size,
                  std::uint32_t k, double first, int step) {
  double sum = 0;
  for (std::uint32_t tap = 0; tap < taps; ++tap) {
    const std::uint32_t sample = plan.axis_words[at + k] + tap;
    sum += plan.axis_words[at + size + k * taps + tap] / 256.0 * (first + static_cast<double>(sample) * step);
  }
  return sum;
}

/// Checks that the chroma samples of each lattice position are centered on it, along both axes. Skips the
/// positions at the edges, where samples are replicated.
void expect_center(const SamplePlan& plan, Extent picture, double first_x, double first_y, int step_x,
                   int step_y) {
  const shared::SampleParameters& p = plan.parameters;
  const bool turned = p.transpose != 0;
  for (const ComponentSource* source : {&p.component_1, &p.component_2}) {
    const std::uint32_t size_x = turned ? p.lattice_height : p.lattice_width;
    const std::uint32_t size_y = turned ? p.lattice_width : p.lattice_height;
    for (std::uint32_t k = 1; k + 1 < size_x; ++k) {
      const double center = (k + 0.5) * picture.width / size_x;
      ASSERT_NEAR(mean_place(plan, source->axis_x, source->taps_x, size_x, k, first_x, step_x), center,
                  1.0 / 64)
          << k;
    }
    for (std::uint32_t k = 1; k + 1 < size_y; ++k) {
      const double center = (k + 0.5) * picture.height / size_y;
      ASSERT_NEAR(mean_place(plan, source->axis_y, source->taps_y, size_y, k, first_y, step_y), center,
                  1.0 / 64)
          << k;
    }
  }
}

SamplePlan plan_of(const PixelLayout& layout, ChromaSiting siting, Extent size, GridSize grid,
                   Rotation rotation = Rotation::None) {
  const FrameView view{.layout = layout, .color = {.siting = siting}, .size = size, .rotation = rotation};
  return make_sample_plan(sample_key(view, grid, {8, 16}, Fit::Stretch, {}));
}

TEST(ChromaSiting, Samples420AtSitedPositions) {
  for (const Offset& offset : Of420) {
    SCOPED_TRACE(static_cast<int>(offset.siting));
    // The lattice has 16 * 4 by 6 * 8 positions, each with one, two or three chroma samples per axis.
    for (const int span : {1, 2, 3}) {
      const Extent size{16 * 4 * 2 * span, 6 * 8 * 2 * span};
      expect_center(plan_of(subsampled(1, 1), offset.siting, size, {16, 6}), size, offset.x, offset.y, 2, 2);
    }
  }
}

TEST(ChromaSiting, AppliesOnlyToSubsampledAxes) {
  const Extent size{16 * 4 * 4, 6 * 8 * 4};
  for (const ChromaSiting siting : {ChromaSiting::Left, ChromaSiting::TopLeft}) {
    expect_center(plan_of(subsampled(1, 0), siting, size, {16, 6}), size, 0.5, 0.5, 2, 1);  // 4:2:2
    expect_center(plan_of(subsampled(2, 0), siting, size, {16, 6}), size, 0.5, 0.5, 4, 1);  // 4:1:1
    expect_center(plan_of(subsampled(0, 0), siting, size, {16, 6}), size, 0.5, 0.5, 1, 1);  // 4:4:4
  }
  expect_center(plan_of(subsampled(2, 0), ChromaSiting::Center, size, {16, 6}), size, 2, 0.5, 4, 1);
}

/// The siting applies to the stored picture and rotates with the picture.
TEST(ChromaSiting, RotatesWithPicture) {
  const Extent size{6 * 8 * 4, 16 * 4 * 4};
  const SamplePlan plan =
      plan_of(subsampled(1, 1), ChromaSiting::TopLeft, size, {16, 6}, Rotation::Clockwise270);
  ASSERT_EQ(plan.parameters.transpose, 1u);
  const shared::SampleParameters& p = plan.parameters;
  const ComponentSource& source = p.component_1;
  for (std::uint32_t k = 1; k + 1 < p.lattice_width; ++k) {  // rotated: lattice columns are source rows
    const double place = mean_place(plan, source.axis_y, source.taps_y, p.lattice_width, k, 0.5, 2);
    const double plain = (k + 0.5) * size.height / p.lattice_width;
    ASSERT_NEAR(std::min(std::abs(place - plain), std::abs(size.height - place - plain)), 0, 1.0 / 64) << k;
  }
}

/// Pictures with odd sizes end in the middle of a chroma sample.
TEST(ChromaSiting, OddSizesKeepTheirSiting) {
  const Extent size{16 * 4 * 4 + 1, 6 * 8 * 4 + 1};
  for (const Offset& offset : Of420) {
    const SamplePlan plan = plan_of(subsampled(1, 1), offset.siting, size, {16, 6});
    const ComponentSource& source = plan.parameters.component_1;
    // A position spans slightly more than 2 chroma samples. The mean of their positions may be off, because
    // the first and last samples are only partly covered.
    for (std::uint32_t k = 1; k < 63; ++k) {
      const double place = mean_place(plan, source.axis_x, source.taps_x, 64, k, offset.x, 2);
      ASSERT_NEAR(place, (k + 0.5) * size.width / 64, 0.13) << k;
    }
  }
}

/// Positions at an edge must use the edge sample instead of samples beyond the end of the plane: the weights
/// still sum to 256, and the taps stay in the plane.
TEST(ChromaSiting, EdgesAreReplicated) {
  for (const Offset& offset : Of420) {
    for (const Extent size : {Extent{1, 1}, Extent{2, 2}, Extent{3, 3}, Extent{65, 49}, Extent{1919, 1079}}) {
      const SamplePlan plan = plan_of(subsampled(1, 1), offset.siting, size, {16, 6});
      const ComponentSource& source = plan.parameters.component_2;
      for (std::uint32_t k = 0; k < 64; ++k) {
        std::uint32_t sum = 0;
        for (std::uint32_t tap = 0; tap < source.taps_x; ++tap) {
          sum += plan.axis_words[source.axis_x + 64 + k * source.taps_x + tap];
        }
        ASSERT_EQ(sum, 256u);
        ASSERT_LE(plan.axis_words[source.axis_x + k] + source.taps_x,
                  static_cast<unsigned>((size.width + 1) / 2));
      }
    }
  }
}

}  // namespace
}  // namespace glyphreel::mapping::sample_siting_test
