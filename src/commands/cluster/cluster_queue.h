#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/cluster/slurm_text.h"
#include "cli/options/settings.h"
#include "commands/cluster/run_folder.h"

namespace glyphreel::commands {

/// One round of a cluster run: tasks that are queued together, as one job.
struct QueuedRound {
  std::string name;    ///< the job's name in the queue
  std::string folder;  ///< folder of the task files
  std::string output;  ///< output directory of the batch, an absolute path
  std::size_t tasks = 0;
  std::vector<std::string> excluded_nodes;
};

/// Runs tasks on the machines of a cluster, through Slurm or GNU parallel over ssh.
/// Thread-safety: one thread at a time.
class ClusterQueue {
 public:
  virtual ~ClusterQueue() = default;
  /// Returns the maximum number of tasks in a round.
  [[nodiscard]] virtual std::size_t max_tasks() const = 0;
  /// Returns the minimum number of tasks in a round; a round with fewer units has one task per unit.
  [[nodiscard]] virtual std::size_t min_tasks() const = 0;
  /// Returns the time limit of a task in seconds; 0: there is no limit, or it is unknown.
  [[nodiscard]] virtual double limit_seconds() const = 0;

  enum class Submission { Queued, Unavailable, TooMany };
  struct Submitted {
    Submission outcome = Submission::Queued;
    std::string job;      ///< ID of the queued job, for RunFolder::Job and cancel()
    std::string message;  ///< the scheduler's reason if the job is not queued
  };
  /// Queues the tasks of a round. Unavailable: the scheduler does not answer or takes no tasks now; the same
  /// call may succeed later. TooMany: the scheduler may accept a round with fewer tasks. Errors: Usage if the
  /// scheduler refuses the round; Failed if the files of the round cannot be written, or if the scheduler's
  /// program cannot be run.
  [[nodiscard]] virtual Result<Submitted> submit(const QueuedRound& round) = 0;
  /// Returns the ID of the job with this name if an earlier process has queued it; empty: none.
  [[nodiscard]] virtual std::string find(const std::string& name) = 0;
  /// Returns the states of a job's tasks; nullopt if the scheduler does not answer. Omits tasks that the
  /// scheduler does not know yet.
  [[nodiscard]] virtual std::optional<std::vector<batch::TaskState>> states(const RunFolder::Job& job) = 0;
  /// Stops a job's running and waiting tasks.
  virtual void cancel(const std::string& job) = 0;
};

/// Returns whether tasks of a job wait or run. Also true if the scheduler does not answer.
[[nodiscard]] bool is_in_progress(ClusterQueue& queue, const RunFolder::Job& job);

/// Returns the queue that --cluster names. Errors: Failed if its programs are not installed.
[[nodiscard]] Result<std::unique_ptr<ClusterQueue>> make_cluster_queue(const cli::Settings& settings);

}  // namespace glyphreel::commands
