#include "commands/cluster/slurm_job.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "batch/cluster/slurm_text.h"
#include "media/input/child_process.h"

namespace glyphreel::commands {
namespace {

std::string slurm_value(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Returns the seconds until a job's time limit; empty if there is no limit, or if the limit is unknown.
std::optional<double> ask_time_left(const std::string& job) {
  if (const std::string end = slurm_value("SLURM_JOB_END_TIME"); !end.empty())  // since Slurm 23.02
    return std::atof(end.c_str()) - static_cast<double>(std::time(nullptr));
  constexpr std::chrono::seconds Timeout{60};
  const auto answer = media::run_process({"squeue", "-h", "-j", job, "-o", "%L"}, Timeout, interrupted);
  return answer ? batch::parse_slurm_time(answer->output) : std::nullopt;
}

}  // namespace

SlurmJob SlurmJob::of_environment() {
  SlurmJob job;
  const std::string id = slurm_value("SLURM_JOB_ID");
  if (id.empty()) return job;
  const std::string array = slurm_value("SLURM_ARRAY_JOB_ID");
  job.id_ = array.empty() ? id : fmt::format("{}_{}", array, slurm_value("SLURM_ARRAY_TASK_ID"));
  job.restarts_ = std::atoi(slurm_value("SLURM_RESTART_COUNT").c_str());
  if (const std::optional<double> left = ask_time_left(id)) {
    job.limit_s_ = *left;
    job.end_ =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*left));
  }
  return job;
}

double SlurmJob::remaining_seconds() const {
  if (!end_) return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(*end_ - Clock::now()).count();
}

double SlurmJob::margin_seconds() const {
  constexpr double Usual = 60, Share = 0.2;
  return std::min(Usual, Share * limit_s_);
}

void SlurmJob::arm_timer() const {
  if (end_) stop_after(static_cast<unsigned>(std::clamp(remaining_seconds() - margin_seconds(), 1.0, 1e9)));
}

bool SlurmJob::is_over() const {
  constexpr double TimerSlack = 2;
  return end_ && remaining_seconds() <= margin_seconds() + TimerSlack;
}

void SlurmJob::requeue() const {
  if (id_.empty()) return;
  constexpr std::chrono::seconds Timeout{30};
  const auto outcome = media::run_process({"scontrol", "requeue", id_}, Timeout, {});
  if (outcome && outcome->end == media::ProcessOutcome::End::Exited && outcome->exit_code == 0) return;
  log::info(
      "The task {} could not be requeued; the 'glyphreel batch' that started it will submit the remaining "
      "units again.",
      id_);
}

}  // namespace glyphreel::commands
