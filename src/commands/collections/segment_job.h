#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/frame.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "batch/cell_figures.h"
#include "batch/item.h"
#include "batch/runner.h"
#include "cli/options/settings.h"
#include "commands/record.h"
#include "commands/record_kit.h"
#include "commands/segments/segment_plan.h"
#include "commands/ssim.h"
#include "render/renderer.h"

namespace glyphreel::commands {

/// Returns the time since `start` in seconds.
[[nodiscard]] inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The sum of the times of each stage, in milliseconds.
using StageTotals = std::array<double, StageCount>;
[[nodiscard]] StageTotals stage_totals(const StageTimes& times);
/// Returns the time that each stage took between two calls of stage_totals().
[[nodiscard]] StageTotals elapsed(const StageTotals& before, const StageTotals& after);

/// A unit of a batch, and what is needed to convert or assemble it.
struct SegmentTask {
  batch::Unit unit;
  const batch::Item* item = nullptr;
  const cli::Settings* settings = nullptr;  ///< of the batch, with the item's options
  const SegmentPlan* segments = nullptr;    ///< needed only to assemble the item
  std::optional<RecordedSegment> recorded;  ///< empty: the unit records or assembles the whole item
  std::string output;                       ///< path
  int threads = 1;
};

/// The conversion of a segment, in steps. After a step has failed, the steps that follow do nothing:
///
///     Conversion conversion(task, kit);
///     conversion.open();
///     conversion.record();
///     return conversion.finish();
///
/// If is_picture() is true, read_picture() and write_picture() can take the place of record().
class Conversion {
 public:
  /// `kit`: shared by all tasks of the calling thread.
  Conversion(SegmentTask task, std::shared_ptr<RecordKit> kit);
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  /// Opens the input and the output.
  void open();
  /// Converts all frames, with the kit's renderer.
  void record();
  /// Returns the result. Without an error, the output is complete and on the disk. Call it once.
  [[nodiscard]] batch::UnitResult finish();

  [[nodiscard]] bool has_failed() const { return !unit_.result; }
  [[nodiscard]] const SegmentTask& task() const { return task_; }

  /// Whether the input may be one picture, which can be rendered together with others. Call after open().
  [[nodiscard]] bool is_picture() const { return job_ != nullptr && job_->is_picture(); }
  /// Reads the picture. Returns false after an error, or if the input turns out to have several pictures to
  /// record. In the second case, call record().
  [[nodiscard]] bool read_picture();
  /// The picture, and how to render it.
  [[nodiscard]] const Frame& picture() const { return *picture_; }
  [[nodiscard]] render::Renderer& renderer() const { return job_->renderer(); }
  [[nodiscard]] const render::RenderSetup& setup() const { return job_->setup(); }
  [[nodiscard]] render::FrameOptions frame_options() const { return job_->frame_options(); }
  /// Writes the rendered picture and completes the output.
  void write_picture(const render::RenderedFrame& rendered);
  /// Adds `seconds` to the duration in the result, and `stages` to the time of each stage. If pictures were
  /// rendered together, pass only this picture's share of the times.
  void add_times(double seconds, const StageTotals& stages);
  /// Ends the conversion with an error.
  void fail(Error error);

 private:
  template <typename Work>
  void step(const Work& work);
  [[nodiscard]] Result<void> open_job();
  /// Adds a frame to the figures of the result. `source`: the decoded frame.
  [[nodiscard]] Result<void> measure(const render::RenderedFrame& frame, const Frame& source);
  /// Sets the figures of the result, and checks that the input has not changed. With --verify, also checks
  /// the output, unless it is a segment.
  [[nodiscard]] Result<void> complete();

  const SegmentTask task_;
  const std::shared_ptr<RecordKit> kit_;
  batch::UnitResult unit_;
  std::unique_ptr<RecordJob> job_;  ///< null before open(), and if the input has several pictures
  std::optional<Frame> picture_;
  std::optional<batch::CellFigures> measured_;
  std::optional<SourceSimilarity> similarity_;  ///< empty without --ssim
  double ssim_sum_ = 0;
  std::int64_t ssim_frames_ = 0;
};

/// Converts a segment. `kit`: shared by all tasks of the calling thread.
[[nodiscard]] batch::UnitResult run_segment(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit);

/// Returns the result for a task that was canceled before it started: an Interrupted error.
[[nodiscard]] batch::UnitResult not_begun(const SegmentTask& task);

/// Makes the output of an item from its segments.
[[nodiscard]] batch::UnitResult assemble_item(const SegmentTask& task);

}  // namespace glyphreel::commands
