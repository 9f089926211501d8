#include "commands/cluster/slurm_queue.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/own_program.h"
#include "media/input/child_process.h"

namespace glyphreel::commands {
namespace {

using media::ProcessOutcome;

constexpr std::chrono::minutes Timeout{5};  // a busy controller may take minutes

Result<ProcessOutcome> run_program(const std::vector<std::string>& words) {
  TRY_ASSIGN(ProcessOutcome outcome, media::run_process(words, Timeout, {}));
  if (outcome.end == ProcessOutcome::End::NotFound) {
    return Error{
        ErrorCode::Failed,
        fmt::format("Slurm's program {} is not installed on this machine; run glyphreel on a login node "
                    "of the cluster.",
                    words.front()),
        {}};
  }
  return outcome;
}

bool succeeded(const ProcessOutcome& outcome) {
  return outcome.end == ProcessOutcome::End::Exited && outcome.exit_code == 0;
}

/// Whether a program failed because the controller does not answer, for example while it restarts.
bool is_unavailable(const ProcessOutcome& outcome) {
  constexpr std::array<std::string_view, 6> Messages = {"Unable to contact",  "Socket timed out",
                                                        "Connection refused", "Zero Bytes were transmitted",
                                                        "temporarily unable", "Transport endpoint"};
  return outcome.end == ProcessOutcome::End::TimedOut ||
         std::ranges::any_of(Messages, [&](std::string_view message) {
           return outcome.errors.find(message) != std::string::npos;
         });
}

class SlurmQueue final : public ClusterQueue {
 public:
  explicit SlurmQueue(const cli::Settings& settings, const batch::SlurmLimits& limits)
      : settings_(settings), limits_(limits) {}

  [[nodiscard]] std::size_t max_tasks() const override {
    return settings_.cluster.array_limit > 0 ? static_cast<std::size_t>(settings_.cluster.array_limit)
                                             : limits_.max_tasks;
  }
  [[nodiscard]] std::size_t min_tasks() const override {
    return static_cast<std::size_t>(std::max(1, settings_.batch.jobs));
  }
  [[nodiscard]] double limit_seconds() const override {
    return batch::parse_slurm_time(settings_.cluster.time_limit).value_or(0);
  }

  [[nodiscard]] Result<Submitted> submit(const QueuedRound& round) override {
    const std::string script = round.folder + "/job.sh";
    const batch::SlurmArray array{.name = round.name,
                                  .program = own_program(),
                                  .folder = round.folder,
                                  .output = round.output,
                                  .tasks = round.tasks,
                                  .tasks_at_a_time = settings_.batch.jobs,
                                  .threads = std::max(1, settings_.engine.threads),
                                  .partition = settings_.cluster.partition,
                                  .gres = settings_.cluster.gres,
                                  .time = settings_.cluster.time_limit,
                                  .excluded = round.excluded_nodes};
    TRY(write_file({.path = script,
                    .existing = AtomicFile::Existing::Replace,
                    .temporary = AtomicFile::Temporary::Hidden},
                   batch::sbatch_script(array)));
    TRY_ASSIGN(const ProcessOutcome outcome, run_program({"sbatch", "--parsable", script}));
    if (is_unavailable(outcome))
      return Submitted{Submission::Unavailable, {}, media::last_error_line(outcome)};
    if (std::string job = batch::parse_job_id(outcome.output); succeeded(outcome) && !job.empty())
      return Submitted{Submission::Queued, std::move(job), {}};
    return refused(round, script, outcome);
  }

  [[nodiscard]] std::string find(const std::string& name) override {
    const Result<ProcessOutcome> outcome =
        run_program({"squeue", "--noheader", "--name", name, "--format", "%F"});
    return outcome && succeeded(*outcome) ? batch::parse_job_id(outcome->output) : std::string();
  }

  [[nodiscard]] std::optional<std::vector<batch::TaskState>> states(const RunFolder::Job& job) override {
    const std::vector<std::string> words =
        limits_.has_accounting
            ? std::vector<std::string>{"sacct", "-nPX", "-o", "JobID,State,NodeList", "-j", job.id}
            : std::vector<std::string>{"squeue", "-hr", "-t", "all", "-o", "%F_%K|%T|%N", "-j", job.id};
    const Result<ProcessOutcome> outcome = run_program(words);
    if (!outcome || is_unavailable(*outcome)) return std::nullopt;
    std::vector<batch::TaskState> states = batch::parse_task_states(outcome->output);
    if (limits_.has_accounting) return succeeded(*outcome) ? std::optional(std::move(states)) : std::nullopt;
    // The controller forgets tasks some minutes after their end, so tasks that it does not list have ended.
    if (!succeeded(*outcome) && outcome->errors.find("Invalid job id") == std::string::npos)
      return std::nullopt;
    for (std::size_t index = 0; index < job.tasks; ++index) {
      if (std::ranges::find(states, index, &batch::TaskState::index) == states.end())
        states.push_back({.job = job.id, .index = index, .phase = batch::TaskPhase::Completed, .node = {}});
    }
    return states;
  }

  void cancel(const std::string& job) override {
    const Result<ProcessOutcome> outcome = run_program({"scancel", job});
    if (!outcome || !succeeded(*outcome))
      log::warn("The job {} could not be cancelled; run 'scancel {}'.", job, job);
  }

 private:
  [[nodiscard]] static Result<Submitted> refused(const QueuedRound& round, const std::string& script,
                                                 const ProcessOutcome& outcome) {
    const batch::Refusal refusal = batch::refusal_of(outcome.errors);
    const std::string reason = media::last_error_line(outcome);
    if (refusal != batch::Refusal::Other && round.tasks > 1)
      return Submitted{Submission::TooMany, {}, reason};
    // The user's other jobs use up the limit on queued tasks, so Slurm may accept the job later.
    if (refusal == batch::Refusal::SubmitLimit) return Submitted{Submission::Unavailable, {}, reason};
    return Error{
        ErrorCode::Usage,
        refusal == batch::Refusal::AccountLimit
            ? fmt::format("Slurm refuses {} because of a limit of your account; change --time, "
                          "--threads, --gres or --partition.",
                          script)
            : fmt::format("Slurm refuses {}; change --partition, --gres, --time or --array-limit.", script),
        reason};
  }

  const cli::Settings settings_;
  const batch::SlurmLimits limits_;
};

}  // namespace

Result<std::unique_ptr<ClusterQueue>> make_slurm_queue(const cli::Settings& settings) {
  TRY_ASSIGN(const ProcessOutcome config, run_program({"scontrol", "show", "config"}));
  if (!succeeded(config)) {
    return Error{ErrorCode::Failed, "Slurm does not answer; check that 'scontrol show config' works.",
                 media::last_error_line(config)};
  }
  return std::unique_ptr<ClusterQueue>(
      std::make_unique<SlurmQueue>(settings, batch::parse_slurm_config(config.output)));
}

}  // namespace glyphreel::commands
