#include "commands/cluster/cluster_report.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "commands/cluster/run_folder.h"
#include "commands/cluster/slurm_queue.h"

namespace glyphreel::commands {
namespace {

/// The phases of tasks, in the order of batch::TaskPhase.
constexpr std::array<std::string_view, 6> PhaseNames{"waiting", "running",         "ended",
                                                     "failed",  "on failed nodes", "cancelled"};

struct RoundStatus {
  int number = 0;
  RunFolder::Job job;
  std::array<std::size_t, PhaseNames.size()> tasks{};  ///< number of tasks in each phase
};

struct RunStatus {
  std::size_t units = 0, done = 0, failed = 0;
  std::vector<RoundStatus> rounds;
};

Result<RunFolder> find_run(const cli::Settings& settings) {
  std::optional<RunFolder> found = RunFolder::find(settings.recording.output);
  if (found) return *std::move(found);
  return Error{
      ErrorCode::Usage,
      fmt::format(
          "{} has no cluster run: no run was submitted, or all runs are done; use --list to show the items.",
          settings.recording.output),
      {}};
}

Result<RunStatus> status_of(const RunFolder& folder, ClusterQueue& queue) {
  RunStatus status;
  std::set<std::string> units;
  for (int number = 1; number <= folder.rounds(); ++number) {
    const std::optional<RunFolder::Job> job = folder.job(number);
    if (!job) continue;
    RoundStatus round{.number = number, .job = *job};
    if (const auto states = queue.states(*job)) {
      for (const batch::TaskState& state : *states) ++round.tasks[static_cast<std::size_t>(state.phase)];
    }
    for (std::size_t index = 0; index < job->tasks; ++index) {
      TRY_ASSIGN(const std::vector<batch::ClusterUnit> works,
                 read_task(fmt::format("{}/{}.json", folder.round(number), index)));
      for (const batch::ClusterUnit& work : works) units.insert(batch::unit_name(work.output, work.segment));
    }
    status.rounds.push_back(std::move(round));
  }
  status.units = units.size();
  for (const std::string& name : folder.result_names()) {
    if (const Result<batch::ClusterResult> result = folder.result(name))
      ++(result->error ? status.failed : status.done);
  }
  return status;
}

void print_json(const RunFolder& folder, const RunStatus& status) {
  nlohmann::json rounds = nlohmann::json::array();
  for (const RoundStatus& round : status.rounds) {
    nlohmann::json object{{"round", round.number}, {"job", round.job.id}};
    for (std::size_t i = 0; i < PhaseNames.size(); ++i) object[std::string(PhaseNames[i])] = round.tasks[i];
    rounds.push_back(std::move(object));
  }
  std::puts(nlohmann::json({{"run", folder.name()},
                            {"units", status.units},
                            {"done", status.done},
                            {"failed", status.failed},
                            {"rounds", std::move(rounds)}})
                .dump()
                .c_str());
}

}  // namespace

Result<int> print_cluster_status(const cli::Settings& settings) {
  TRY_ASSIGN(const RunFolder folder, find_run(settings));
  TRY_ASSIGN(const std::unique_ptr<ClusterQueue> queue, make_slurm_queue(settings));
  TRY_ASSIGN(const RunStatus status, status_of(folder, *queue));
  if (settings.report.json) {
    print_json(folder, status);
    return EXIT_SUCCESS;
  }
  fmt::print("Run {}: {} of {} units are done, {} failed.\n", folder.name(), status.done, status.units,
             status.failed);
  for (const RoundStatus& round : status.rounds) {
    fmt::print("Round {}, job {}, {} tasks", round.number, round.job.id, round.job.tasks);
    for (std::size_t i = 0; i < PhaseNames.size(); ++i) {
      if (round.tasks[i] > 0) fmt::print(", {} {}", round.tasks[i], PhaseNames[i]);
    }
    fmt::print(".\n");
  }
  return EXIT_SUCCESS;
}

Result<int> cancel_cluster_run(const cli::Settings& settings) {
  TRY_ASSIGN(const RunFolder folder, find_run(settings));
  TRY_ASSIGN(const std::unique_ptr<ClusterQueue> queue, make_slurm_queue(settings));
  for (int number = 1; number <= folder.rounds(); ++number) {
    const std::optional<RunFolder::Job> job = folder.job(number);
    if (!job || !is_in_progress(*queue, *job)) continue;
    queue->cancel(job->id);
    fmt::print("Cancelled job {}.\n", job->id);
  }
  return EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
