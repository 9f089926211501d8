#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/cluster/cluster_files.h"
#include "batch/runner.h"
#include "commands/cluster/cluster_queue.h"
#include "commands/cluster/run_folder.h"
#include "commands/collections/batch_plan.h"
#include "commands/collections/local_runner.h"

namespace glyphreel::commands {

/// Runs units on the machines of a cluster: packs units into tasks, queues the tasks in rounds, and collects
/// the results that the tasks write. Queues a unit again if its task has ended without a result for
/// it, for example because a node failed. Assembles items on this machine. Continues a run that an earlier
/// process has begun in the same output directory. Removes the folder of the run when all units have
/// succeeded.
class ClusterRunner final : public batch::Runner {
 public:
  /// `plan` and everything that the tasks from `task_of` point to must outlive this object. Errors: Usage if
  /// tasks of a run with other settings are still queued; Failed if the scheduler does not answer, or the
  /// folder cannot be written.
  [[nodiscard]] static Result<std::unique_ptr<ClusterRunner>> make(
      const cli::Settings& settings, const BatchPlan& plan,
      std::function<SegmentTask(const batch::Unit&)> task_of);
  ~ClusterRunner() override;

  [[nodiscard]] std::size_t capacity() const override { return std::numeric_limits<std::size_t>::max(); }
  void start(const batch::Unit& unit) override;
  /// Queues started units, and returns the results of units that have ended. With --detach, or once the user
  /// stops the command, returns all other units as interrupted. Slurm keeps the tasks of these units; over
  /// ssh, the tasks end.
  [[nodiscard]] std::vector<batch::UnitResult> wait(std::chrono::milliseconds timeout) override;

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t NoTask = std::numeric_limits<std::size_t>::max();

  /// A unit that was started and has not ended.
  struct Active {
    batch::Unit unit;
    batch::ClusterUnit work;
    std::size_t number = 0;     ///< position in the order in which units were started
    std::size_t task = NoTask;  ///< index in tasks_; NoTask: to be queued
    int losses = 0;             ///< number of tasks that ended without a result for this unit
  };
  struct Task {
    int round = 0;
    std::size_t index = 0;           ///< index within the round
    std::vector<std::string> units;  ///< names of the units
    batch::TaskPhase phase = batch::TaskPhase::Pending;
    std::string node;
    std::optional<Clock::time_point> ended;
    bool is_closed = false;  ///< whether the ended task was checked for missing results
  };

  ClusterRunner(const cli::Settings& settings, const BatchPlan& plan,
                std::function<SegmentTask(const batch::Unit&)> task_of, RunFolder folder);
  [[nodiscard]] Result<void> adopt_rounds();
  void release_ended_units();
  [[nodiscard]] batch::ClusterUnit work_of(const batch::Unit& unit) const;
  [[nodiscard]] bool is_valid(const Active& active, const batch::ClusterResult& result) const;
  [[nodiscard]] double seconds_of(const PlannedItem& planned) const;

  void collect_results();
  void end_unit(const std::string& name, batch::UnitResult result);
  void lose(Active& active, const std::string& reason);
  void poll_queue();
  void note_states(int round, const std::vector<batch::TaskState>& states);
  void close_tasks();
  [[nodiscard]] std::size_t live_tasks() const;
  [[nodiscard]] Result<void> submit_if_due();
  [[nodiscard]] Result<void> submit(const std::vector<Active*>& waiting, std::size_t max_tasks);
  [[nodiscard]] Result<void> queue_round(int round, std::size_t tasks);
  void shorten_round(int round, std::size_t tasks);
  void assemble(std::chrono::milliseconds timeout);
  void cancel_tasks();
  void interrupt_all();

  const cli::Settings settings_;
  const BatchPlan& plan_;
  const std::function<SegmentTask(const batch::Unit&)> task_of_;
  const RunFolder folder_;
  std::unique_ptr<ClusterQueue> queue_;
  std::unique_ptr<LocalRunner> local_;
  std::deque<batch::Unit> to_assemble_;
  std::size_t assembling_ = 0;
  std::map<std::string, Active> active_;  ///< by batch::unit_name()
  std::vector<Task> tasks_;
  std::map<int, RunFolder::Job> jobs_;          ///< of the rounds that may have tasks left
  std::optional<int> unqueued_;                 ///< a round that the scheduler has not accepted yet
  std::size_t max_tasks_ = NoTask;              ///< maximum number of tasks in a round; NoTask: no limit
  std::map<std::string, std::size_t> adopted_;  ///< tasks_ index of each unit that an earlier process queued
  std::vector<std::string> excluded_;           ///< nodes that get no more tasks
  std::vector<batch::UnitResult> ended_;
  double work_seconds_ = 0, work_bytes_ = 0;  ///< sums over the units that have ended
  Clock::time_point next_poll_, next_submission_, next_listing_;
  std::chrono::duration<double> poll_interval_;
  std::size_t started_ = 0;
  bool has_failed_ = false;
  bool is_doomed_ = false;  ///< whether all further units would fail, as on a full disk
};

}  // namespace glyphreel::commands
