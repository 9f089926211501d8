#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "batch/cluster/cluster_files.h"

namespace glyphreel::commands {

/// The folder of a cluster run, on a file system that all machines of the run share. The tasks write the
/// results, logs and claims; the submitting process writes everything else. The plan, the job and the results
/// get the names below only once they are complete.
///
///   plan.json           batch::ClusterPlan
///   round-1/0.json ...  the units of each task; 0.log is the task's log
///   round-1/job.sh      the script submitted to Slurm
///   round-1/job         the number of tasks and the job's ID, once the job is submitted
///   results/NAME.json   batch::ClusterResult; NAME is batch::unit_name()
///   claims              see batch::Claim
///
/// Thread-safety: one thread at a time. Several processes may use the same folder at the same time.
class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}
  /// Returns the latest run of an output directory; empty if there is none.
  [[nodiscard]] static std::optional<RunFolder> find(const std::string& output);
  /// Makes a new run. Errors: Failed if it cannot be written.
  [[nodiscard]] static Result<RunFolder> create(const std::string& output, const batch::ClusterPlan& plan);
  /// Returns the run that a task's file belongs to.
  [[nodiscard]] static RunFolder of_task(const std::string& task_file);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string claims() const { return path_ + "/claims"; }
  /// Returns the folder of a round; rounds count from 1.
  [[nodiscard]] std::string round(int number) const;
  [[nodiscard]] int rounds() const;

  [[nodiscard]] Result<batch::ClusterPlan> plan() const;
  /// Creates a round's folder and the files of its tasks.
  [[nodiscard]] Result<void> write_tasks(int round,
                                         const std::vector<std::vector<batch::ClusterUnit>>& tasks) const;

  /// A submitted round.
  struct Job {
    std::string id;  ///< from ClusterQueue::submit()
    std::size_t tasks = 0;
  };
  [[nodiscard]] Result<void> write_job(int round, const Job& job) const;
  /// Returns nothing if the round was not submitted, or if submitting it was interrupted.
  [[nodiscard]] std::optional<Job> job(int round) const;

  /// Returns the names of the units that have results.
  [[nodiscard]] std::vector<std::string> result_names() const;
  [[nodiscard]] bool has_result(const std::string& unit) const;
  [[nodiscard]] Result<batch::ClusterResult> result(const std::string& unit) const;
  [[nodiscard]] Result<void> write_result(const batch::ClusterResult& result) const;
  void remove_result(const std::string& unit) const;

  /// Returns the last line of a task's log; empty if it has none.
  [[nodiscard]] std::string last_log_line(int round, std::size_t task) const;
  /// Removes the folder with everything in it.
  void remove() const;

 private:
  [[nodiscard]] std::string result_path(const std::string& unit) const;

  std::string path_;
};

/// Reads the units of a task. Errors: Failed if the file is missing or damaged.
[[nodiscard]] Result<std::vector<batch::ClusterUnit>> read_task(const std::string& path);

}  // namespace glyphreel::commands
