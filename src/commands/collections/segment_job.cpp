#include "commands/collections/segment_job.h"

#include <chrono>
#include <filesystem>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/threads/thread.h"
#include "batch/cell_figures.h"
#include "batch/host.h"
#include "media/input/content_hash.h"
#include "session/input_palette.h"
#include "session/setup.h"
#include "commands/collections/batch_plan.h"
#include "commands/collections/verify_output.h"
#include "commands/record.h"

namespace glyphreel::commands {
namespace {

using Clock = std::chrono::steady_clock;

std::array<double, StageCount> stage_totals(const StageTimes& times) {
  std::array<double, StageCount> totals{};
  for (std::size_t i = 0; i < StageCount; ++i) totals[i] = times.total_ms(static_cast<Stage>(i));
  return totals;
}

/// Opens the job that records a unit.
Result<std::unique_ptr<RecordJob>> open_job(const SegmentTask& task, RecordJobOptions options) {
  cli::Settings settings = item_settings(*task.settings, *task.item);
  settings.threads = task.threads;
  options.segment = task.recorded;
  TRY_ASSIGN(settings, session::with_input_palette(std::move(settings)));
  if (!task.recorded) {
    TRY_ASSIGN(settings, session::with_recorded_input(std::move(settings)));
  }
  return RecordJob::open(settings, std::move(options));
}

/// Records the input. Sets all figures but the time.
Result<void> record_item(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit,
                         batch::Figures& figures) {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path(task.output).parent_path();
  std::filesystem::create_directories(folder, failed);
  if (failed) return unwritable(folder.string(), failed);
  std::optional<batch::CellFigures> measured;
  const auto before = stage_totals(kit->times());
  TRY_ASSIGN(const std::unique_ptr<RecordJob> job,
             open_job(task, {.kit = kit,
                             .on_interrupt = present::RecordOptions::OnInterrupt::Abandon,
                             .on_frame = [&](const render::RenderedFrame& frame) {
                               measured->add(frame.cells, frame.grid);
                             }}));
  measured.emplace(*job->glyphs());
  TRY_ASSIGN(const present::RecordOutcome outcome, job->run());
  figures.frames = outcome.encoded;
  figures.damaged = static_cast<std::int64_t>(job->damaged_packets());
  measured->write_to(figures);
  const auto after = stage_totals(kit->times());
  for (std::size_t i = 0; i < StageCount; ++i) figures.stage_ms[i] = after[i] - before[i];
  return {};
}

/// Errors: BadInput if the input is no longer the planned one.
Result<void> check_input(const batch::Item& item) {
  if (batch::stamp_of(item.input) == item.stamp) return {};
  return Error{
      ErrorCode::BadInput,
      fmt::format("{} has changed since the conversion was planned; run the command again.", item.input),
      {}};
}

/// Checks a finished output, and sets its size.
Result<void> finish_output(const SegmentTask& task, batch::Figures& figures) {
  if (task.settings->verify) TRY(verify_output(task.output, figures.frames));
  figures.bytes = output_bytes(task.output).value_or(0);
  return {};
}

Result<void> convert(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit,
                     batch::UnitResult& unit) {
  const bool is_whole = !task.recorded;
  // Once for an item is enough: check_input() notices changes.
  if (task.item->stamp && task.unit.segment == 0) {
    TRY_ASSIGN(unit.content, media::content_hash_of_file(task.item->input));
  }
  TRY(record_item(task, kit, unit.figures));
  TRY(check_input(*task.item));
  return is_whole ? finish_output(task, unit.figures) : Result<void>{};
}

Result<void> assemble(const SegmentTask& task, batch::UnitResult& unit) {
  TRY(check_input(*task.item));
  const SegmentedRecord record = segmented_item(*task.settings, *task.item, *task.segments);
  TRY_ASSIGN(unit.figures.frames, record.assemble(present::ProgressLine::Visibility::Hidden));
  return finish_output(task, unit.figures);
}

/// Runs a unit, and measures its time.
template <typename Work>
batch::UnitResult run(const SegmentTask& task, const Work& work) {
  const auto start = Clock::now();
  batch::UnitResult unit{.unit = task.unit, .result = {}, .host = batch::host_name()};
  unit.started_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  unit.result = catching([&] { return work(unit); });
  unit.figures.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  return unit;
}

}  // namespace

batch::UnitResult run_segment(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit) {
  return run(task, [&](batch::UnitResult& unit) { return convert(task, kit, unit); });
}

batch::UnitResult assemble_item(const SegmentTask& task) {
  return run(task, [&](batch::UnitResult& unit) { return assemble(task, unit); });
}

}  // namespace glyphreel::commands
