#pragma once

#include <string>
#include <vector>

#include "commands/bench/against.h"
#include "commands/bench/benchmark.h"

namespace glyphreel::commands {

// The tables that `bench` prints. All functions are pure.

/// Returns the names of the stages that have a counter NAME_ms, in the order that a frame passes through
/// them.
[[nodiscard]] std::vector<std::string> timed_stages(const Benchmark& benchmark);

/// Returns one line per benchmark: medians per frame, variation, stages, and how the memory traffic compares
/// with copying; before them the machine, after them a legend.
[[nodiscard]] std::string bench_table(const BenchRun& run);

/// Returns one line per compared benchmark. `unit`: of the times, such as "CPU ms".
[[nodiscard]] std::string against_table(const std::vector<ComparedBenchmark>& compared, const char* unit);

}  // namespace glyphreel::commands
