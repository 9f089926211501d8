#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "commands/bench/against.h"
#include "commands/bench/bench_report.h"
#include "commands/bench/bench_table.h"
#include "commands/bench/machine.h"
#include "commands/bench/opponent.h"
#include "commands/bench/peers.h"
#include "commands/bench/workbench.h"
#include "commands/commands.h"
#include "session/command_files.h"
#include "session/statistics.h"

namespace glyphreel::commands {
namespace {

// Minimum number of repetitions in a comparison. With fewer pairs of repetitions, even the smallest possible
// p value of the signed-rank test, adjusted for the number of benchmarks, can exceed VerdictRules::alpha.
constexpr int MinForVerdict = 12;
constexpr int MinSaved = 9;             // repetitions in a saved run; fewer make the U test insensitive
constexpr double MaxForeignLoad = 0.3;  // share of the CPUs that other programs may use during a comparison
// The machine's speed may have changed since the times were saved, in ways that reference_ms does not show.
// So only changes of at least this fraction count.
constexpr double MinSavedChange = 0.05;

/// Shows progress in one line on stderr if stderr is a terminal.
class TurnLine {
 public:
  explicit TurnLine(const cli::Settings& settings)
      : shown_(settings.report.verbosity != log::Verbosity::Quiet && ::isatty(STDERR_FILENO) == 1) {}
  ~TurnLine() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  TurnLine(const TurnLine&) = delete;
  TurnLine& operator=(const TurnLine&) = delete;
  void show(const std::string& text) const {
    if (shown_) fmt::print(stderr, "\r\033[K{}", text);
  }

 private:
  bool shown_;
};

int repetitions_of(const cli::Settings& settings) {
  constexpr int Usual = 9, InMatrix = 3, AgainstOther = 15;
  return settings.bench.repetitions.value_or(!settings.bench.against.empty() ? AgainstOther
                                             : settings.bench.matrix         ? InMatrix
                                                                             : Usual);
}

/// The outcome of --against.
struct AgainstOutcome {
  std::vector<ComparedBenchmark> compared;
  Measure measure = Measure::CpuTime;
  std::string sentence;        ///< what was compared
  std::string why_no_verdict;  ///< empty: there is a verdict
};

/// Returns a clause for the output if the CPU times of the saved program, measured again now, differ from its
/// saved CPU times; empty if they are about the same.
std::string drift(const BenchRun& saved, const std::vector<Benchmark>& now) {
  const std::vector<ComparedBenchmark> compared =
      compare_runs(saved.benchmarks, now, Measure::CpuTime, Sampling::Separate, {});
  if (compared.empty() || std::abs(compared.front().change) < MinSavedChange) return {};
  return fmt::format(
      "; the CPU time of the saved program has changed by {:+.0f} % since its times were saved, so the "
      "machine's speed has changed",
      100 * compared.front().change);
}

class BenchJob {
 public:
  explicit BenchJob(const cli::Settings& settings)
      : settings_(settings), repetitions_(repetitions_of(settings)) {}

  [[nodiscard]] Result<int> run();

 private:
  [[nodiscard]] Result<void> check() const;
  [[nodiscard]] Result<void> measure();
  [[nodiscard]] Result<void> measure_size(const std::vector<BenchCase>& cases, const TurnLine& line);
  [[nodiscard]] Result<AgainstOutcome> compare(const Opponent& opponent);
  [[nodiscard]] Measure measure_of(const Opponent& opponent) const;
  [[nodiscard]] Result<Duel> fight(const Opponent& opponent);
  [[nodiscard]] Result<int> report(const std::optional<AgainstOutcome>& against);

  const cli::Settings& settings_;
  const int repetitions_;
  std::unique_ptr<Workbench> bench_;
  std::unique_ptr<BenchReport> page_;  ///< null without --report
  BenchRun run_;
  ForeignLoad others_;
};

Result<void> BenchJob::check() const {
  if (settings_.bench.against.empty() || repetitions_ >= MinForVerdict) return {};
  return Error{ErrorCode::Usage,
               fmt::format("--against needs at least {} repetitions, not {}; omit --repetitions.",
                           MinForVerdict, repetitions_),
               {}};
}

Result<int> BenchJob::run() {
  TRY(check());
  std::optional<Opponent> opponent;
  if (!settings_.bench.against.empty()) {
    TRY_ASSIGN(opponent, open_opponent(settings_.bench.against));
  }
  if (!settings_.report.directory.empty()) {
    TRY_ASSIGN(page_, BenchReport::make(settings_.report.directory, session::input_files(settings_)));
  }
  run_.context = machine_context();
  TRY_ASSIGN(bench_, Workbench::open(settings_));
  run_.context.update(bench_->description());
  std::optional<AgainstOutcome> against;
  if (opponent) {
    TRY_ASSIGN(against, compare(*opponent));
  } else {
    TRY(measure());
  }
  run_.context["foreign_cpus"] = others_.cpus();
  return report(against);
}

/// Measures every benchmark in this process. Each repetition runs all benchmarks of one size, so that a
/// change of the machine's speed affects all benchmarks.
Result<void> BenchJob::measure() {
  const TurnLine line(settings_);
  std::vector<BenchCase> at_size;
  const std::vector<BenchCase> cases = bench_->cases();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    at_size.push_back(cases[i]);
    if (i + 1 < cases.size() && cases[i + 1].size == cases[i].size) continue;
    TRY(measure_size(at_size, line));
    at_size.clear();
    if (interrupted()) break;
  }
  return {};
}

Result<void> BenchJob::measure_size(const std::vector<BenchCase>& cases, const TurnLine& line) {
  line.show("decoding frames");
  TRY(bench_->load(cases.front().size));
  std::vector<Benchmark> measured;
  for (const BenchCase& each : cases) measured.push_back({case_name(each), {}});
  for (int repetition = 0; repetition < repetitions_; ++repetition) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      line.show(fmt::format("repetition {} of {}: {}", repetition + 1, repetitions_, measured[i].name));
      Result<Repetition> result = bench_->run(cases[i]);
      if (interrupted()) break;  // discards the interrupted repetition
      if (!result) return std::move(result.error());
      measured[i].repetitions.push_back(*std::move(result));
    }
  }
  for (Benchmark& benchmark : measured) {
    if (!benchmark.repetitions.empty()) run_.benchmarks.push_back(std::move(benchmark));
  }
  return {};
}

Measure BenchJob::measure_of(const Opponent& opponent) const {
  if (opponent.program.empty()) return Measure::Relative;
  const auto gpu = run_.context.find("gpu");
  const bool has_gpu = gpu != run_.context.end() && gpu->value("kind", "CPU") != "CPU";
  return has_gpu && settings_.engine.renderer == cli::RendererChoice::Gpu ? Measure::RealTime
                                                                          : Measure::CpuTime;
}

Result<Duel> BenchJob::fight(const Opponent& opponent) {
  const TurnLine line(settings_);
  if (!opponent.program.empty()) {
    const Turns turns = measure_of(opponent) == Measure::RealTime ? Turns::Processes : Turns::Slices;
    return run_alternately(opponent, settings_, turns, repetitions_, [&](int finished) {
      line.show(fmt::format("{} of {} alternating runs", finished, repetitions_));
    });
  }
  TRY(measure());
  return Duel{opponent.saved->benchmarks, run_.benchmarks};
}

Result<AgainstOutcome> BenchJob::compare(const Opponent& opponent) {
  if (opponent.program.empty()) {
    for (const Benchmark& benchmark : opponent.saved->benchmarks) {
      if (benchmark.repetitions.size() >= static_cast<std::size_t>(MinSaved)) continue;
      return Error{
          ErrorCode::Usage,
          fmt::format("{} has only {} repetitions; a comparison needs {}. Repeat that run with more.",
                      opponent.name, benchmark.repetitions.size(), MinSaved),
          {}};
    }
  }
  TRY_ASSIGN(Duel duel, fight(opponent));
  AgainstOutcome outcome{
      .compared = {}, .measure = measure_of(opponent), .sentence = {}, .why_no_verdict = {}};
  VerdictRules rules;
  Sampling sampling = Sampling::Paired;
  if (opponent.program.empty()) {
    sampling = Sampling::Separate;
    rules.min_change = MinSavedChange;
    outcome.sentence = fmt::format(
        "compared with the saved times of {}, because {}; only changes of at least {:.0f} % count",
        opponent.name, opponent.why_not_again, 100 * MinSavedChange);
  } else {
    outcome.sentence =
        fmt::format("{} and this program, {} alternating runs of each", opponent.name, repetitions_);
  }
  outcome.compared = compare_runs(duel.before, duel.after, outcome.measure, sampling, rules);
  if (opponent.saved && !opponent.program.empty()) outcome.sentence += drift(*opponent.saved, duel.before);
  if (outcome.compared.empty() && !interrupted()) {
    return Error{ErrorCode::Usage,
                 fmt::format("{} has no benchmark in common with this run; use the same options and input.",
                             opponent.name),
                 {}};
  }
  run_.benchmarks = std::move(duel.after);
  const double foreign = others_.cpus();
  if (foreign > MaxForeignLoad * cpu_count()) {
    outcome.why_no_verdict =
        fmt::format("other programs used {:.1f} of the {} CPUs; repeat the comparison on an idle machine",
                    foreign, cpu_count());
  }
  return outcome;
}

Result<int> BenchJob::report(const std::optional<AgainstOutcome>& against) {
  nlohmann::json json = run_json(run_);
  if (against) {
    json["against"] = {
        {"file", settings_.bench.against},
        {"compared", compared_json(against->compared)},
        {"verdict",
         against->why_no_verdict.empty() ? verdict_name(overall_verdict(against->compared)) : "none"},
        {"reason", against->why_no_verdict}};
  }
  if (page_) TRY(page_->finish(json));
  if (settings_.report.json) {
    std::puts(session::json_text(json).c_str());
  } else if (!against) {
    std::fputs(bench_table(run_).c_str(), stdout);
  } else {
    static constexpr const char* Units[] = {"CPU ms", "real ms", "CPU time"};
    fmt::print("{}\n\n{}", against->sentence,
               against_table(against->compared, Units[static_cast<std::size_t>(against->measure)]));
    if (!against->why_no_verdict.empty()) fmt::print("\nNo verdict: {}.\n", against->why_no_verdict);
  }
  TRY(session::write_statistics(bench_->statistics(), settings_, bench_->times()));
  if (interrupted()) return static_cast<int>(ErrorCode::Interrupted);
  const bool is_slower =
      against && against->why_no_verdict.empty() && overall_verdict(against->compared) == Verdict::Slower;
  return is_slower ? EXIT_FAILURE : EXIT_SUCCESS;
}

}  // namespace

Result<int> run_bench(const cli::Settings& settings) {
  if (settings.bench.peers) return run_peers(settings);
  return BenchJob(settings).run();
}

}  // namespace glyphreel::commands
