#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options/settings.h"
#include "commands/bench/benchmark.h"

namespace glyphreel::commands {

/// What `bench --against` names: an earlier run, a program, or both.
struct Opponent {
  std::string name;  ///< the value of --against
  std::optional<BenchRun> saved;
  /// The command that runs the opponent's program, whose runs alternate with runs of this program. If it is
  /// empty, the comparison uses only `saved`.
  std::vector<std::string> program;
  std::string why_not_again;  ///< a clause that explains an empty `program`
};

/// Reads --against. The file of an earlier run names the program that made it. That program is run again only
/// if it is unchanged, and if every variable of measured_environment() that was set for the earlier run has
/// the same value now. Any of these variables that was not set for the earlier run is removed from the
/// environment of that program. No variable is set from the file, because a result file must not choose which
/// libraries are loaded. Errors: Usage if the file is neither a run nor a program.
[[nodiscard]] Result<Opponent> open_opponent(const std::string& path);

/// The two sides of a comparison: `before` is the opponent, `after` is this program.
struct Duel {
  std::vector<Benchmark> before, after;
};
/// How two programs alternate.
enum class Turns {
  /// Both programs are started, but only one of them runs at a time: every 50 ms, the running program is
  /// paused and the other one continues. Suitable only for CPU times, because real time includes the pauses.
  Slices,
  Processes,  ///< a program runs after the other has ended, in the order A B B A A B ...
};
/// Runs `opponent.program` and this program `repetitions` times each, each time in a new process, so that
/// clock rates, other programs and memory placement affect both programs alike. Both programs get the options
/// of `settings` that choose what is measured. Calls `on_repetition` with the number of finished repetitions.
/// Errors: Failed with the program's own message if a program fails; Interrupted if the user interrupts.
[[nodiscard]] Result<Duel> run_alternately(const Opponent& opponent, const cli::Settings& settings,
                                           Turns turns, int repetitions,
                                           const std::function<void(int finished)>& on_repetition);

/// Returns the command-line arguments that both programs get.
[[nodiscard]] std::vector<std::string> turn_arguments(const cli::Settings& settings);

}  // namespace glyphreel::commands
