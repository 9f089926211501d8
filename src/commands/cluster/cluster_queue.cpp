#include "commands/cluster/cluster_queue.h"

#include <algorithm>

#include "commands/cluster/parallel_queue.h"
#include "commands/cluster/slurm_queue.h"

namespace glyphreel::commands {

bool is_in_progress(ClusterQueue& queue, const RunFolder::Job& job) {
  const auto states = queue.states(job);
  return !states ||
         std::ranges::any_of(*states, [](const auto& state) { return !batch::has_ended(state.phase); });
}

Result<std::unique_ptr<ClusterQueue>> make_cluster_queue(const cli::Settings& settings) {
  return settings.cluster.where == "slurm" ? make_slurm_queue(settings) : make_parallel_queue(settings);
}

}  // namespace glyphreel::commands
