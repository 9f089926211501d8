#include "batch/schedule.h"

#include <gtest/gtest.h>

namespace glyphreel::batch::schedule_test {
namespace {

using Consequence = Schedule::Consequence;

TEST(Schedule, RunsItemsInOrder) {
  Schedule schedule(0);
  schedule.add(3, {0}, 1);
  schedule.add(5, {0}, 1);
  EXPECT_EQ(schedule.waiting(), 2U);
  EXPECT_EQ(schedule.next(), (Unit{3, 0}));
  EXPECT_EQ(schedule.next(), (Unit{5, 0}));
  EXPECT_EQ(schedule.next(), std::nullopt);
  EXPECT_FALSE(schedule.is_finished());
  EXPECT_EQ(schedule.finish({5, 0}, Outcome::Succeeded), Consequence::ItemDone);
  EXPECT_EQ(schedule.finish({3, 0}, Outcome::Failed), Consequence::ItemFailed);
  EXPECT_TRUE(schedule.is_finished());
}

TEST(Schedule, RetriesWhatMayPass) {
  Schedule schedule(2);
  schedule.add(0, {0}, 1);
  for (int attempt = 0; attempt < 2; ++attempt) {
    ASSERT_EQ(schedule.next(), (Unit{0, 0}));
    EXPECT_EQ(schedule.finish({0, 0}, Outcome::MayPass), Consequence::Retry);
  }
  ASSERT_EQ(schedule.next(), (Unit{0, 0}));
  EXPECT_EQ(schedule.finish({0, 0}, Outcome::MayPass), Consequence::ItemFailed);
  EXPECT_TRUE(schedule.is_finished());
}

TEST(Schedule, AssemblesItemsOfSeveralSegments) {
  Schedule schedule(0);
  schedule.add(0, {1, 2}, 3);  // segment 0 is done
  schedule.add(1, {}, 3);      // only assembling is left
  EXPECT_EQ(schedule.next(), (Unit{0, 1}));
  EXPECT_EQ(schedule.next(), (Unit{0, 2}));
  EXPECT_EQ(schedule.next(), (Unit{1, Unit::Assembling}));
  EXPECT_EQ(schedule.finish({0, 2}, Outcome::Succeeded), Consequence::SegmentDone);
  EXPECT_EQ(schedule.finish({0, 1}, Outcome::Succeeded), Consequence::SegmentDone);
  EXPECT_EQ(schedule.next(), (Unit{0, Unit::Assembling}));
  EXPECT_EQ(schedule.finish({0, Unit::Assembling}, Outcome::Succeeded), Consequence::ItemDone);
  EXPECT_EQ(schedule.finish({1, Unit::Assembling}, Outcome::Succeeded), Consequence::ItemDone);
  EXPECT_TRUE(schedule.is_finished());
}

TEST(Schedule, FailedItemLosesItsOtherSegments) {
  Schedule schedule(0);
  schedule.add(0, {0, 1, 2}, 3);
  schedule.add(1, {0}, 1);
  ASSERT_EQ(schedule.next(), (Unit{0, 0}));
  EXPECT_EQ(schedule.finish({0, 0}, Outcome::Failed), Consequence::ItemFailed);
  EXPECT_EQ(schedule.next(), (Unit{1, 0}));
  EXPECT_EQ(schedule.next(), std::nullopt);
}

TEST(Schedule, StopLetsRunningUnitsEnd) {
  Schedule schedule(5);
  schedule.add(0, {0}, 1);
  schedule.add(1, {0}, 1);
  ASSERT_TRUE(schedule.next());
  schedule.stop();
  EXPECT_EQ(schedule.next(), std::nullopt);
  EXPECT_FALSE(schedule.is_finished());
  EXPECT_EQ(schedule.finish({0, 0}, Outcome::Interrupted), Consequence::ItemStopped);
  EXPECT_TRUE(schedule.is_finished());
}

TEST(Schedule, ErrorsThatNeverPass) {
  EXPECT_EQ(outcome_of({ErrorCode::BadInput, "", ""}), Outcome::Failed);
  EXPECT_EQ(outcome_of({ErrorCode::Usage, "", ""}), Outcome::Failed);
  EXPECT_EQ(outcome_of({ErrorCode::Failed, "", ""}), Outcome::MayPass);
  EXPECT_EQ(outcome_of({ErrorCode::Interrupted, "", ""}), Outcome::Interrupted);
  EXPECT_TRUE(is_fatal({ErrorCode::Failed, "", "No space left on device"}));
  EXPECT_FALSE(is_fatal({ErrorCode::Failed, "", "Permission denied"}));
}

TEST(Parallelism, DependsOnCpusAndRenderer) {
  using Engines = EngineBalance::Engines;
  EXPECT_EQ(choose_jobs(0, 0, 8, Engines::Cpu, 1000), (Parallelism{8, 1}));
  EXPECT_EQ(choose_jobs(0, 0, 8, Engines::Gpu, 1000), (Parallelism{4, 2}));
  EXPECT_EQ(choose_jobs(0, 0, 8, Engines::Both, 1000), (Parallelism{8, 1}));
  EXPECT_EQ(choose_jobs(0, 0, 8, Engines::Cpu, 2), (Parallelism{2, 4}));
  EXPECT_EQ(choose_jobs(3, 0, 8, Engines::Cpu, 1000), (Parallelism{3, 2}));
  EXPECT_EQ(choose_jobs(0, 6, 8, Engines::Cpu, 1000), (Parallelism{8, 6}));
  EXPECT_EQ(choose_jobs(16, 0, 2, Engines::Cpu, 1000), (Parallelism{16, 1}));
  EXPECT_EQ(choose_jobs(0, 0, 8, Engines::Cpu, 1), (Parallelism{1, 0})) << "decoding has its usual threads";
  EXPECT_EQ(choose_jobs(0, 0, 1, Engines::Cpu, 0), (Parallelism{1, 0}));
}

}  // namespace
}  // namespace glyphreel::batch::schedule_test
