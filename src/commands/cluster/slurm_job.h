#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace glyphreel::commands {

/// The Slurm job in which this process runs, if any.
/// Thread-safety: one thread.
class SlurmJob {
 public:
  static constexpr int MaxRestarts = 3;

  /// Reads Slurm's environment variables. Asks squeue for the time limit if no variable contains it.
  [[nodiscard]] static SlurmJob of_environment();

  /// Returns the time until Slurm ends the job; infinite if there is no limit, or no job.
  [[nodiscard]] double remaining_seconds() const;
  /// Starts a timer that requests an orderly stop shortly before the job's end, early enough to requeue the
  /// job.
  void arm_timer() const;
  /// Whether it is time for the stop that arm_timer() requests.
  [[nodiscard]] bool is_over() const;
  /// Returns how many times Slurm has restarted the job.
  [[nodiscard]] int restarts() const { return restarts_; }
  /// Puts the job back into the queue; Slurm then ends this process. Has no effect if there is no job, or if
  /// scontrol is missing, as in containers. In the latter case, the submitting process queues the remaining
  /// units again.
  void requeue() const;

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double margin_seconds() const;

  std::string id_;  ///< "JOB_INDEX" for a task of an array; empty: there is no job
  std::optional<Clock::time_point> end_;
  double limit_s_ = 0;  ///< seconds from the start of this process to the time limit
  int restarts_ = 0;
};

}  // namespace glyphreel::commands
