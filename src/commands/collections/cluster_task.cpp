#include "commands/collections/cluster_task.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "batch/cluster/claim.h"
#include "batch/cluster/cluster_files.h"
#include "batch/cluster/packing.h"
#include "batch/host.h"
#include "batch/schedule.h"
#include "commands/cluster/machine_settings.h"
#include "commands/cluster/run_folder.h"
#include "commands/cluster/slurm_job.h"
#include "commands/collections/batch_plan.h"
#include "commands/collections/segment_job.h"
#include "media/segment/assembler.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t Nanoseconds = 1'000'000'000;  // per second

/// Returns the unit as an item of a batch. Errors: BadInput if the input cannot be read, or if it has changed
/// since the run was planned. Compares only the input's size and modification time, because the device number
/// of a shared file system depends on the machine.
Result<batch::Item> item_of(const batch::ClusterUnit& unit) {
  batch::Item item{.input = unit.input, .output = unit.output, .stamp = batch::stamp_of(unit.input)};
  const bool is_planned =
      unit.size.has_value() == item.stamp.has_value() &&
      (!item.stamp || (item.stamp->size == unit.size && item.stamp->mtime_ns / Nanoseconds == unit.mtime_s));
  if (is_planned) return item;
  return Error{ErrorCode::BadInput,
               fmt::format("{} was changed after the cluster run was planned, or {} cannot read it; run the "
                           "command again.",
                           unit.input, batch::host_name()),
               {}};
}

/// Renames a segment and flushes the folder. Until then, the segment has a name that only this process uses,
/// so that two machines never write to the same file.
Result<void> publish(const std::string& from, const std::string& to) {
  std::error_code failed;
  fs::rename(from, to, failed);
  if (failed) return unwritable(to, failed);
  const FileDescriptor folder(::open(fs::path(to).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.is_open()) ::fsync(folder.number());  // if the folder cannot be flushed, renaming suffices
  return {};
}

/// Reports why this machine must not convert the units. Returns the exit code.
int refuse(const Error& error) {
  log::error("{}", full_text(error));
  // Some sites requeue a job that exits with ExitTryAgain, possibly on the same machine. So the number of
  // restarts is limited.
  return SlurmJob::of_environment().restarts() < SlurmJob::MaxRestarts ? ExitTryAgain : EXIT_FAILURE;
}

class ClusterTask {
 public:
  ClusterTask(RunFolder folder, batch::ClusterPlan plan)
      : folder_(std::move(folder)), plan_(std::move(plan)), machine_(plan_, folder_) {}

  [[nodiscard]] Result<int> run(const std::vector<batch::ClusterUnit>& units);

 private:
  enum class Step { Continue, Stop };
  [[nodiscard]] Result<Step> run_unit(const batch::ClusterUnit& unit);
  [[nodiscard]] batch::UnitResult convert(const batch::ClusterUnit& unit, const cli::Settings& settings);
  [[nodiscard]] Result<batch::UnitResult> convert_segment(const batch::ClusterUnit& unit, SegmentTask task);
  [[nodiscard]] Result<void> report(const batch::ClusterUnit& unit, const batch::UnitResult& result);

  const RunFolder folder_;
  const batch::ClusterPlan plan_;
  MachineSettings machine_;
  SlurmJob job_ = SlurmJob::of_environment();
  std::shared_ptr<RecordKit> kit_ = std::make_shared<RecordKit>();
  std::optional<Error> refused_;  ///< why this machine must not convert any more units; empty: it may
  int finished_ = 0;              ///< number of units that this process has finished
  double slowest_s_ = 0;
};

Result<batch::UnitResult> ClusterTask::convert_segment(const batch::ClusterUnit& unit, SegmentTask task) {
  const SegmentPlan plan{.borders = unit.borders, .slack_seconds = unit.slack_seconds};
  const std::string path =
      segmented_item(*task.settings, *task.item, plan).segment(static_cast<std::size_t>(unit.segment)).path;
  if (fs::exists(path)) {
    // A process that was killed before it could write the result has left this segment.
    if (const Result<media::SegmentFacts> facts = media::read_segment_facts(path)) {
      batch::UnitResult found{.unit = task.unit, .result = {}, .host = batch::host_name()};
      found.figures.frames = facts->frames;
      return found;
    }
  }
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  if (failed) return unwritable(path, failed);
  const std::string own =
      fs::path(path).replace_extension(fmt::format("{}-{}.segment", batch::host_name(), ::getpid())).string();
  task.recorded =
      RecordedSegment{.path = own, .plan = plan, .index = static_cast<std::size_t>(unit.border_index)};
  batch::UnitResult result = run_segment(task, kit_);
  if (result.result) TRY(publish(own, path));
  return result;
}

batch::UnitResult ClusterTask::convert(const batch::ClusterUnit& unit, const cli::Settings& settings) {
  const batch::Unit number{.item = 0, .segment = unit.segment};
  const auto failure = [&](Error error) {
    return batch::UnitResult{.unit = number, .result = std::move(error), .host = batch::host_name()};
  };
  Result<batch::Item> item = item_of(unit);
  if (!item) return failure(std::move(item.error()));
  SegmentTask task{.unit = number,
                   .item = &*item,
                   .settings = &settings,
                   .recorded = {},
                   .output = output_path(settings, *item),
                   .threads = MachineSettings::threads(settings)};
  if (unit.is_whole) return run_segment(task, kit_);
  Result<batch::UnitResult> result = convert_segment(unit, std::move(task));
  return result ? *std::move(result) : failure(std::move(result.error()));
}

Result<void> ClusterTask::report(const batch::ClusterUnit& unit, const batch::UnitResult& result) {
  batch::ClusterResult written{.output = unit.output,
                               .segment = unit.segment,
                               .error = {},
                               .size = unit.size,
                               .mtime_s = unit.mtime_s,
                               .figures = result.figures,
                               .content = result.content,
                               .host = result.host,
                               .started_s = result.started_s};
  if (!result.result) written.error = result.result.error();
  return folder_.write_result(written);
}

Result<ClusterTask::Step> ClusterTask::run_unit(const batch::ClusterUnit& unit) {
  const std::string name = batch::unit_name(unit.output, unit.segment);
  if (folder_.has_result(name)) return Step::Continue;
  const bool is_late =
      finished_ > 0 && (stop_asked() || !batch::has_time(job_.remaining_seconds(), slowest_s_));
  if (interrupted() || is_late) return Step::Stop;
  const std::optional<batch::Claim> claim = batch::Claim::acquire(folder_.claims(), name);
  if (!claim || folder_.has_result(name)) return Step::Continue;

  const Result<const cli::Settings*> settings = machine_.of_variant(unit.variant);
  if (!settings) {
    refused_ = settings.error();
    return Step::Stop;
  }
  if (finished_ == 0) log::info("Renderer: {}.", machine_.renderer());
  const auto start = Clock::now();
  batch::UnitResult result = convert(unit, **settings);
  if (!result.result && batch::outcome_of(result.result.error()) == batch::Outcome::MayPass &&
      !batch::is_fatal(result.result.error()) && machine_.fall_back_to_cpu(result.result.error())) {
    log::warn("Renderer: {}.", machine_.renderer());
    kit_ = std::make_shared<RecordKit>();
    result = convert(unit, **settings);
  }
  if (!result.result && result.result.error().code == ErrorCode::Interrupted) {
    if (finished_ > 0 || !job_.is_over()) return Step::Stop;
    result.result =
        Error{ErrorCode::Usage,
              fmt::format("{} takes longer than the time limit of a task; raise --time, or choose "
                          "shorter segments with --segment.",
                          unit.input),
              {}};
  }
  const double seconds = seconds_since(start);
  slowest_s_ = std::max(slowest_s_, seconds);
  ++finished_;
  if (!result.result && batch::is_fatal(result.result.error())) {
    static_cast<void>(report(unit, result));  // may fail: the disk may be full
    return result.result.error();
  }
  TRY(report(unit, result));
  log::info(
      "{}: {} in {:.1f} s.", batch::described(unit),
      result.result ? fmt::format("{} frames", result.figures.frames) : full_text(result.result.error()),
      seconds);
  return Step::Continue;
}

Result<int> ClusterTask::run(const std::vector<batch::ClusterUnit>& units) {
  job_.arm_timer();
  log::info("Task of {} units on {}.", units.size(), batch::host_name());
  for (const batch::ClusterUnit& unit : units) {
    TRY_ASSIGN(const Step step, run_unit(unit));
    if (step == Step::Continue && !interrupted()) continue;
    if (refused_) return refuse(*refused_);
    log::info("Stopped after {} unit{}, before the end of the task.", finished_, finished_ == 1 ? "" : "s");
    // If a signal stopped the task, its sender decides whether the task runs again.
    if (!interrupted() || job_.is_over()) job_.requeue();
    return ExitTryAgain;
  }
  return EXIT_SUCCESS;
}

}  // namespace

Result<int> run_cluster_task(const cli::Settings& settings) {
  let_work_finish();
  const RunFolder folder = RunFolder::of_task(settings.cluster.task_file);
  TRY_ASSIGN(const std::vector<batch::ClusterUnit> units, read_task(settings.cluster.task_file));
  TRY_ASSIGN(batch::ClusterPlan plan, folder.plan());
  if (const Result<void> same = check_machine(plan); !same) return refuse(same.error());
  ClusterTask task(folder, std::move(plan));
  return task.run(units);
}

}  // namespace glyphreel::commands
