#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "batch/cluster/cluster_files.h"

namespace glyphreel::commands {

/// The folder of a cluster run, on a file system that all of its machines share. The submitting process
/// writes everything but the results and logs, which are those of the tasks. Every file is complete when it
/// has its name, and is never changed.
///
///   plan.json           batch::ClusterPlan
///   round-1/0.json ...  the units of each task; also its log, 0.log
///   round-1/job.sh      what was submitted
///   round-1/job         the job's number and the number of its tasks, once it is submitted
///   results/NAME.json   batch::ClusterResult, under batch::unit_name()
///   claims              see batch::Claim
///
/// Thread-safety: none; several processes may have objects of the same folder.
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
  /// Returns how many rounds there are.
  [[nodiscard]] int rounds() const;

  [[nodiscard]] Result<batch::ClusterPlan> plan() const;
  /// Creates a round's folder and the files of its tasks.
  [[nodiscard]] Result<void> write_tasks(int round,
                                         const std::vector<std::vector<batch::ClusterUnit>>& tasks) const;

  /// A submitted round.
  struct Job {
    std::string id;  ///< of ClusterQueue
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
