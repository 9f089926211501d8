#include "batch/pictures/picture_groups.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace glyphreel::batch::picture_groups_test {
namespace {

TEST(BatchSize, IsLimitedByMemoryTimeAndTheOtherJobs) {
  const BatchNeeds small{.most = 32, .picture_bytes = 20'000, .render_ms = 0.1, .waiting = 1000, .jobs = 2};
  EXPECT_EQ(batch_size(small), 32);
  BatchNeeds large = small;
  large.picture_bytes = 8 << 20;
  EXPECT_EQ(batch_size(large), 4);
  large.picture_bytes = 100 << 20;
  EXPECT_EQ(batch_size(large), 1);
  BatchNeeds slow = small;
  slow.render_ms = 10;
  EXPECT_EQ(batch_size(slow), 5);
  slow.render_ms = 200;
  EXPECT_EQ(batch_size(slow), 1);
  BatchNeeds last = small;
  last.waiting = 9;
  EXPECT_EQ(batch_size(last), 5);
  last.waiting = 0;
  EXPECT_EQ(batch_size(last), 1);
}

TEST(BatchSize, IsWhatTheUserChose) {
  const BatchNeeds needs{.chosen = 8, .most = 32, .picture_bytes = 100 << 20, .render_ms = 99, .waiting = 1};
  EXPECT_EQ(batch_size(needs), 8);
  BatchNeeds on_cpu = needs;
  on_cpu.most = 1;
  EXPECT_EQ(batch_size(on_cpu), 1);
}

TEST(GatherEqual, KeepsOrderWithinAndBetweenGroups) {
  const auto gathered = [](std::vector<std::string> items) {
    gather_equal(items, [](const std::string& a, const std::string& b) { return a[0] == b[0]; });
    return items;
  };
  EXPECT_EQ(gathered({"b1", "a1", "b2", "c1", "a2", "b3"}),
            (std::vector<std::string>{"b1", "b2", "b3", "a1", "a2", "c1"}));
  EXPECT_EQ(gathered({"a1"}), std::vector<std::string>{"a1"});
  EXPECT_EQ(gathered({}), std::vector<std::string>{});
}

}  // namespace
}  // namespace glyphreel::batch::picture_groups_test
