#include "base/threads/stage_times.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/geometry.h"
#include "base/rational.h"

namespace glyphreel::stage_times_test {
namespace {

TEST(Quantile, InterpolatesBetweenClosestRanks) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({3}, 0), 3);
  EXPECT_EQ(quantile({3}, 0.99), 3);
  EXPECT_EQ(quantile({3}, 1), 3);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0), 1);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_EQ(quantile({4, 1, 3, 2}, 1), 4);
  EXPECT_EQ(quantile({1, 2, 3, 4, 5}, 0.25), 2);
  EXPECT_NEAR(quantile({1, 2, 3, 4, 5}, 0.99), 4.96, 1e-12);
  EXPECT_EQ(quantile({7, 7, 7}, 0.3), 7);
}

TEST(StageTimes, SummarizesStagesSeparately) {
  StageTimes times;
  for (int i = 1; i <= 101; ++i) times.add(Stage::Map, 102 - i);
  times.add(Stage::Draw, 0.25);
  times.set_engine(Stage::Map, "CPU");
  const StageSummary map = times.summary(Stage::Map);
  EXPECT_EQ(map.count, 101u);
  EXPECT_DOUBLE_EQ(map.total_ms, 5151);
  EXPECT_DOUBLE_EQ(map.mean_ms, 51);
  EXPECT_DOUBLE_EQ(map.p50_ms, 51);
  EXPECT_DOUBLE_EQ(map.p99_ms, 100);
  EXPECT_DOUBLE_EQ(map.max_ms, 101);
  EXPECT_EQ(map.engine, "CPU");
  EXPECT_EQ(times.summary(Stage::Draw).count, 1u);
  EXPECT_DOUBLE_EQ(times.summary(Stage::Draw).p99_ms, 0.25);
}

TEST(StageTimes, KeepsAllOrLastValues) {
  StageTimes recent;
  StageTimes all(StageTimes::Keep::All);
  const std::size_t count = Distribution::Remembered + 100;
  for (std::size_t i = 0; i < count; ++i) {
    recent.add(Stage::Map, static_cast<double>(i));
    all.add(Stage::Map, static_cast<double>(i));
  }
  EXPECT_EQ(recent.samples(Stage::Map).size(), Distribution::Remembered);
  EXPECT_EQ(recent.samples(Stage::Map).front(), 100);
  EXPECT_EQ(recent.summary(Stage::Map).count, count);
  EXPECT_EQ(all.samples(Stage::Map).size(), count);
  EXPECT_EQ(all.samples(Stage::Map).front(), 0);
  EXPECT_EQ(all.recent(Stage::Map, 2),
            (std::vector<float>{static_cast<float>(count - 2), static_cast<float>(count - 1)}));
}

TEST(StageTimes, UnusedStageIsEmpty) {
  StageTimes times;
  times.set_engine(Stage::Encode, "libx264");
  const StageSummary none = times.summary(Stage::Encode);
  EXPECT_EQ(none.count, 0u);
  EXPECT_EQ(none.mean_ms, 0);
  EXPECT_EQ(none.max_ms, 0);
  EXPECT_EQ(none.engine, "libx264");
}

TEST(StageTimes, EveryStageHasName) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < StageCount; ++i) names.insert(stage_name(static_cast<Stage>(i)));
  EXPECT_EQ(names.size(), StageCount);
  EXPECT_STREQ(stage_name(Stage::Decode), "decode");
  EXPECT_STREQ(stage_name(Stage::Audio), "audio");
}

TEST(StageTimes, ScopesRecordThemselves) {
  StageTimes times;
  {
    const ScopedStage stage(times, Stage::Pack);
    EXPECT_EQ(times.summary(Stage::Pack).count, 0u);
  }
  EXPECT_EQ(times.summary(Stage::Pack).count, 1u);
  EXPECT_GE(times.summary(Stage::Pack).mean_ms, 0);
}

TEST(StageTimes, AnyThreadMayAddAndRead) {
  StageTimes times;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&times, t] {
        for (int i = 0; i < 1000; ++i) {
          times.add(t % 2 == 0 ? Stage::Decode : Stage::Map, 1);
          if (i % 100 == 0) {
            EXPECT_LE(times.summary(Stage::Decode).mean_ms, 1);
          }
          if (i % 100 == 50) times.set_engine(Stage::Decode, std::to_string(t));
        }
      });
    }
  }
  EXPECT_EQ(times.summary(Stage::Decode).count, 2000u);
  EXPECT_EQ(times.summary(Stage::Map).count, 2000u);
}

TEST(Rational, ValueAndSign) {
  EXPECT_DOUBLE_EQ((Rational{30000, 1001}.value()), 30000.0 / 1001);
  EXPECT_EQ((Rational{1, 0}.value()), 0);
  EXPECT_TRUE((Rational{1, 90000}.is_positive()));
  EXPECT_FALSE((Rational{0, 1}.is_positive()));
  EXPECT_FALSE((Rational{-1, 1}.is_positive()));
  EXPECT_FALSE((Rational{1, 0}.is_positive()));
  EXPECT_FALSE((Rational{-1, -1}.is_positive()));
}

TEST(Geometry, CountsGridCells) {
  EXPECT_EQ((GridSize{240, 67}.cells()), 16080);
  EXPECT_EQ((GridSize{}.cells()), 0);
}

}  // namespace
}  // namespace glyphreel::stage_times_test
