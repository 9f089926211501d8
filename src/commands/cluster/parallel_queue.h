#pragma once

#include <memory>

#include "base/result.h"
#include "cli/options/settings.h"
#include "commands/cluster/cluster_queue.h"

namespace glyphreel::commands {

/// Returns a queue of GNU parallel on the hosts that --cluster names. The tasks run while the queue exists;
/// its destructor stops them. Errors: Failed if GNU parallel or ssh is not installed.
[[nodiscard]] Result<std::unique_ptr<ClusterQueue>> make_parallel_queue(const cli::Settings& settings);

}  // namespace glyphreel::commands
