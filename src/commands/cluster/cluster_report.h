#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Prints the progress of the output directory's latest cluster run (--status). Changes nothing. Returns the
/// exit code. Errors: Usage if there is no run.
[[nodiscard]] Result<int> print_cluster_status(const cli::Settings& settings);

/// Stops all tasks of the output directory's latest cluster run (--cancel). Keeps what has been converted.
/// Returns the exit code. Errors: Usage if there is no run; Failed if Slurm does not answer.
[[nodiscard]] Result<int> cancel_cluster_run(const cli::Settings& settings);

}  // namespace glyphreel::commands
