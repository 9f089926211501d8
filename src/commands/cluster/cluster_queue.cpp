#include "commands/cluster/cluster_queue.h"

#include "commands/cluster/parallel_queue.h"
#include "commands/cluster/slurm_queue.h"

namespace glyphreel::commands {

Result<std::unique_ptr<ClusterQueue>> make_cluster_queue(const cli::Settings& settings) {
  return settings.cluster == "slurm" ? make_slurm_queue(settings) : make_parallel_queue(settings);
}

}  // namespace glyphreel::commands
