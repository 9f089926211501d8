#include "commands/bench/against.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace glyphreel::commands::against_test {
namespace {

/// Returns a benchmark with 15 repetitions of about `cpu_ms`, with a standard deviation of 1 %.
Benchmark benchmark(const std::string& name, double cpu_ms, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(1, 0.01);
  Benchmark made{name, {}};
  for (int i = 0; i < 15; ++i) {
    const double ms = cpu_ms * noise(random);
    made.repetitions.push_back(
        {.frames = 100, .real_ms = ms / 2, .cpu_ms = ms, .counters = {{"reference_ms", 5}}});
  }
  return made;
}

std::vector<Benchmark> run_of(double map_ms, double draw_ms, unsigned seed) {
  return {benchmark("map", map_ms, seed), benchmark("draw", draw_ms, seed + 1)};
}

Verdict verdict_between(const std::vector<Benchmark>& before, const std::vector<Benchmark>& after) {
  return overall_verdict(compare_runs(before, after, Measure::CpuTime, Sampling::Separate, {}));
}

TEST(CompareRuns, SameProgramDoesNotDiffer) {
  for (unsigned run = 0; run < 10; ++run)
    EXPECT_EQ(verdict_between(run_of(2, 7, 10 * run), run_of(2, 7, 10 * run + 5)), Verdict::Same) << run;
}

TEST(CompareRuns, ThreePercentAreFound) {
  int found = 0;
  for (unsigned run = 0; run < 10; ++run)
    found +=
        verdict_between(run_of(2, 7, 10 * run), run_of(2.06, 7.21, 10 * run + 5)) == Verdict::Slower ? 1 : 0;
  EXPECT_GE(found, 9);
}

TEST(CompareRuns, FasterIsNotSlower) {
  EXPECT_EQ(verdict_between(run_of(2, 7, 1), run_of(1.9, 6.6, 2)), Verdict::Faster);
}

TEST(CompareRuns, OneSlowerBenchmarkDecides) {
  const auto compared =
      compare_runs(run_of(2, 7, 1), run_of(2.2, 6.6, 2), Measure::CpuTime, Sampling::Separate, {});
  ASSERT_EQ(compared.size(), 3U);
  EXPECT_EQ(compared[0].name, "all");
  EXPECT_EQ(compared[1].name, "map");
  EXPECT_EQ(compared[1].verdict, Verdict::Slower);
  EXPECT_EQ(compared[2].verdict, Verdict::Faster);
  EXPECT_EQ(overall_verdict(compared), Verdict::Slower);
  EXPECT_NEAR(compared[1].change, 0.1, 0.015);
  EXPECT_LT(compared[1].p, 0.001);
}

TEST(CompareRuns, SmallChangesDoNotCount) {
  const VerdictRules strict{.alpha = 0.05, .min_change = 0.05};
  EXPECT_EQ(overall_verdict(compare_runs(run_of(2, 7, 1), run_of(2.06, 7.21, 2), Measure::CpuTime,
                                         Sampling::Separate, strict)),
            Verdict::Same);
}

TEST(CompareRuns, RelativeTimesIgnoreTheClockRate) {
  std::vector<Benchmark> slower_machine = run_of(2.4, 8.4, 3);
  for (Benchmark& each : slower_machine) {
    for (Repetition& repetition : each.repetitions) repetition.counters["reference_ms"] = 6;
  }
  EXPECT_EQ(overall_verdict(
                compare_runs(run_of(2, 7, 1), slower_machine, Measure::Relative, Sampling::Separate, {})),
            Verdict::Same);
  EXPECT_EQ(verdict_between(run_of(2, 7, 1), slower_machine), Verdict::Slower);
}

// The machine's speed varies by 10 %, and the programs differ by only 3 %. In each repetition, the machine
// has the same speed for both programs.
TEST(CompareRuns, PairedRepetitionsIgnoreTheMachinesSpeed) {
  std::vector<Benchmark> before = run_of(2, 7, 1);
  std::vector<Benchmark> after = run_of(2.06, 7.21, 5);
  std::mt19937 random(3);
  std::normal_distribution<double> speed(1, 0.1);
  for (std::size_t i = 0; i < before[0].repetitions.size(); ++i) {
    const double factor = speed(random);
    for (std::vector<Benchmark>* run : {&before, &after}) {
      for (Benchmark& each : *run) each.repetitions[i].cpu_ms *= factor;
    }
  }
  const auto compared = compare_runs(before, after, Measure::CpuTime, Sampling::Paired, {});
  EXPECT_EQ(overall_verdict(compared), Verdict::Slower);
  EXPECT_NEAR(compared[0].change, 0.03, 0.01);
  EXPECT_EQ(verdict_between(before, after), Verdict::Same);
  EXPECT_EQ(overall_verdict(compare_runs(before, before, Measure::CpuTime, Sampling::Paired, {})),
            Verdict::Same);
}

TEST(CompareRuns, OnlyCommonBenchmarksCount) {
  EXPECT_TRUE(compare_runs({benchmark("map", 2, 1)}, {benchmark("draw", 2, 2)}, Measure::CpuTime,
                           Sampling::Separate, {})
                  .empty());
  const auto one =
      compare_runs(run_of(2, 7, 1), {benchmark("draw", 7, 2)}, Measure::RealTime, Sampling::Separate, {});
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].name, "draw");
  EXPECT_NEAR(one[0].after, 3.5, 0.1);
}

TEST(RunJson, ReadsBackWhatItWrote) {
  BenchRun run{{{"num_cpus", 2}}, run_of(2, 7, 1)};
  const nlohmann::json json = run_json(run);
  EXPECT_EQ(json["benchmarks"].size(), 2U * (15 + 4));
  const Result<BenchRun> read = parse_run(json.dump(), "run.json");
  ASSERT_TRUE(read);
  ASSERT_EQ(read->benchmarks.size(), 2U);
  EXPECT_EQ(read->benchmarks[1].name, "draw");
  EXPECT_EQ(read->benchmarks[1].cpu_times(), run.benchmarks[1].cpu_times());
  EXPECT_EQ(read->benchmarks[1].counter("reference_ms"), 5);
  EXPECT_EQ(read->context["num_cpus"], 2);
}

TEST(RunJson, AggregatesHaveTheNamesOfGoogleBenchmark) {
  const nlohmann::json json = run_json({nlohmann::json::object(), {benchmark("map", 2, 1)}});
  const nlohmann::json& cv = json["benchmarks"].back();
  EXPECT_EQ(cv["name"], "map_cv");
  EXPECT_EQ(cv["run_name"], "map");
  EXPECT_EQ(cv["run_type"], "aggregate");
  EXPECT_EQ(cv["aggregate_name"], "cv");
  EXPECT_EQ(cv["aggregate_unit"], "percentage");
  EXPECT_NEAR(cv["cpu_time"].get<double>(), 0.01, 0.005);
  EXPECT_EQ(json["benchmarks"][0]["repetition_index"], 0);
  EXPECT_EQ(json["benchmarks"][0]["time_unit"], "ms");
}

TEST(ParseRun, RefusesOtherFiles) {
  for (const char* text : {"", "{}", "[]", "{\"context\": {}, \"benchmarks\": []}",
                           "{\"context\": {}, \"benchmarks\": [{\"run_type\": \"iteration\"}]}"}) {
    const Result<BenchRun> read = parse_run(text, "old.json");
    ASSERT_FALSE(read) << text;
    EXPECT_EQ(read.error().code, ErrorCode::Usage);
    EXPECT_NE(read.error().message.find("old.json"), std::string::npos);
  }
}

}  // namespace
}  // namespace glyphreel::commands::against_test
