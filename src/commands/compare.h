#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "commands/comparison.h"
#include "commands/report.h"
#include "gpu/gpu_renderer.h"
#include "media/source.h"
#include "present/export/progress.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel::commands {

/// One comparison of the GPU with the CPU, over settings.inputs.front(). The steps of `compare`:
///
///   TRY_ASSIGN(const std::unique_ptr<CompareJob> job, CompareJob::open(settings));
///   TRY_ASSIGN(const Comparison comparison, job->run());
///   TRY(job->report(comparison));
///
/// Thread-safety: one thread at a time.
class CompareJob {
 public:
  /// Opens the input and both renderers, and creates the folder of --report. Errors: BadInput, NoDevice,
  /// Usage (fonts), Failed (the folder).
  [[nodiscard]] static Result<std::unique_ptr<CompareJob>> open(const cli::Settings& settings);

  /// Renders every frame on both. Blocks until the end of the input or the user interrupts. Errors: those of
  /// the input, the renderers and the report's pictures.
  [[nodiscard]] Result<Comparison> run();

  /// Writes the page of --report, prints the result, and writes --stats. Errors: Failed.
  [[nodiscard]] Result<void> report(const Comparison& comparison);

 private:
  explicit CompareJob(const cli::Settings& settings) : settings_(settings) {}
  [[nodiscard]] Result<void> open_source();
  [[nodiscard]] Result<void> open_renderers();
  [[nodiscard]] Result<void> compare(const Frame& frame, Comparison& comparison);
  void print(const Comparison& comparison) const;

  const cli::Settings settings_;
  StageTimes gpu_times_{StageTimes::Keep::All};  // for the plots
  StageTimes cpu_times_{StageTimes::Keep::All};
  session::Statistics statistics_;
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  std::unique_ptr<media::Source> source_;
  std::unique_ptr<gpu::GpuRenderer> gpu_;
  std::unique_ptr<render::Renderer> cpu_;
  GridSize grid_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<Report> report_;  ///< null: none is wanted
};

}  // namespace glyphreel::commands
