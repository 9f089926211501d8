#pragma once

#include "base/result.h"
#include "cli/options/settings.h"

namespace glyphreel::commands {

/// Prints how far the latest cluster run of the output directory is (--status). Reads only. Returns the exit
/// code. Errors: Usage if there is no run.
[[nodiscard]] Result<int> print_cluster_status(const cli::Settings& settings);

/// Stops all tasks of the latest cluster run of the output directory (--cancel); what they have converted is
/// kept. Returns the exit code. Errors: Usage if there is no run; Failed if Slurm does not answer.
[[nodiscard]] Result<int> cancel_cluster_run(const cli::Settings& settings);

}  // namespace glyphreel::commands
