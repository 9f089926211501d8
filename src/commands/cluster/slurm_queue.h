#pragma once

#include <memory>

#include "base/result.h"
#include "cli/options/settings.h"
#include "commands/cluster/cluster_queue.h"

namespace glyphreel::commands {

/// Returns a queue that calls Slurm's programs. Errors: Failed if the programs are not installed, or if Slurm
/// does not answer.
[[nodiscard]] Result<std::unique_ptr<ClusterQueue>> make_slurm_queue(const cli::Settings& settings);

}  // namespace glyphreel::commands
