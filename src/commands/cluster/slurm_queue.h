#pragma once

#include <memory>

#include "base/result.h"
#include "cli/options/settings.h"
#include "commands/cluster/cluster_queue.h"

namespace glyphreel::commands {

/// Returns a queue of Slurm, through its programs. Errors: Failed if they are not installed, or do not
/// answer.
[[nodiscard]] Result<std::unique_ptr<ClusterQueue>> make_slurm_queue(const cli::Settings& settings);

}  // namespace glyphreel::commands
