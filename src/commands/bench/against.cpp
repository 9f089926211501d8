#include "commands/bench/against.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace glyphreel::commands {
namespace {

constexpr double MinTime = 1e-9;  // ms; avoids logarithms of 0

/// The samples of one benchmark in both runs, or the geometric means of all benchmarks.
struct Pair {
  std::string name;
  std::vector<double> before, after;
};

std::vector<double> samples_of(const Benchmark& benchmark, Measure measure) {
  if (measure == Measure::RealTime) return benchmark.real_times();
  std::vector<double> samples = benchmark.cpu_times();
  if (measure == Measure::CpuTime) return samples;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& counters = benchmark.repetitions[i].counters;
    const auto reference = counters.find("reference_ms");
    if (reference != counters.end() && reference->second > 0) samples[i] /= reference->second;
  }
  return samples;
}

/// Returns one value for each repetition that every benchmark has: the geometric mean of the benchmarks'
/// times in that repetition. `side`: &Pair::before or &Pair::after.
std::vector<double> geometric_means(const std::vector<Pair>& pairs, std::vector<double> Pair::*side) {
  std::size_t count = (pairs.front().*side).size();
  for (const Pair& pair : pairs) count = std::min(count, (pair.*side).size());
  std::vector<double> means;
  for (std::size_t i = 0; i < count; ++i) {
    double logs = 0;
    for (const Pair& pair : pairs) logs += std::log(std::max((pair.*side)[i], MinTime));
    means.push_back(std::exp(logs / static_cast<double>(pairs.size())));
  }
  return means;
}

ComparedBenchmark compare_pair(const Pair& pair, Sampling sampling) {
  ComparedBenchmark compared{.name = pair.name, .before = median(pair.before), .after = median(pair.after)};
  if (sampling == Sampling::Separate) {
    if (compared.before > 0) compared.change = compared.after / compared.before - 1;
    compared.interval = bootstrap_change(pair.before, pair.after);
    compared.p = u_test(pair.before, pair.after).p;
    return compared;
  }
  std::vector<double> changes;
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(pair.before.size(), pair.after.size()); ++i) {
    const double ratio = std::max(pair.after[i], MinTime) / std::max(pair.before[i], MinTime);
    changes.push_back(ratio - 1);
    logs.push_back(std::log(ratio));
  }
  compared.change = median(changes);
  compared.interval = bootstrap_change(changes);
  compared.p = signed_rank_test(logs);
  return compared;
}

}  // namespace

std::vector<ComparedBenchmark> compare_runs(const std::vector<Benchmark>& before,
                                            const std::vector<Benchmark>& after, Measure measure,
                                            Sampling sampling, const VerdictRules& rules) {
  std::vector<Pair> pairs;
  for (const Benchmark& benchmark : after) {
    const auto found = std::ranges::find(before, benchmark.name, &Benchmark::name);
    if (found == before.end() || found->repetitions.empty() || benchmark.repetitions.empty()) continue;
    pairs.push_back({benchmark.name, samples_of(*found, measure), samples_of(benchmark, measure)});
  }
  if (pairs.size() > 1) {
    pairs.insert(pairs.begin(),
                 {"all", geometric_means(pairs, &Pair::before), geometric_means(pairs, &Pair::after)});
  }
  std::vector<ComparedBenchmark> compared;
  std::vector<double> probabilities;
  for (const Pair& pair : pairs) {
    compared.push_back(compare_pair(pair, sampling));
    probabilities.push_back(compared.back().p);
  }
  const std::vector<double> adjusted = holm_adjusted(probabilities);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    ComparedBenchmark& each = compared[i];
    each.p = adjusted[i];
    const bool is_certain = each.p < rules.alpha && (each.interval.low > 0 || each.interval.high < 0);
    if (!is_certain || std::abs(each.change) < rules.min_change) continue;
    each.verdict = each.change > 0 ? Verdict::Slower : Verdict::Faster;
  }
  return compared;
}

Verdict overall_verdict(const std::vector<ComparedBenchmark>& compared) {
  Verdict overall = Verdict::Same;
  for (const ComparedBenchmark& each : compared) overall = std::max(overall, each.verdict);
  return overall;
}

const char* verdict_name(Verdict verdict) {
  static constexpr const char* Names[] = {"same", "faster", "slower"};
  return Names[static_cast<std::size_t>(verdict)];
}

nlohmann::json compared_json(const std::vector<ComparedBenchmark>& compared) {
  nlohmann::json list = nlohmann::json::array();
  for (const ComparedBenchmark& each : compared) {
    list.push_back({{"name", each.name},
                    {"before", each.before},
                    {"after", each.after},
                    {"change", each.change},
                    {"interval", {each.interval.low, each.interval.high}},
                    {"p", each.p},
                    {"verdict", verdict_name(each.verdict)}});
  }
  return list;
}

}  // namespace glyphreel::commands
