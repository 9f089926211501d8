#include "commands/collections/segment_job.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/io/atomic_file.h"
#include "base/threads/thread.h"
#include "batch/host.h"
#include "commands/collections/batch_plan.h"
#include "commands/collections/verify_output.h"
#include "commands/record.h"
#include "media/input/content_hash.h"
#include "session/input_palette.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

using Clock = std::chrono::steady_clock;

batch::UnitResult begin_result(const SegmentTask& task) {
  batch::UnitResult unit{.unit = task.unit, .result = {}, .host = batch::host_name()};
  unit.started_s = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return unit;
}

/// Errors: BadInput if the input has changed since the conversion was planned.
Result<void> check_input(const batch::Item& item) {
  if (batch::stamp_of(item.input) == item.stamp) return {};
  return Error{
      ErrorCode::BadInput,
      fmt::format("{} has changed since the conversion was planned; run the command again.", item.input),
      {}};
}

/// Checks a finished output if --verify is given, and sets `figures.bytes`.
Result<void> finish_output(const SegmentTask& task, batch::Figures& figures) {
  if (task.settings->batch.verify) TRY(verify_output(task.output, figures.frames));
  figures.bytes = output_bytes(task.output).value_or(0);
  return {};
}

Result<void> assemble(const SegmentTask& task, batch::UnitResult& unit) {
  TRY(check_input(*task.item));
  const SegmentedRecord record = segmented_item(*task.settings, *task.item, *task.segments);
  TRY_ASSIGN(unit.figures.frames, record.assemble(present::ProgressLine::Visibility::Hidden));
  return finish_output(task, unit.figures);
}

}  // namespace

StageTotals stage_totals(const StageTimes& times) {
  StageTotals totals{};
  for (std::size_t i = 0; i < StageCount; ++i) totals[i] = times.total_ms(static_cast<Stage>(i));
  return totals;
}

StageTotals elapsed(const StageTotals& before, const StageTotals& after) {
  StageTotals difference{};
  for (std::size_t i = 0; i < StageCount; ++i) difference[i] = after[i] - before[i];
  return difference;
}

Conversion::Conversion(SegmentTask task, std::shared_ptr<RecordKit> kit)
    : task_(std::move(task)), kit_(std::move(kit)), unit_(begin_result(task_)) {}

/// Does a part of the work and measures its time, unless an earlier part has failed.
template <typename Work>
void Conversion::step(const Work& work) {
  if (has_failed()) return;
  const auto start = Clock::now();
  const StageTotals before = stage_totals(kit_->times());
  unit_.result = catching(work);
  add_times(seconds_since(start), elapsed(before, stage_totals(kit_->times())));
}

void Conversion::open() {
  step([this]() -> Result<void> {
    // Hashing once per item is enough: check_input() notices changes.
    if (task_.item->stamp && task_.unit.segment == 0) {
      TRY_ASSIGN(unit_.content, media::content_hash_of_file(task_.item->input));
    }
    std::error_code failed;
    const std::filesystem::path folder = std::filesystem::path(task_.output).parent_path();
    std::filesystem::create_directories(folder, failed);
    if (failed) return unwritable(folder.string(), failed);
    return open_job();
  });
}

Result<void> Conversion::open_job() {
  cli::Settings settings = item_settings(*task_.settings, *task_.item);
  settings.engine.threads = task_.threads;
  TRY_ASSIGN(settings, session::with_input_palette(std::move(settings)));
  if (!task_.recorded) {
    TRY_ASSIGN(settings, session::with_recorded_input(std::move(settings)));
  }
  TRY_ASSIGN(job_, RecordJob::open(settings, {.kit = kit_,
                                              .on_interrupt = present::RecordOptions::OnInterrupt::Abandon,
                                              .segment = task_.recorded,
                                              .on_frame = std::bind_front(&Conversion::measure, this)}));
  measured_.emplace(*job_->glyphs());
  if (settings.batch.ssim) similarity_.emplace(setup(), frame_options().light, task_.threads);
  return {};
}

Result<void> Conversion::measure(const render::RenderedFrame& frame, const Frame& source) {
  measured_->add(frame.cells, frame.grid);
  const bool is_recorded = source.cells != nullptr;  // no source, only cells
  if (!similarity_ || is_recorded) return {};
  TRY_ASSIGN(const double ssim, similarity_->measure(frame, source));
  ssim_sum_ += ssim;
  ++ssim_frames_;
  return {};
}

void Conversion::record() {
  step([this]() -> Result<void> {
    if (job_ == nullptr) TRY(open_job());
    TRY_ASSIGN(const present::RecordOutcome outcome, job_->run());
    unit_.figures.frames = outcome.encoded;
    return complete();
  });
}

bool Conversion::read_picture() {
  step([this]() -> Result<void> {
    TRY_ASSIGN(picture_, job_->read_picture());
    if (!picture_) job_.reset();
    return {};
  });
  return picture_.has_value();
}

void Conversion::write_picture(const render::RenderedFrame& rendered) {
  step([&]() -> Result<void> {
    TRY(measure(rendered, *picture_));
    TRY(job_->write_picture(rendered));
    unit_.figures.frames = 1;
    return complete();
  });
}

Result<void> Conversion::complete() {
  unit_.figures.damaged = static_cast<std::int64_t>(job_->damaged_packets());
  measured_->write_to(unit_.figures);
  if (ssim_frames_ > 0) unit_.figures.ssim = ssim_sum_ / static_cast<double>(ssim_frames_);
  TRY(check_input(*task_.item));
  return task_.recorded ? Result<void>{} : finish_output(task_, unit_.figures);
}

void Conversion::add_times(double seconds, const StageTotals& stages) {
  unit_.figures.wall_s += seconds;
  for (std::size_t i = 0; i < StageCount; ++i) unit_.figures.stage_ms[i] += stages[i];
}

void Conversion::fail(Error error) {
  unit_.result = std::move(error);
}

batch::UnitResult Conversion::finish() {
  picture_.reset();
  job_.reset();  // removes what a failed conversion has written, before another attempt begins
  return std::move(unit_);
}

batch::UnitResult run_segment(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit) {
  Conversion conversion(task, kit);
  conversion.open();
  conversion.record();
  return conversion.finish();
}

batch::UnitResult not_begun(const SegmentTask& task) {
  return {.unit = task.unit, .result = Error{ErrorCode::Interrupted, "Not started.", {}}};
}

batch::UnitResult assemble_item(const SegmentTask& task) {
  batch::UnitResult unit = begin_result(task);
  const auto start = Clock::now();
  unit.result = catching([&] { return assemble(task, unit); });
  unit.figures.wall_s = seconds_since(start);
  return unit;
}

}  // namespace glyphreel::commands
