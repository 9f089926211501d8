#include "commands/batch/segment_job.h"

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
#include "session/setup.h"
#include "commands/batch/batch_plan.h"
#include "commands/batch/verify_output.h"
#include "commands/record.h"

namespace glyphreel::commands {
namespace {

using Clock = std::chrono::steady_clock;

std::array<double, StageCount> stage_totals(const StageTimes& times) {
  std::array<double, StageCount> totals{};
  for (std::size_t i = 0; i < StageCount; ++i) totals[i] = times.total_ms(static_cast<Stage>(i));
  return totals;
}

Result<cli::Settings> record_settings(const SegmentTask& task) {
  cli::Settings settings = *task.settings;
  settings.verb = cli::Verb::Record;
  settings.inputs = {task.item->input};
  settings.output = task.output;
  settings.threads = task.threads;
  settings.overwrite = true;  // the plan has checked that the output is the batch's own
  settings.stats_file.clear();
  settings.log_file.clear();
  return session::with_recorded_input(std::move(settings));
}

/// Records the input. Sets all figures but the time.
Result<void> record_item(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit,
                         batch::Figures& figures) {
  TRY_ASSIGN(const cli::Settings settings, record_settings(task));
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::path(task.output).parent_path();
  std::filesystem::create_directories(folder, failed);
  if (failed) return unwritable(folder.string(), failed);
  std::optional<batch::CellFigures> measured;
  const auto before = stage_totals(kit->times());
  TRY_ASSIGN(const std::unique_ptr<RecordJob> job,
             RecordJob::open(settings, {.kit = kit,
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

Result<void> convert(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit,
                     batch::UnitResult& unit) {
  const batch::Item& item = *task.item;
  if (item.stamp) {
    TRY_ASSIGN(unit.content, media::content_hash_of_file(item.input));
  }
  TRY(record_item(task, kit, unit.figures));
  if (batch::stamp_of(item.input) != item.stamp) {
    return Error{ErrorCode::BadInput,
                 fmt::format("{} was changed while it was converted; start again.", item.input),
                 {}};
  }
  if (task.settings->verify) TRY(verify_output(task.output, unit.figures.frames));
  unit.figures.bytes = output_bytes(task.output).value_or(0);
  return {};
}

}  // namespace

batch::UnitResult run_segment(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit) {
  const auto start = Clock::now();
  batch::UnitResult unit{.unit = task.unit, .result = {}, .host = batch::host_name()};
  unit.started_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  unit.result = catching([&] { return convert(task, kit, unit); });
  unit.figures.wall_s = std::chrono::duration<double>(Clock::now() - start).count();
  return unit;
}

batch::UnitResult assemble_item(const SegmentTask& task) {
  return {.unit = task.unit, .result = {}, .host = batch::host_name()};
}

}  // namespace glyphreel::commands
