#include "commands/collections/batch_run.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/export_formats.h"
#include "base/interrupt.h"
#include "base/io/log.h"
#include "batch/item_listing.h"
#include "commands/collections/cluster_runner.h"
#include "commands/collections/local_runner.h"
#include "gpu/device/device.h"
#include "player/playlist/expand_inputs.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

constexpr std::chrono::milliseconds WaitInterval{100};
constexpr std::chrono::seconds SaveInterval{
    1};  // committing each small picture would take longer than converting it
constexpr std::chrono::seconds StatusInterval{1};

void print_line(const std::string& text) {
  std::puts(text.c_str());
  std::fflush(stdout);
}

}  // namespace

/// Records which items this run converts. Must be called before the run writes its first output, so that the
/// database shows which outputs belong to this run.
Result<void> BatchRun::claim_items() {
  std::vector<batch::Item*> changed;
  if (!settings_.cluster.where.empty()) cluster_run_ = RunFolder::find(settings_.recording.output);
  for (BatchVariant& variant : plan_.variants) {
    TRY_ASSIGN(variant.record.id, database_.add_settings(variant.record));
  }
  for (std::size_t index = 0; index < plan_.items.size(); ++index) {
    PlannedItem& planned = plan_.items[index];
    batch::Item& item = planned.item;
    if (planned.reason == batch::Reason::Done) ++progress_.skipped;
    if (planned.reason == batch::Reason::Done && !planned.is_touched) continue;
    if (planned.reason == batch::Reason::OutputExists) {
      ++progress_.total;
      report_failure(
          item, {ErrorCode::Usage,
                 fmt::format("{} already exists; use --force to replace it.", output_path(settings_, item)),
                 {}});
      continue;
    }
    if (planned.reason != batch::Reason::Done) {
      item.settings = plan_.variants[planned.variant].record.id;
      ++progress_.total;
      progress_.bytes_total += item.stamp ? item.stamp->size : 0;
      TRY_ASSIGN(const std::vector<int> missing, missing_segments(planned));
      schedule_.add(index, missing, static_cast<int>(item.segments.size()));
    }
    changed.push_back(&item);
  }
  return database_.write(changed);
}

/// Returns the figures of a segment if its result is still in the folder of the latest cluster run, otherwise
/// zeros.
batch::Figures BatchRun::earlier_figures(const batch::Item& item, int segment) const {
  if (!cluster_run_) return {};
  const auto result = cluster_run_->result(batch::unit_name(item.output, segment));
  return result ? result->figures : batch::Figures{};
}

/// Plans the segments of an item, and returns the numbers of the segments that no earlier run has recorded.
Result<std::vector<int>> BatchRun::missing_segments(PlannedItem& planned) const {
  const cli::Settings& settings = plan_.variants[planned.variant].settings;
  plan_item_segments(settings, planned);
  if (!planned.segments) return std::vector<int>{0};
  const SegmentedRecord record = segmented_item(settings, planned.item, *planned.segments);
  TRY(record.prepare(SegmentedRecord::OfAnother::Remove));
  std::vector<int> missing;
  for (batch::Segment& segment : planned.item.segments) {
    if (record.is_recorded(static_cast<std::size_t>(segment.number))) {
      segment.state = batch::State::Done;
      segment.figures = earlier_figures(planned.item, segment.number);
    } else {
      missing.push_back(segment.number);
    }
  }
  return missing;
}

/// Whether most items are pictures, according to the names of inputs and outputs.
bool BatchRun::has_mostly_pictures() const {
  std::size_t pictures = 0;
  std::size_t items = 0;
  for (const PlannedItem& planned : plan_.items) {
    if (!batch::is_converted(planned.reason)) continue;
    const auto format = export_format_of({}, plan_.variants[planned.variant].settings.batch.to_format);
    ++items;
    if (format && format->is_of_one_frame() && player::has_picture_name(planned.item.input)) ++pictures;
  }
  return 2 * pictures > items;
}

/// Decides once which renderer --renderer auto means, so that the threads need not decide.
Result<void> BatchRun::choose_renderer() {
  using Engines = batch::EngineBalance::Engines;
  bool is_always_auto = true;
  std::optional<session::RendererDecision> decided;
  for (BatchVariant& variant : plan_.variants) {
    cli::RendererChoice& choice = variant.settings.engine.renderer;
    is_always_auto = is_always_auto && choice == cli::RendererChoice::Auto;
    if (choice == cli::RendererChoice::Auto) {
      if (!decided) {
        const auto device = gpu::Device::make({.selector = variant.settings.engine.device});
        TRY_ASSIGN(decided, session::decide_renderer(variant.settings, device));
        statistics_.renderer = decided->use_gpu ? (*device)->name() : "CPU";
        statistics_.renderer_reason = decided->reason;
        log::info("Renderer: {} ({}).", statistics_.renderer, decided->reason);
      }
      choice = decided->use_gpu ? cli::RendererChoice::Gpu : cli::RendererChoice::Cpu;
    }
    if (choice == cli::RendererChoice::Gpu) engines_ = Engines::Gpu;
  }
  // Use the GPU together with the CPU only for pictures. This mode converts as many items at a time as
  // there are CPUs, which would need too much memory for videos.
  if (engines_ == Engines::Gpu && is_always_auto && has_mostly_pictures()) engines_ = Engines::Both;
  return {};
}

SegmentTask BatchRun::task_of(const batch::Unit& unit) const {
  const PlannedItem& planned = plan_.items[unit.item];
  const cli::Settings& settings = plan_.variants[planned.variant].settings;
  SegmentTask task{.unit = unit,
                   .item = &planned.item,
                   .settings = &settings,
                   .segments = planned.segments ? &*planned.segments : nullptr,
                   .recorded = {},
                   .output = output_path(settings_, planned.item),
                   .threads = threads_};
  if (planned.segments && unit.segment != batch::Unit::Assembling) {
    task.recorded = segmented_item(settings, planned.item, *planned.segments)
                        .segment(static_cast<std::size_t>(unit.segment));
  }
  return task;
}

void BatchRun::start(batch::Runner& runner, const batch::Unit& unit) {
  PlannedItem& planned = plan_.items[unit.item];
  planned.item.state = batch::State::Running;
  ++running_[unit.item];
  runner.start(unit);
}

void BatchRun::report_failure(const batch::Item& item, const Error& error) {
  ++progress_.failed;
  line_.clear();
  // Messages about an input usually name it.
  const std::string text = full_text(error);
  const bool names_it = text.find(item.input) != std::string::npos;
  log::error("{}{}", names_it ? "" : item.input + ": ", text);
  if (settings_.report.json) {
    print_line(nlohmann::json({{"message_type", "error"}, {"item", item.input}, {"message", text}})
                   .dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }
}

void BatchRun::end_item(batch::Item& item, batch::Schedule::Consequence consequence,
                        const batch::UnitResult& unit) {
  progress_.bytes_in += item.stamp ? item.stamp->size : 0;
  if (consequence == batch::Schedule::Consequence::ItemDone) {
    item.state = batch::State::Done;
    item.code = {};
    item.error.clear();
    ++progress_.done;
    progress_.frames += item.figures.frames;
    progress_.bytes_out += item.figures.bytes;
    for (std::size_t i = 0; i < StageCount; ++i) {
      if (item.figures.stage_ms[i] > 0) times_.add(static_cast<Stage>(i), item.figures.stage_ms[i]);
    }
  } else {
    item.state = batch::State::Failed;
    item.code = unit.result.error().code;
    item.error = full_text(unit.result.error());
    report_failure(item, unit.result.error());
    if (batch::is_fatal(unit.result.error())) {
      schedule_.stop();
      fatal_ = unit.result.error();
    }
  }
  if (settings_.report.json) {
    nlohmann::json json = batch::item_json(item);
    json["message_type"] = "item";
    print_line(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  }
}

void BatchRun::finish(const batch::UnitResult& unit) {
  using Consequence = batch::Schedule::Consequence;
  batch::Item& item = plan_.items[unit.unit.item].item;
  if (--running_[unit.unit.item] == 0) running_.erase(unit.unit.item);
  const batch::Outcome outcome =
      unit.result ? batch::Outcome::Succeeded : batch::outcome_of(unit.result.error());
  const Consequence consequence = schedule_.finish(unit.unit, outcome);
  if (unit.started_s == 0 && outcome == batch::Outcome::Interrupted) {
    item.state = batch::State::Waiting;
    has_stopped_ = true;
    return;
  }
  ++item.attempts;
  item.host = unit.host;
  item.started_s = unit.started_s;
  if (!unit.content.empty()) item.content = unit.content;
  if (unit.unit.segment != batch::Unit::Assembling) {
    batch::Segment& segment = item.segments[static_cast<std::size_t>(unit.unit.segment)];
    segment.state = unit.result                              ? batch::State::Done
                    : consequence == Consequence::ItemFailed ? batch::State::Failed
                                                             : batch::State::Waiting;
    ++segment.attempts;
    segment.figures = unit.figures;
  }
  item.figures = batch::sum_of(item.segments);
  if (unit.unit.segment == batch::Unit::Assembling) {
    // The sums lack segments that an earlier run has recorded, so take the numbers of frames and bytes from
    // the assembled output instead.
    item.figures.frames = unit.figures.frames;
    item.figures.bytes = unit.figures.bytes;
  }
  if (item.state == batch::State::Failed) {
    // The item has already failed because of another segment, and that failure was reported.
  } else if (consequence == Consequence::ItemDone || consequence == Consequence::ItemFailed) {
    end_item(item, consequence, unit);
  } else {
    item.state = batch::State::Waiting;
    has_stopped_ = has_stopped_ || consequence == Consequence::ItemStopped;
  }
  if (unsaved_.empty()) oldest_unsaved_ = Clock::now();
  if (std::ranges::find(unsaved_, &item) == unsaved_.end()) unsaved_.push_back(&item);
}

Result<void> BatchRun::save(Flush flush) {
  if (unsaved_.empty() || (flush == Flush::IfDue && Clock::now() - oldest_unsaved_ < SaveInterval)) return {};
  TRY(database_.write(unsaved_));
  unsaved_.clear();
  return {};
}

std::vector<std::string> BatchRun::running_inputs() const {
  constexpr std::size_t MaxInputs = 100;  // a cluster may convert thousands of items at a time
  std::vector<std::string> inputs;
  for (const auto& [index, units] : running_) {
    if (inputs.size() < MaxInputs) inputs.push_back(plan_.items[index].item.input);
  }
  return inputs;
}

void BatchRun::show_progress() {
  progress_.waiting = schedule_.waiting();
  progress_.running = schedule_.running();
  progress_.unsaved = unsaved_.size();
  progress_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  progress_.is_stopping = stop_asked();
  if (settings_.report.json && Clock::now() - last_status_ >= StatusInterval) {
    last_status_ = Clock::now();
    print_line(batch::status_json(progress_, running_inputs()));
  }
  if (!settings_.report.json && settings_.report.verbosity != log::Verbosity::Quiet && line_.is_due())
    line_.print(batch::progress_line(progress_));
}

void BatchRun::show_summary() {
  show_progress();
  line_.clear();
  if (settings_.report.json) {
    print_line(batch::summary_json(progress_));
  } else {
    log::info("{}", batch::summary_text(progress_));
  }
}

Result<void> BatchRun::write_statistics() {
  statistics_.frames.decoded = statistics_.frames.mapped = statistics_.frames.encoded = progress_.frames;
  statistics_.wall_seconds = statistics_.work_seconds = progress_.seconds;
  return session::write_statistics(statistics_, settings_, times_);
}

Result<std::unique_ptr<batch::Runner>> BatchRun::make_cluster_runner() {
  TRY_ASSIGN(
      std::unique_ptr<batch::Runner> runner,
      ClusterRunner::make(settings_, plan_, [this](const batch::Unit& unit) { return task_of(unit); }));
  return runner;
}

Result<std::unique_ptr<batch::Runner>> BatchRun::make_local_runner() {
  TRY(choose_renderer());
  const int cpus = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const batch::Parallelism chosen =
      batch::choose_jobs(settings_.batch.jobs, settings_.engine.threads, cpus, engines_, schedule_.waiting());
  threads_ = chosen.threads;
  log::info("{} item{} to convert, {} at a time.", schedule_.waiting(), schedule_.waiting() == 1 ? "" : "s",
            chosen.jobs);
  TRY_ASSIGN(std::unique_ptr<batch::Runner> runner,
             LocalRunner::make({.jobs = chosen.jobs,
                                .batch = settings_.batch.pictures,
                                .engines = engines_,
                                .task_of = [this](const batch::Unit& unit) { return task_of(unit); }}));
  return runner;
}

Result<void> BatchRun::run_units(batch::Runner& runner) {
  while (!schedule_.is_finished()) {
    while (schedule_.running() < runner.capacity()) {
      const std::optional<batch::Unit> unit = schedule_.next();
      if (!unit) break;
      start(runner, *unit);
    }
    for (const batch::UnitResult& unit : runner.wait(WaitInterval)) finish(unit);
    TRY(save(Flush::IfDue));
    if (stop_asked()) schedule_.stop();
    if (stop_asked() || fatal_) runner.stop();
    show_progress();
  }
  return {};
}

bool BatchRun::has_work() const {
  return std::ranges::any_of(plan_.items,
                             [](const PlannedItem& planned) { return batch::is_converted(planned.reason); });
}

Result<int> BatchRun::run() {
  std::unique_ptr<batch::Runner> runner;
  if (!settings_.cluster.where.empty() && has_work()) {
    // Make this runner before claim_items(), which may remove segments: make_cluster_runner() fails if tasks
    // with other settings, which may need these segments, are still queued.
    TRY_ASSIGN(runner, make_cluster_runner());
  }
  TRY(claim_items());
  if (schedule_.waiting() > 0) {
    if (runner == nullptr) {
      TRY_ASSIGN(runner, make_local_runner());
    }
    Result<void> done = run_units(*runner);
    if (done) done = save(Flush::Now);
    // run_units() has reported fatal_, such as a full disk, which probably also made save() fail.
    if (!done && fatal_) return EXIT_FAILURE;
    TRY(done);
  }
  show_summary();
  TRY(write_statistics());
  if (fatal_) return EXIT_FAILURE;
  if (stop_asked()) return static_cast<int>(ErrorCode::Interrupted);
  if (progress_.failed > 0) return EXIT_FAILURE;
  const bool is_left = has_stopped_ && !settings_.cluster.detach;
  return is_left ? static_cast<int>(ErrorCode::Interrupted) : EXIT_SUCCESS;
}

}  // namespace glyphreel::commands
