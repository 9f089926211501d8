#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace glyphreel::commands {

/// The Slurm job in which this process runs, if any.
/// Thread-safety: one thread.
class SlurmJob {
 public:
  static constexpr int MostRestarts = 3;

  /// Reads Slurm's variables, and asks squeue for the time limit where they lack it.
  [[nodiscard]] static SlurmJob of_environment();

  /// Returns the time until Slurm ends the job; infinite if there is no limit, or no job.
  [[nodiscard]] double remaining_seconds() const;
  /// Requests an orderly stop shortly before the job's end, while there is time to requeue it.
  void arm_timer() const;
  /// Whether that stop is due.
  [[nodiscard]] bool is_over() const;
  /// Returns how many times Slurm has restarted the job.
  [[nodiscard]] int restarts() const { return restarts_; }
  /// Puts the job back into the queue, which ends it. Does nothing without a job, or where scontrol is
  /// missing, as in containers: the job's results then show what is missing.
  void requeue() const;

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] double margin_seconds() const;

  std::string id_;  ///< "JOB_INDEX" for a task of an array; empty: there is no job
  std::optional<Clock::time_point> end_;
  double limit_s_ = 0;  ///< from the start of this process
  int restarts_ = 0;
};

}  // namespace glyphreel::commands
