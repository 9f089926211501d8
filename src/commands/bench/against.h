#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "commands/bench/benchmark.h"
#include "commands/bench/samples.h"

namespace glyphreel::commands {

enum class Verdict { Same, Faster, Slower };

/// The conditions for a verdict of Faster or Slower.
struct VerdictRules {
  double alpha = 0.01;       ///< significance level of all benchmarks together (family-wise)
  double min_change = 0.01;  ///< smallest change of the median that counts; 0.01 is 1 %
};
/// Which time of each repetition is compared.
enum class Measure {
  CpuTime,   ///< CPU time, which other programs affect little
  RealTime,  ///< real time, for GPU work, which takes no CPU time
  Relative,  ///< CPU time divided by reference_ms, for runs at different times
};

/// How the repetitions of two runs belong together.
enum class Sampling {
  Separate,  ///< the runs were made at different times
  Paired,    ///< the repetitions with the same index ran at about the same time
};

/// One benchmark in two runs. Times are medians, in ms per frame; for Measure::Relative, without a unit.
struct ComparedBenchmark {
  std::string name;
  double before = 0, after = 0;
  /// after / before - 1. For paired repetitions: the median of this change over all pairs.
  double change = 0;
  ChangeInterval interval;
  double p = 1;  ///< p value, adjusted for the number of benchmarks
  Verdict verdict = Verdict::Same;
};

/// Compares the benchmarks that both runs have, in the order of `after`. If both runs have two or more
/// benchmarks in common, the first entry, "all", compares the geometric means of their times in each
/// repetition. The verdict is Faster or Slower if the difference is significant in the U test (in the
/// signed-rank test if the repetitions are paired), the change is at least `rules.min_change` in either
/// direction, and the bootstrap interval of the change does not contain 0.
[[nodiscard]] std::vector<ComparedBenchmark> compare_runs(const std::vector<Benchmark>& before,
                                                          const std::vector<Benchmark>& after,
                                                          Measure measure, Sampling sampling,
                                                          const VerdictRules& rules);

/// Returns Slower if any benchmark is slower, otherwise Faster if any is faster, otherwise Same.
[[nodiscard]] Verdict overall_verdict(const std::vector<ComparedBenchmark>& compared);
[[nodiscard]] const char* verdict_name(Verdict verdict);

[[nodiscard]] nlohmann::json compared_json(const std::vector<ComparedBenchmark>& compared);

}  // namespace glyphreel::commands
