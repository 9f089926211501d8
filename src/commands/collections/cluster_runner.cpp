#include "commands/collections/cluster_runner.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/io/log.h"
#include "batch/cluster/packing.h"
#include "cli/version.h"
#include "commands/cluster/machine_settings.h"
#include "commands/cluster/tool_identity.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr int AssemblyJobs = 2;  // assembling mostly waits for the disk
constexpr int MaxLosses = 3;

// Seconds between queries of the scheduler, to which each query is work. After a submission the interval
// doubles from FirstInterval to UsualInterval, so that short jobs do not wait. While no task ends, it grows
// further.
constexpr double FirstInterval = 5, UsualInterval = 40, IntervalGrowth = 10, LastInterval = 180;
constexpr double LateFileGrace = 40;  // seconds after which a network file system shows a new file
constexpr std::chrono::milliseconds ListingInterval{500};
constexpr int ListingShare = 20;  // the pause after a listing is at least 20 times as long as the listing

using Seconds = std::chrono::duration<double>;

/// What all intervals are multiplied by, so that FirstInterval is the value of GLYPHREEL_CLUSTER_POLL, which
/// tests set.
double interval_scale() {
  const char* chosen = std::getenv("GLYPHREEL_CLUSTER_POLL");
  return chosen != nullptr ? std::max(0.05, std::atof(chosen)) / FirstInterval : 1;
}

Seconds first_interval() {
  return Seconds(FirstInterval * interval_scale());
}

/// Returns the interval that follows `interval`.
Seconds interval_after(Seconds interval, bool has_progress) {
  const double scale = interval_scale();
  const Seconds usual(UsualInterval * scale);
  if (interval < usual) return std::min(2 * interval, usual);
  if (has_progress) return usual;
  return std::min(interval + Seconds(IntervalGrowth * scale), Seconds(LastInterval * scale));
}

batch::ClusterPlan make_plan(const cli::Settings& settings, const BatchPlan& plan) {
  std::error_code unknown;
  batch::ClusterPlan made{.program = cli::version(),
                          .libraries = library_versions(),
                          .output = fs::absolute(settings.recording.output, unknown).string(),
                          .variants = {}};
  const std::string scratch = (fs::path(made.output) / ".glyphreel" / ".encoder").string();
  for (const BatchVariant& variant : plan.variants)
    made.variants.push_back(make_cluster_variant(variant.settings, variant.record.font, scratch));
  return made;
}

/// Whether two plans give the same outputs. Options that do not affect outputs, such as --jobs, may differ.
bool is_same(const batch::ClusterPlan& a, const batch::ClusterPlan& b) {
  return a.program == b.program && a.libraries == b.libraries &&
         std::ranges::equal(a.variants, b.variants, [](const auto& one, const auto& other) {
           return one.settings == other.settings && one.font == other.font && one.encoder == other.encoder;
         });
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string job_name(const RunFolder& folder, int round) {
  return fmt::format("glyphreel-{}-{}", folder.name(), round);
}

bool is_in_progress(ClusterQueue& queue, const RunFolder& folder) {
  for (int round = 1; round <= folder.rounds(); ++round) {
    const std::optional<RunFolder::Job> job = folder.job(round);
    if (job && is_in_progress(queue, *job)) return true;
  }
  return false;
}

/// Returns the run to continue, or a new one.
Result<RunFolder> choose_folder(const cli::Settings& settings, const batch::ClusterPlan& plan,
                                ClusterQueue& queue) {
  const std::optional<RunFolder> earlier = RunFolder::find(settings.recording.output);
  if (earlier) {
    const Result<batch::ClusterPlan> planned = earlier->plan();
    const bool is_live = is_in_progress(queue, *earlier);
    if (planned && is_same(*planned, plan) && (is_live || !settings.recording.overwrite)) return *earlier;
    if (is_live) {
      return Error{
          ErrorCode::Usage,
          fmt::format("Tasks with other settings are still queued for {}; wait for them, or stop them "
                      "with --cancel.",
                      settings.recording.output),
          {}};
    }
    earlier->remove();
  }
  return RunFolder::create(settings.recording.output, plan);
}

}  // namespace

Result<std::unique_ptr<ClusterRunner>> ClusterRunner::make(
    const cli::Settings& settings, const BatchPlan& plan,
    std::function<SegmentTask(const batch::Unit&)> task_of) {
  TRY_ASSIGN(std::unique_ptr<ClusterQueue> queue, make_cluster_queue(settings));
  TRY_ASSIGN(RunFolder folder, choose_folder(settings, make_plan(settings, plan), *queue));
  std::unique_ptr<ClusterRunner> runner(
      new ClusterRunner(settings, plan, std::move(task_of), std::move(folder)));
  runner->queue_ = std::move(queue);
  TRY_ASSIGN(runner->local_, LocalRunner::make({.jobs = AssemblyJobs, .task_of = runner->task_of_}));
  TRY(runner->adopt_rounds());
  return runner;
}

ClusterRunner::ClusterRunner(const cli::Settings& settings, const BatchPlan& plan,
                             std::function<SegmentTask(const batch::Unit&)> task_of, RunFolder folder)
    : settings_(settings),
      plan_(plan),
      task_of_(std::move(task_of)),
      folder_(std::move(folder)),
      next_poll_(Clock::now()),
      next_listing_(Clock::now()),
      poll_interval_(first_interval()) {
  for (const PlannedItem& planned : plan.items) {
    if (planned.reason != batch::Reason::Done || !planned.item.stamp) continue;
    work_seconds_ += planned.item.figures.wall_s;
    work_bytes_ += static_cast<double>(planned.item.stamp->size);
  }
}

ClusterRunner::~ClusterRunner() {
  local_.reset();
  release_ended_units();
  const bool is_done = active_.empty() && adopted_.empty() && !has_failed_;
  if (is_done && (started_ > 0 || folder_.rounds() == 0)) folder_.remove();
}

/// Removes the units from adopted_ that no task will convert any more: those with a result, and those of
/// tasks that have ended.
void ClusterRunner::release_ended_units() {
  std::erase_if(adopted_, [&](const auto& each) {
    return folder_.has_result(each.first) || batch::has_ended(tasks_[each.second].phase);
  });
}

/// Finds the tasks that an earlier process has queued.
Result<void> ClusterRunner::adopt_rounds() {
  for (int round = 1; round <= folder_.rounds(); ++round) {
    std::optional<RunFolder::Job> job = folder_.job(round);
    if (!job) {
      // The earlier process may have ended after it submitted the round, but before it wrote the job's file.
      job = RunFolder::Job{.id = queue_->find(job_name(folder_, round))};
      while (fs::exists(fmt::format("{}/{}.json", folder_.round(round), job->tasks))) ++job->tasks;
      if (job->id.empty() || job->tasks == 0) continue;
      TRY(folder_.write_job(round, *job));
    }
    jobs_[round] = *job;
    for (std::size_t index = 0; index < job->tasks; ++index) {
      TRY_ASSIGN(const std::vector<batch::ClusterUnit> units,
                 read_task(fmt::format("{}/{}.json", folder_.round(round), index)));
      Task task{.round = round, .index = index, .units = {}, .node = {}, .ended = {}};
      for (const batch::ClusterUnit& unit : units)
        task.units.push_back(batch::unit_name(unit.output, unit.segment));
      for (const std::string& unit : task.units) adopted_[unit] = tasks_.size();
      tasks_.push_back(std::move(task));
    }
  }
  if (jobs_.empty()) return {};
  poll_queue();
  release_ended_units();
  if (!adopted_.empty())
    log::info(
        "Continuing with the tasks that were queued earlier. They convert {}: inputs or segments of inputs.",
        counted(adopted_.size(), "unit"));
  return {};
}

batch::ClusterUnit ClusterRunner::work_of(const batch::Unit& unit) const {
  constexpr std::int64_t Nanoseconds = 1'000'000'000;  // per second
  const PlannedItem& planned = plan_.items[unit.item];
  std::error_code unknown;
  batch::ClusterUnit work{.input = planned.item.input,
                          .output = planned.item.output,
                          .size = {},
                          .mtime_s = {},
                          .variant = planned.variant,
                          .segment = unit.segment,
                          .borders = {}};
  if (planned.item.stamp) {
    work.input = fs::absolute(planned.item.input, unknown).string();
    work.size = planned.item.stamp->size;
    work.mtime_s = planned.item.stamp->mtime_ns / Nanoseconds;
  }
  if (planned.segments) {
    // Store only the borders at which this segment begins and ends. In the task's plan, the index of the
    // segment is therefore 0 or 1.
    const std::vector<double>& borders = planned.segments->borders;
    const auto begin = static_cast<std::size_t>(std::max(0, unit.segment - 1));
    const auto end = std::min(borders.size(), static_cast<std::size_t>(unit.segment) + 1);
    work.is_whole = false;
    work.borders.assign(borders.begin() + static_cast<std::ptrdiff_t>(begin),
                        borders.begin() + static_cast<std::ptrdiff_t>(end));
    work.border_index = unit.segment == 0 ? 0 : 1;
    work.slack_seconds = planned.segments->slack_seconds;
  }
  work.seconds = seconds_of(planned);
  return work;
}

/// Estimates the time of a unit from the size of its input and the times measured so far.
double ClusterRunner::seconds_of(const PlannedItem& planned) const {
  constexpr double Overhead = 0.2, Unknown = 60;  // seconds
  constexpr double UsualPace = 1e-6;              // seconds per byte: converts 1 s of 8 Mbit/s video in 1 s
  if (!planned.item.stamp) return Unknown;
  const double bytes =
      static_cast<double>(planned.item.stamp->size) / static_cast<double>(planned.item.segments.size());
  const double pace = work_bytes_ > 0 ? work_seconds_ / work_bytes_ : UsualPace;
  return Overhead + bytes * pace;
}

void ClusterRunner::start(const batch::Unit& unit) {
  ++started_;
  if (unit.segment == batch::Unit::Assembling) {
    to_assemble_.push_back(unit);
    return;
  }
  Active active{.unit = unit, .work = work_of(unit), .number = started_};
  const std::string name = batch::unit_name(active.work.output, unit.segment);
  if (const auto found = adopted_.find(name); found != adopted_.end()) {
    active.task = found->second;
    adopted_.erase(found);
  } else if (folder_.has_result(name)) {
    const Result<batch::ClusterResult> result = folder_.result(name);
    if (!result || result->error || !is_valid(active, *result)) folder_.remove_result(name);
  }
  active_.emplace(name, std::move(active));
}

/// Whether the output that a result describes exists and is complete, and the input has not changed since.
bool ClusterRunner::is_valid(const Active& active, const batch::ClusterResult& result) const {
  if (result.size != active.work.size || result.mtime_s != active.work.mtime_s) return false;
  const PlannedItem& planned = plan_.items[active.unit.item];
  if (active.work.is_whole) return output_bytes(output_path(settings_, planned.item)) == result.figures.bytes;
  return segmented_item(plan_.variants[planned.variant].settings, planned.item, *planned.segments)
      .is_recorded(static_cast<std::size_t>(active.unit.segment));
}

void ClusterRunner::end_unit(const std::string& name, batch::UnitResult result) {
  if (!result.result && result.result.error().code != ErrorCode::Interrupted) has_failed_ = true;
  ended_.push_back(std::move(result));
  active_.erase(name);
}

void ClusterRunner::collect_results() {
  if (Clock::now() < next_listing_) return;
  const auto begin = Clock::now();
  for (const std::string& name : folder_.result_names()) {
    const auto found = active_.find(name);
    if (found == active_.end()) continue;
    Active& active = found->second;
    Result<batch::ClusterResult> result = folder_.result(name);
    const bool is_failure = result && result->error;
    if (!result || (!is_failure && !is_valid(active, *result))) {
      folder_.remove_result(name);
      lose(active, "its result is incomplete");
      continue;
    }
    if (is_failure) folder_.remove_result(name);
    if (is_failure && batch::is_fatal(*result->error)) is_doomed_ = true;
    work_seconds_ += result->figures.wall_s;
    work_bytes_ += static_cast<double>(active.work.size.value_or(0)) /
                   static_cast<double>(plan_.items[active.unit.item].item.segments.size());
    end_unit(name, {.unit = active.unit,
                    .result = is_failure ? Result<void>(*result->error) : Result<void>(),
                    .figures = result->figures,
                    .content = result->content,
                    .host = result->host,
                    .started_s = result->started_s});
  }
  next_listing_ =
      Clock::now() + std::max<Clock::duration>(ListingInterval, ListingShare * (Clock::now() - begin));
}

/// Handles a unit whose task has left no valid result. Queues the unit again; at the third loss, ends it with
/// an error.
void ClusterRunner::lose(Active& active, const std::string& reason) {
  const Task* task = active.task == NoTask ? nullptr : &tasks_[active.task];
  active.task = NoTask;
  if (++active.losses < MaxLosses) {
    log::warn("{} was put back in the queue because {}.", batch::described(active.work), reason);
    return;
  }
  Error error{
      ErrorCode::Failed,
      fmt::format(
          "{} could not be converted in {} tasks. The last one failed because {}; see the logs in {}.",
          active.work.output, MaxLosses, reason, folder_.path()),
      task == nullptr ? std::string() : folder_.last_log_line(task->round, task->index)};
  end_unit(batch::unit_name(active.work.output, active.unit.segment),
           {.unit = active.unit, .result = std::move(error), .figures = {}, .content = {}, .host = {}});
}

void ClusterRunner::poll_queue() {
  if (Clock::now() < next_poll_) return;
  const auto ended = [this] {
    return std::ranges::count_if(tasks_, [](const Task& task) { return task.ended.has_value(); });
  };
  const auto ended_before = ended();
  for (const auto& [round, job] : jobs_) {
    if (const auto states = queue_->states(job)) note_states(round, *states);
  }
  std::erase_if(jobs_, [&](const auto& job) {
    return std::ranges::none_of(
        tasks_, [&](const Task& task) { return task.round == job.first && !batch::has_ended(task.phase); });
  });
  poll_interval_ = interval_after(poll_interval_, ended() != ended_before);
  next_poll_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(poll_interval_);
}

void ClusterRunner::note_states(int round, const std::vector<batch::TaskState>& states) {
  for (Task& task : tasks_) {
    if (task.round != round || task.ended) continue;
    const auto state = std::ranges::find(states, task.index, &batch::TaskState::index);
    if (state == states.end()) continue;
    task.phase = state->phase;
    task.node = state->node;
    if (batch::has_ended(task.phase)) task.ended = Clock::now();
  }
}

/// Handles units that still have no result although their task has ended. Waits LateFileGrace first.
void ClusterRunner::close_tasks() {
  const auto now = Clock::now();
  const auto is_due = [&, grace = Seconds(LateFileGrace * interval_scale())](const Task& task) {
    return !task.is_closed && task.ended && now - *task.ended >= grace;
  };
  if (std::ranges::none_of(tasks_, is_due)) return;
  next_listing_ = {};  // lists the results again now, because the last listing may be outdated
  collect_results();
  for (std::size_t index = 0; index < tasks_.size(); ++index) {
    Task& task = tasks_[index];
    if (!is_due(task)) continue;
    task.is_closed = true;
    bool has_results = false;
    std::vector<std::string> missing;
    for (const std::string& unit : task.units) {
      const auto found = active_.find(unit);
      if (found != active_.end() && found->second.task == index) {
        missing.push_back(unit);
      } else {
        has_results = true;
      }
    }
    const bool is_bad_node = task.phase == batch::TaskPhase::NodeFailed ||
                             (task.phase == batch::TaskPhase::Failed && !has_results && !missing.empty());
    if (is_bad_node && !task.node.empty() && std::ranges::find(excluded_, task.node) == excluded_.end()) {
      log::warn("The node {} gets no more tasks: it failed, or its task ended without a result.", task.node);
      excluded_.push_back(task.node);
    }
    for (const std::string& unit : missing) {
      Active& active = active_.at(unit);
      if (task.phase == batch::TaskPhase::Cancelled) {
        end_unit(unit, {.unit = active.unit,
                        .result = Error{ErrorCode::Interrupted, "The task was cancelled.", {}},
                        .figures = {},
                        .content = {},
                        .host = {}});
      } else {
        lose(active, task.phase == batch::TaskPhase::NodeFailed
                         ? fmt::format("the node {} failed", task.node)
                         : std::string("its task ended without converting it"));
      }
    }
  }
}

std::size_t ClusterRunner::live_tasks() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(tasks_, [](const Task& task) { return !task.is_closed; }));
}

Result<void> ClusterRunner::submit_if_due() {
  if (active_.empty()) unqueued_.reset();  // the round was queued after all, and its results have arrived
  if (unqueued_) {
    if (Clock::now() < next_submission_) return {};
    const int round = *unqueued_;
    const auto tasks = std::ranges::count(tasks_, round, &Task::round);
    return queue_round(round, static_cast<std::size_t>(tasks));
  }
  std::vector<Active*> waiting;
  for (auto& [name, active] : active_) {
    if (active.task == NoTask) waiting.push_back(&active);
  }
  const std::size_t live = live_tasks();
  // Submit nothing while tasks are left, so that all units that must be queued again are packed into few
  // tasks.
  if (waiting.empty() || live > 0) return {};
  std::ranges::sort(waiting, {}, &Active::number);
  return submit(waiting, std::min(queue_->max_tasks(), max_tasks_));
}

Result<void> ClusterRunner::submit(const std::vector<Active*>& waiting, std::size_t max_tasks) {
  constexpr double LimitShare = 0.8;  // planned share of the time limit, so that few tasks reach the limit
  batch::PackingLimits limits{.min_tasks = queue_->min_tasks(), .max_tasks = max_tasks};
  if (const double limit = queue_->limit_seconds(); limit > 0)
    limits.max_seconds = std::min(limits.max_seconds, LimitShare * limit);
  limits.target_seconds = std::min(limits.target_seconds, limits.max_seconds);
  std::vector<double> seconds;
  for (const Active* active : waiting) seconds.push_back(active->work.seconds);
  std::vector<std::size_t> sizes = batch::pack_units(seconds, limits);
  if (sizes.size() > max_tasks) sizes.resize(max_tasks);  // the rest waits for another round

  const int round = folder_.rounds() + 1;
  std::vector<std::vector<batch::ClusterUnit>> works;
  auto next = waiting.begin();
  for (const std::size_t size : sizes) {
    Task task{.round = round, .index = works.size(), .units = {}, .node = {}, .ended = {}};
    works.emplace_back();
    for (std::size_t i = 0; i < size; ++i, ++next) {
      Active& active = **next;
      works.back().push_back(active.work);
      task.units.push_back(batch::unit_name(active.work.output, active.unit.segment));
      active.task = tasks_.size();
    }
    tasks_.push_back(std::move(task));
  }
  TRY(folder_.write_tasks(round, works));
  const auto units = static_cast<std::size_t>(next - waiting.begin());
  log::info("Round {}: {} in {}.", round, counted(units, "unit"), counted(works.size(), "task"));
  return queue_round(round, works.size());
}

Result<void> ClusterRunner::queue_round(int round, std::size_t tasks) {
  const std::string name = job_name(folder_, round);
  // An earlier call that timed out may have queued the round.
  std::string job = unqueued_ ? queue_->find(name) : std::string();
  if (job.empty()) {
    std::error_code unknown;
    const auto answer = queue_->submit({.name = name,
                                        .folder = folder_.round(round),
                                        .output = fs::absolute(settings_.recording.output, unknown).string(),
                                        .tasks = tasks,
                                        .excluded_nodes = excluded_});
    if (!answer && !excluded_.empty()) {
      // Perhaps no other node is left. If every node fails, the cause is probably not the nodes but, for
      // example, a full disk.
      log::warn("Tasks may use these nodes again, because the scheduler has no others: {}.",
                fmt::join(excluded_, ", "));
      excluded_.clear();
      return queue_round(round, tasks);
    }
    TRY_ASSIGN(const ClusterQueue::Submitted submitted, answer);
    next_submission_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(poll_interval_);
    next_poll_ = next_submission_;
    if (submitted.outcome == ClusterQueue::Submission::Unavailable) {
      log::warn("The scheduler takes no tasks now ({}); trying again later.", submitted.message);
      unqueued_ = round;
      return {};
    }
    if (submitted.outcome == ClusterQueue::Submission::TooMany) {
      max_tasks_ = (tasks + 1) / 2;
      log::warn(
          "The scheduler refuses {} ({}); submitting {} of them now, and the rest when these have ended.",
          counted(tasks, "task"), submitted.message, max_tasks_);
      shorten_round(round, max_tasks_);
      return queue_round(round, max_tasks_);
    }
    job = submitted.job;
  }
  if (max_tasks_ != NoTask) max_tasks_ *= 2;  // the next round may be larger: other jobs may have ended
  unqueued_.reset();
  jobs_[round] = {.id = job, .tasks = tasks};
  poll_interval_ = first_interval();
  next_poll_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(poll_interval_);
  log::info("Submitted as job {}.", job);
  return folder_.write_job(round, jobs_[round]);
}

/// Keeps only the first `tasks` tasks of the newest round, which is not queued yet. The units of the removed
/// tasks wait for another round.
void ClusterRunner::shorten_round(int round, std::size_t tasks) {
  for (; tasks_.back().round == round && tasks_.back().index >= tasks; tasks_.pop_back()) {
    for (const std::string& unit : tasks_.back().units) {
      if (const auto found = active_.find(unit); found != active_.end()) found->second.task = NoTask;
    }
    std::error_code ignored;
    fs::remove(fmt::format("{}/{}.json", folder_.round(round), tasks_.back().index), ignored);
  }
}

/// Starts to assemble items, and waits until one of them has ended, at most for `timeout`.
void ClusterRunner::assemble(std::chrono::milliseconds timeout) {
  while (!to_assemble_.empty() && assembling_ < local_->capacity()) {
    local_->start(to_assemble_.front());
    to_assemble_.pop_front();
    ++assembling_;
  }
  for (batch::UnitResult& result : local_->wait(timeout)) {
    --assembling_;
    if (!result.result) has_failed_ = true;
    ended_.push_back(std::move(result));
  }
}

void ClusterRunner::cancel_tasks() {
  for (const auto& [round, job] : jobs_) queue_->cancel(job.id);
  jobs_.clear();
}

/// Ends all units as interrupted. Tasks that are still queued or running may convert them later.
void ClusterRunner::interrupt_all() {
  std::vector<batch::Unit> left(to_assemble_.begin(), to_assemble_.end());
  to_assemble_.clear();
  for (const auto& [name, active] : active_) left.push_back(active.unit);
  has_failed_ = has_failed_ || !left.empty();  // keeps the folder
  active_.clear();
  for (const batch::Unit& unit : left) {
    ended_.push_back(
        {.unit = unit,
         .result = Error{ErrorCode::Interrupted, "The command ended before the result arrived.", {}},
         .figures = {},
         .content = {},
         .host = {}});
  }
}

std::vector<batch::UnitResult> ClusterRunner::wait(std::chrono::milliseconds timeout) {
  poll_queue();  // first, so that collect_results() finds all results of each task that has ended
  collect_results();
  close_tasks();
  const bool is_stopped = stop_asked();
  const Result<void> submitted = is_stopped || is_doomed_ ? Result<void>() : submit_if_due();
  if (!submitted) {
    is_doomed_ = true;
    // One unit reports the error; interrupt_all() ends the others.
    const auto first = active_.begin();
    end_unit(
        first->first,
        {.unit = first->second.unit, .result = submitted.error(), .figures = {}, .content = {}, .host = {}});
  }
  const bool is_detached = settings_.cluster.detach && !unqueued_ && !active_.empty();
  if (is_stopped || is_doomed_ || is_detached) {
    if (settings_.cluster.where != "slurm" || is_doomed_) {
      cancel_tasks();
    } else if (!active_.empty()) {
      log::info(
          "No longer waiting for {}. Slurm keeps the queued tasks; run the same command again to "
          "collect the results.",
          counted(active_.size(), "unit"));
    }
    interrupt_all();
  }
  assemble(ended_.empty() ? timeout : std::chrono::milliseconds(0));
  return std::exchange(ended_, {});
}

}  // namespace glyphreel::commands
