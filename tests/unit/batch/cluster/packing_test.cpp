#include "batch/cluster/packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace glyphreel::batch::packing_test {
namespace {

std::size_t sum(const std::vector<std::size_t>& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
}

TEST(Packing, NothingMakesNoTask) {
  EXPECT_TRUE(pack_units({}, {}).empty());
}

TEST(Packing, TasksLastAboutTheTarget) {
  const std::vector<double> seconds(120, 60);  // two hours
  EXPECT_EQ(pack_units(seconds, {}), std::vector<std::size_t>(6, 20));
}

TEST(Packing, TenThousandSegmentsMakeAtMostAThousandTasks) {
  const std::vector<double> seconds(10'000, 240);  // enough for 2,000 tasks of 20 minutes
  const std::vector<std::size_t> sizes = pack_units(seconds, {});
  EXPECT_EQ(sizes.size(), 1000U);
  EXPECT_EQ(sum(sizes), 10'000U);
  EXPECT_EQ(std::ranges::max(sizes), 10U);
}

TEST(Packing, NoTaskExceedsTheMaximum) {
  const std::vector<double> seconds(100, 600);
  const std::vector<std::size_t> sizes = pack_units(seconds, {.max_tasks = 2});
  EXPECT_EQ(sizes.size(), 17U);
  for (const std::size_t size : sizes) EXPECT_LE(size, 6U);
}

TEST(Packing, MinTasksSpreadFewUnits) {
  EXPECT_EQ(pack_units(std::vector<double>(8, 1), {.min_tasks = 4}), std::vector<std::size_t>(4, 2));
  EXPECT_EQ(pack_units(std::vector<double>(3, 1), {.min_tasks = 8}), std::vector<std::size_t>(3, 1));
  EXPECT_EQ(pack_units(std::vector<double>(8, 1), {.min_tasks = 4, .max_tasks = 2}),
            std::vector<std::size_t>(2, 4));
}

TEST(Packing, EveryTaskHasAUnit) {
  std::vector<double> seconds(20, 0.1);
  for (const std::size_t at : {std::size_t{0}, std::size_t{10}, std::size_t{19}}) {
    seconds.assign(20, 0.1);
    seconds[at] = 5000;
    const std::vector<std::size_t> sizes = pack_units(seconds, {.min_tasks = 6});
    EXPECT_EQ(sizes.size(), 6U);
    EXPECT_EQ(sum(sizes), 20U);
    EXPECT_GE(std::ranges::min(sizes), 1U);
  }
}

TEST(Packing, TaskKeepsHalfASegmentOfReserve) {
  EXPECT_TRUE(has_time(151, 100));
  EXPECT_FALSE(has_time(149, 100));
  EXPECT_TRUE(has_time(0, 0));
}

}  // namespace
}  // namespace glyphreel::batch::packing_test
