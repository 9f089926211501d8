#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/batch_progress.h"
#include "batch/database/job_database.h"
#include "batch/runner.h"
#include "batch/schedule.h"
#include "cli/options/settings.h"
#include "commands/cluster/run_folder.h"
#include "commands/collections/batch_plan.h"
#include "commands/collections/segment_job.h"
#include "present/export/progress.h"
#include "session/statistics.h"

namespace glyphreel::commands {

/// Runs a plan: starts its units, records what has ended, and reports progress.
/// Thread-safety: one thread.
class BatchRun {
 public:
  /// `database` must outlive this object.
  BatchRun(const cli::Settings& settings, BatchPlan plan, batch::JobDatabase& database)
      : settings_(settings), plan_(std::move(plan)), database_(database), schedule_(settings.batch.retries) {}

  /// Blocks until all items have ended or the user stops the run. Returns the exit code: 0; 1 if an item
  /// failed; 130 if the user stopped the run or, without --detach, if items were left unfinished. Errors:
  /// Failed if the database cannot be written; NoDevice.
  [[nodiscard]] Result<int> run();

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] Result<void> claim_items();
  [[nodiscard]] Result<std::vector<int>> missing_segments(PlannedItem& planned) const;
  [[nodiscard]] Result<void> choose_renderer();
  [[nodiscard]] bool has_mostly_pictures() const;
  [[nodiscard]] Result<std::unique_ptr<batch::Runner>> make_cluster_runner();
  [[nodiscard]] Result<std::unique_ptr<batch::Runner>> make_local_runner();
  [[nodiscard]] bool has_work() const;
  [[nodiscard]] Result<void> run_units(batch::Runner& runner);
  [[nodiscard]] batch::Figures earlier_figures(const batch::Item& item, int segment) const;
  [[nodiscard]] SegmentTask task_of(const batch::Unit& unit) const;
  void start(batch::Runner& runner, const batch::Unit& unit);
  void finish(const batch::UnitResult& unit);
  void end_item(batch::Item& item, batch::Schedule::Consequence consequence, const batch::UnitResult& unit);
  void report_failure(const batch::Item& item, const Error& error);
  /// When save() writes the ended items to the database. IfDue: only if one of them has waited for at least
  /// SaveInterval.
  enum class Flush { IfDue, Now };
  [[nodiscard]] Result<void> save(Flush flush);
  void show_progress();
  void show_summary();
  [[nodiscard]] Result<void> write_statistics();
  [[nodiscard]] std::vector<std::string> running_inputs() const;

  const cli::Settings& settings_;
  BatchPlan plan_;
  batch::JobDatabase& database_;
  batch::Schedule schedule_;
  batch::BatchProgress progress_;
  int threads_ = 0;  ///< Parallelism::threads
  batch::EngineBalance::Engines engines_ = batch::EngineBalance::Engines::Cpu;
  std::map<std::size_t, int> running_;  ///< number of running units of each item, by the item's index
  std::vector<batch::Item*> unsaved_;   ///< ended since the last save
  Clock::time_point oldest_unsaved_;
  const Clock::time_point start_ = Clock::now();
  Clock::time_point last_status_ = start_;
  present::StatusLine line_;
  session::Statistics statistics_;
  StageTimes times_;                      ///< time of each item in each stage
  std::optional<Error> fatal_;            ///< why no further unit was started
  bool has_stopped_ = false;              ///< whether an item was left unfinished
  std::optional<RunFolder> cluster_run_;  ///< the latest cluster run; empty: none
};

}  // namespace glyphreel::commands
