#pragma once

#include <string>
#include <vector>

#include "commands/bench/against.h"
#include "commands/bench/benchmark.h"

namespace glyphreel::commands {

// The tables that `bench` prints. All functions are pure.

/// Returns the names of the stages that have a counter NAME_ms, in the order in which a frame passes through
/// them.
[[nodiscard]] std::vector<std::string> timed_stages(const Benchmark& benchmark);

/// Returns the machine, a table with one line per benchmark, and a legend. A line has the medians per frame,
/// the variation, the stages, and the memory traffic compared with copying.
[[nodiscard]] std::string bench_table(const BenchRun& run);

/// Returns one line per compared benchmark. `unit`: unit of the times, such as "CPU ms".
[[nodiscard]] std::string against_table(const std::vector<ComparedBenchmark>& compared, const char* unit);

}  // namespace glyphreel::commands
