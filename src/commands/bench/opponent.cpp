#include "commands/bench/opponent.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/io/own_program.h"
#include "base/io/read_file.h"
#include "commands/bench/machine.h"
#include "media/input/child_process.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t MaxRunBytes = std::size_t{64} << 20;
constexpr std::chrono::minutes TurnTimeout{10};
// How long each program runs at a time. The speed of a virtual machine that shares its computer with other
// virtual machines changes within tenths of a second.
constexpr std::chrono::milliseconds Slice{50};
/// Options that do not affect what is measured. The compared programs do not get them.
constexpr std::string_view OwnOptions[] = {"against", "json",    "report", "stats",   "repetitions",
                                           "quiet",   "verbose", "peers",  "log-file"};

bool is_program(const std::string& path) {
  std::error_code unknown;
  // On file systems without permissions, all files are executable, even a saved run, which begins with '{'.
  return fs::is_regular_file(path, unknown) && ::access(path.c_str(), X_OK) == 0 &&
         std::ifstream(path).peek() != '{';
}

/// Adds the command that runs the saved run's program again, or the reason why that program cannot be run.
Opponent with_program(Opponent opponent) {
  const nlohmann::json& context = opponent.saved->context;
  const std::string path = context.value("executable", "");
  if (!is_program(path)) {
    opponent.why_not_again = "its program is gone";
    return opponent;
  }
  if (program_fingerprint(path) != context.value("program_fingerprint", "")) {
    opponent.why_not_again = "its program has been replaced";
    return opponent;
  }
  const auto then = context.value("environment", std::map<std::string, std::string>());
  const std::map<std::string, std::string> now = measured_environment();
  std::vector<std::string> words;
  for (const auto& [name, value] : now) {
    if (!then.contains(name)) words.insert(words.end(), {"-u", name});
  }
  const auto is_same = [&](const auto& variable) {
    const auto found = now.find(variable.first);
    return found != now.end() && found->second == variable.second;
  };
  if (!std::ranges::all_of(then, is_same)) {
    opponent.why_not_again = "its environment variables differ from the current ones";
    return opponent;
  }
  if (!words.empty()) words.insert(words.begin(), "env");
  words.push_back(path);
  opponent.program = std::move(words);
  return opponent;
}

/// Reads the result of a program that has ended. Errors: Failed with the program's own message if the program
/// failed; Interrupted if the user interrupted it.
Result<BenchRun> run_of(const media::ProcessOutcome& outcome, const std::string& name) {
  using End = media::ProcessOutcome::End;
  if (outcome.end == End::Stopped || interrupted())
    return Error{ErrorCode::Interrupted, "Interrupted before the comparison was complete.", {}};
  std::string cause = media::last_error_line(outcome);
  if (outcome.end == End::Exited && outcome.exit_code == 0) {
    Result<BenchRun> run = parse_run(outcome.output, name);
    if (run) return run;
    cause = full_text(run.error());
  }
  return Error{ErrorCode::Failed,
               fmt::format("{} cannot run this benchmark; give a build that has 'glyphreel bench'.", name),
               cause.empty() ? fmt::format("exit status {}", outcome.exit_code) : cause};
}

/// One program of a comparison.
struct Side {
  std::string name;
  std::vector<std::string> command;
  std::vector<Benchmark>* benchmarks;
};

/// Runs both programs once.
Result<std::array<media::ProcessOutcome, 2>> run_both(const std::array<Side, 2>& sides, Turns turns) {
  if (turns == Turns::Slices)
    return media::run_in_slices({sides[0].command, sides[1].command}, Slice, 2 * TurnTimeout, interrupted);
  std::array<media::ProcessOutcome, 2> outcomes;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    TRY_ASSIGN(outcomes[i], media::run_process(sides[i].command, TurnTimeout, interrupted));
  }
  return outcomes;
}

/// Appends the repetitions of each benchmark in `run` to the benchmark of the same name.
void append(std::vector<Benchmark>& benchmarks, BenchRun run) {
  for (Benchmark& added : run.benchmarks) {
    const auto found = std::ranges::find(benchmarks, added.name, &Benchmark::name);
    if (found == benchmarks.end()) {
      benchmarks.push_back(std::move(added));
    } else {
      std::ranges::move(added.repetitions, std::back_inserter(found->repetitions));
    }
  }
}

}  // namespace

Result<Opponent> open_opponent(const std::string& path) {
  const auto explain = [&](FileProblem) {
    return fmt::format("--against cannot read {}; give a result of 'glyphreel bench --json' or a program.",
                       path);
  };
  std::error_code unknown;
  Opponent opponent{.name = path, .saved = {}, .program = {}, .why_not_again = {}};
  if (is_program(path)) {
    opponent.program = {fs::absolute(path, unknown).string()};
    return opponent;
  }
  TRY_ASSIGN(const std::string text,
             read_file(path, {.max_bytes = MaxRunBytes, .code = ErrorCode::Usage, .explain = explain}));
  TRY_ASSIGN(opponent.saved, parse_run(text, path));
  return with_program(std::move(opponent));
}

std::vector<std::string> turn_arguments(const cli::Settings& settings) {
  std::vector<std::string> words{"bench", "--json", "--quiet", "--repetitions=1"};
  for (const auto& option : settings.above_look) {
    if (std::ranges::find(OwnOptions, option.name) != std::end(OwnOptions)) continue;
    if (!option.value.empty()) {
      words.push_back(fmt::format("--{}={}", option.name, option.value));
    } else {
      words.push_back(fmt::format("--{}={}", option.name, option.on ? "yes" : "no"));
    }
  }
  if (settings.look != cli::Settings{}.look) words.push_back("--look=" + settings.look);
  words.emplace_back("--");
  words.insert(words.end(), settings.inputs.begin(), settings.inputs.end());
  return words;
}

Result<Duel> run_alternately(const Opponent& opponent, const cli::Settings& settings, Turns turns,
                             int repetitions, const std::function<void(int finished)>& on_repetition) {
  Duel duel;
  std::array<Side, 2> sides{{{opponent.program.back(), opponent.program, &duel.before},
                             {own_program(), {own_program()}, &duel.after}}};
  const std::vector<std::string> arguments = turn_arguments(settings);
  for (Side& side : sides) side.command.insert(side.command.end(), arguments.begin(), arguments.end());
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    TRY_ASSIGN(const auto outcomes, run_both(sides, turns));
    for (std::size_t i = 0; i < sides.size(); ++i) {
      TRY_ASSIGN(BenchRun run, run_of(outcomes[i], sides[i].name));
      append(*sides[i].benchmarks, std::move(run));
    }
    on_repetition(repetition + 1);
    std::swap(sides[0], sides[1]);  // the other program begins the next repetition
  }
  return duel;
}

}  // namespace glyphreel::commands
