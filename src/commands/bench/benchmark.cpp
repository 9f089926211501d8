#include "commands/bench/benchmark.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "commands/bench/samples.h"

namespace glyphreel::commands {
namespace {

using Json = nlohmann::json;

/// The members of an entry in the JSON list "benchmarks" that are not counters.
const std::set<std::string>& own_members() {
  static const std::set<std::string> Members{"name",
                                             "family_index",
                                             "per_family_instance_index",
                                             "run_name",
                                             "run_type",
                                             "repetitions",
                                             "repetition_index",
                                             "threads",
                                             "iterations",
                                             "real_time",
                                             "cpu_time",
                                             "time_unit",
                                             "aggregate_name",
                                             "aggregate_unit"};
  return Members;
}

Json entry_head(const Benchmark& benchmark, std::size_t family, std::string_view type) {
  return {{"run_name", benchmark.name},
          {"family_index", family},
          {"per_family_instance_index", 0},
          {"run_type", type},
          {"repetitions", benchmark.repetitions.size()},
          {"threads", 1},
          {"time_unit", "ms"}};
}

void append_repetitions(Json& list, const Benchmark& benchmark, std::size_t family) {
  for (std::size_t i = 0; i < benchmark.repetitions.size(); ++i) {
    const Repetition& repetition = benchmark.repetitions[i];
    Json entry = entry_head(benchmark, family, "iteration");
    entry.update({{"name", benchmark.name},
                  {"repetition_index", i},
                  {"iterations", repetition.frames},
                  {"real_time", repetition.real_ms},
                  {"cpu_time", repetition.cpu_ms}});
    for (const auto& [name, value] : repetition.counters) entry[name] = value;
    list.push_back(std::move(entry));
  }
}

std::vector<double> counter_values(const Benchmark& benchmark, const std::string& name) {
  std::vector<double> values;
  for (const Repetition& repetition : benchmark.repetitions) {
    if (const auto found = repetition.counters.find(name); found != repetition.counters.end())
      values.push_back(found->second);
  }
  return values;
}

void append_aggregates(Json& list, const Benchmark& benchmark, std::size_t family) {
  struct Kind {
    const char* name;
    const char* unit;
    double Aggregates::*value;
  };
  static constexpr std::array<Kind, 4> Kinds{{{"mean", "time", &Aggregates::mean},
                                              {"median", "time", &Aggregates::median},
                                              {"stddev", "time", &Aggregates::stddev},
                                              {"cv", "percentage", &Aggregates::cv}}};
  std::map<std::string, Aggregates> counters;
  for (const auto& counter : benchmark.repetitions.front().counters)
    counters[counter.first] = aggregates(counter_values(benchmark, counter.first));
  const Aggregates real = aggregates(benchmark.real_times());
  const Aggregates cpu = aggregates(benchmark.cpu_times());
  for (const Kind& kind : Kinds) {
    Json entry = entry_head(benchmark, family, "aggregate");
    entry.update({{"name", fmt::format("{}_{}", benchmark.name, kind.name)},
                  {"aggregate_name", kind.name},
                  {"aggregate_unit", kind.unit},
                  {"iterations", benchmark.repetitions.size()},
                  {"real_time", real.*kind.value},
                  {"cpu_time", cpu.*kind.value}});
    for (const auto& [name, values] : counters) entry[name] = values.*kind.value;
    list.push_back(std::move(entry));
  }
}

/// Reads one entry of the list "benchmarks". Throws nlohmann::json::exception if the entry lacks a member.
Repetition parse_repetition(const Json& entry) {
  Repetition repetition{.frames = entry.at("iterations").get<std::int64_t>(),
                        .real_ms = entry.at("real_time").get<double>(),
                        .cpu_ms = entry.at("cpu_time").get<double>(),
                        .counters = {}};
  for (const auto& [name, value] : entry.items()) {
    if (value.is_number() && !own_members().contains(name)) repetition.counters[name] = value.get<double>();
  }
  return repetition;
}

}  // namespace

std::vector<double> Benchmark::real_times() const {
  std::vector<double> times;
  for (const Repetition& repetition : repetitions) times.push_back(repetition.real_ms);
  return times;
}

std::vector<double> Benchmark::cpu_times() const {
  std::vector<double> times;
  for (const Repetition& repetition : repetitions) times.push_back(repetition.cpu_ms);
  return times;
}

double Benchmark::counter(const std::string& counter_name) const {
  return median(counter_values(*this, counter_name));
}

nlohmann::json run_json(const BenchRun& run) {
  Json list = Json::array();
  for (std::size_t family = 0; family < run.benchmarks.size(); ++family) {
    const Benchmark& benchmark = run.benchmarks[family];
    if (benchmark.repetitions.empty()) continue;
    append_repetitions(list, benchmark, family);
    append_aggregates(list, benchmark, family);
  }
  return {{"context", run.context}, {"benchmarks", std::move(list)}};
}

Result<BenchRun> parse_run(const std::string& text, const std::string& name) {
  BenchRun run;
  try {
    const Json json = Json::parse(text);
    run.context = json.at("context");
    for (const Json& entry : json.at("benchmarks")) {
      if (entry.at("run_type") != "iteration") continue;
      if (entry.at("time_unit") != "ms") continue;  // an entry that a different program has written
      const auto run_name = entry.at("run_name").get<std::string>();
      auto found = std::ranges::find(run.benchmarks, run_name, &Benchmark::name);
      if (found == run.benchmarks.end())
        found = run.benchmarks.insert(run.benchmarks.end(), Benchmark{run_name, {}});
      found->repetitions.push_back(parse_repetition(entry));
    }
  } catch (const Json::exception& problem) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} is not a result of 'glyphreel bench --json'; choose a file that is.", name),
                 problem.what()};
  }
  if (run.benchmarks.empty()) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} contains no benchmark; give a result of 'glyphreel bench --json'.", name),
                 {}};
  }
  return run;
}

}  // namespace glyphreel::commands
