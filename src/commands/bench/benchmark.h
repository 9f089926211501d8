#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace glyphreel::commands {

/// One repetition of a benchmark. Times are milliseconds per frame.
struct Repetition {
  std::int64_t frames = 0;
  double real_ms = 0;
  double cpu_ms = 0;  ///< of all threads of this process
  /// Further figures by name, such as map_ms; see Workbench::run().
  std::map<std::string, double> counters;
};

/// A benchmark with its repetitions in the order measured.
struct Benchmark {
  std::string name;
  std::vector<Repetition> repetitions;

  [[nodiscard]] std::vector<double> real_times() const;
  [[nodiscard]] std::vector<double> cpu_times() const;
  /// Returns the median of a counter; 0 if no repetition has it.
  [[nodiscard]] double counter(const std::string& counter_name) const;
};

/// What `bench` measured, and on what machine.
struct BenchRun {
  nlohmann::json context;
  std::vector<Benchmark> benchmarks;
};

/// Returns the run in the format of Google Benchmark's JSON reporter (schema version 1), so that Google
/// Benchmark's compare.py can read it. For each benchmark, the list "benchmarks" has one entry per
/// repetition, then one entry each for mean, median, stddev and cv. Each entry has the counters as members.
[[nodiscard]] nlohmann::json run_json(const BenchRun& run);

/// Reads a run that run_json() made; skips aggregates. `name`: the file's name, for error messages. Errors:
/// Usage if `text` is not such a run.
[[nodiscard]] Result<BenchRun> parse_run(const std::string& text, const std::string& name);

}  // namespace glyphreel::commands
