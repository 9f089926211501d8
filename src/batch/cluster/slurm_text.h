#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::batch {

/// The limits and features of a Slurm site, from `scontrol show config`.
struct SlurmLimits {
  std::size_t max_tasks = 1000;  ///< maximum number of tasks in a job array
  bool has_accounting = false;   ///< whether sacct works
};
[[nodiscard]] SlurmLimits parse_slurm_config(std::string_view text);

/// Returns the job's number from the output of `sbatch --parsable`: "123" or "123;cluster". Empty if the
/// output contains no number.
[[nodiscard]] std::string parse_job_id(std::string_view text);

/// Why sbatch has refused a job, according to the error messages of sbatch.
enum class Refusal {
  Other,
  AccountLimit,  ///< an unknown limit of the user's account; with fewer tasks, the job may be accepted
  SubmitLimit,   ///< the limit on the number of tasks that the account may have in the queue
};
[[nodiscard]] Refusal refusal_of(std::string_view errors);

/// The state of a task of a job array.
enum class TaskPhase {
  Pending,
  Running,
  Completed,
  Failed,      ///< ended for a reason that is not in this list, such as a time limit
  NodeFailed,  ///< the node went down
  Cancelled,   ///< by a user
};
struct TaskState {
  std::string job;        ///< number of the job array
  std::size_t index = 0;  ///< index of the task in the array
  TaskPhase phase = TaskPhase::Pending;
  std::string node;  ///< node on which the task runs or ran; empty: none yet
  bool operator==(const TaskState&) const = default;
};
[[nodiscard]] constexpr bool has_ended(TaskPhase phase) {
  return phase > TaskPhase::Running;
}

/// Parses lines "JOB_INDEX|STATE|NODES", as `sacct -nPX -o JobID,State,NodeList` and `squeue -hr -t all -o
/// %F_%K|%T|%N` print them. A line may name several tasks, as in "12_[3-9]|PENDING|". Skips lines in any
/// other form.
[[nodiscard]] std::vector<TaskState> parse_task_states(std::string_view text);

/// Parses a time in Slurm's formats M, M:S, H:M:S, D-H, D-H:M and D-H:M:S. Returns seconds; empty for any
/// other text, such as "UNLIMITED".
[[nodiscard]] std::optional<double> parse_slurm_time(std::string_view text);

/// A job array that converts the tasks of one round.
struct SlurmArray {
  std::string name;     ///< name of the job
  std::string program;  ///< path of glyphreel
  std::string folder;   ///< absolute path of the folder with the task files 0.json, 1.json ... and the logs
  std::string output;   ///< absolute path of the batch's output directory
  std::size_t tasks = 1;
  int tasks_at_a_time = 0;            ///< 0: as many as the site allows
  int threads = 1;                    ///< CPUs of a task
  std::string partition, gres, time;  ///< empty: the site's default
  std::vector<std::string> excluded;  ///< nodes on which no task may run
};
/// Returns the script for sbatch.
[[nodiscard]] std::string sbatch_script(const SlurmArray& array);

/// Encloses `text` in double quotes, with the escapes that sh and the options in sbatch scripts need.
[[nodiscard]] std::string shell_quoted(std::string_view text);

}  // namespace glyphreel::batch
