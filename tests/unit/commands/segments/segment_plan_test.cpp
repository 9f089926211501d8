#include "commands/segments/segment_plan.h"

#include <gtest/gtest.h>

namespace glyphreel::commands::segment_plan_test {
namespace {

TEST(SegmentPlan, LastSegmentIsHalfToOneAndAHalfTimesAsLong) {
  EXPECT_EQ(plan_segments(0, 60, 20).borders, (std::vector<double>{20, 40}));
  EXPECT_EQ(plan_segments(0, 69, 20).borders, (std::vector<double>{20, 40}));
  EXPECT_EQ(plan_segments(0, 71, 20).borders, (std::vector<double>{20, 40, 60}));
  EXPECT_EQ(plan_segments(5, 45, 20).borders, std::vector<double>{25});
}

TEST(SegmentPlan, ShortRecordingIsOneSegment) {
  EXPECT_EQ(plan_segments(0, 29, 20).segments(), 1u);
  EXPECT_EQ(plan_segments(0, 0, 20).segments(), 1u);
}

TEST(SegmentPlan, TenThousandSegmentsHaveTheirPlannedTimes) {
  const SegmentPlan plan = plan_segments(0, 600'000, 60);
  ASSERT_EQ(plan.segments(), 10'000u);
  EXPECT_DOUBLE_EQ(plan.borders.back(), 599'940);
}

TEST(SegmentPlan, NeighborsShareTheirBorder) {
  const SegmentPlan plan = plan_segments(0, 60, 20);
  const Rational ticks{1, 1000};
  EXPECT_FALSE(segment_bounds(plan, 0, 500, ticks).begin);
  EXPECT_EQ(segment_bounds(plan, 0, 500, ticks).end, (PlannedBorder{20'500, 30'500}));
  EXPECT_EQ(segment_bounds(plan, 1, 500, ticks).begin, segment_bounds(plan, 0, 500, ticks).end);
  EXPECT_FALSE(segment_bounds(plan, 2, 500, ticks).end);
}

TEST(SegmentPlan, SlackOfLongSegmentsIsLimited) {
  EXPECT_DOUBLE_EQ(plan_segments(0, 600, 4).slack_seconds, 2);
  EXPECT_DOUBLE_EQ(plan_segments(0, 600, 300).slack_seconds, 15);
}

TEST(SegmentPlan, BorderIsACutOrTheLatestTime) {
  const PlannedBorder planned{100, 150};
  EXPECT_FALSE(is_border(planned, 98, 99, true));
  EXPECT_TRUE(is_border(planned, 99, 100, true));
  EXPECT_FALSE(is_border(planned, 99, 100, false));
  EXPECT_FALSE(is_border(planned, 148, 149, false));
  EXPECT_TRUE(is_border(planned, 149, 150, false));
  EXPECT_TRUE(is_border(planned, 90, 400, false));
  EXPECT_FALSE(is_border(planned, 150, 150, true)) << "a time that repeats";
}

}  // namespace
}  // namespace glyphreel::commands::segment_plan_test
