#pragma once

#include <memory>

#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "media/source.h"
#include "present/export/frame_sink.h"
#include "present/export/recorder.h"
#include "render/renderer.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel::commands {

/// Records settings.inputs.front() to settings.output, or, if that is empty, writes it to standard output as
/// text with a terminal's colors, in three steps:
///
///   TRY_ASSIGN(const std::unique_ptr<RecordJob> job, RecordJob::open(settings));
///   TRY_ASSIGN(const present::RecordOutcome outcome, job->run());
///   TRY(job->report(outcome));
///
/// Thread-safety: one thread at a time. Several jobs may be open.
class RecordJob {
 public:
  /// Opens the input, then the output, and creates the renderer. Errors: Usage (the output, a codec, fonts),
  /// BadInput, NoDevice.
  [[nodiscard]] static Result<std::unique_ptr<RecordJob>> open(const cli::Settings& settings);

  /// Writes the whole recording. Blocks until the recording is complete or the user interrupts. After an
  /// interrupt, the recording is complete up to that point. Errors: Failed; Usage or Interrupted if no frame
  /// was recorded, in which case no file is written.
  [[nodiscard]] Result<present::RecordOutcome> run();

  /// Logs damaged packets and an interrupt, and writes --stats. Errors: Failed.
  [[nodiscard]] Result<void> report(const present::RecordOutcome& outcome);

 private:
  explicit RecordJob(const cli::Settings& settings) : settings_(settings) {}
  [[nodiscard]] Result<void> open_source(bool wants_audio);
  [[nodiscard]] Result<void> open_sink(const ExportFormat& format);
  [[nodiscard]] Result<void> open_renderer();
  [[nodiscard]] std::string output_name() const {
    return settings_.output.empty() ? "standard output" : settings_.output;
  }

  const cli::Settings settings_;
  StageTimes times_;
  session::Statistics statistics_;
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  std::unique_ptr<media::Source> source_;
  GridSize grid_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<present::FrameSink> sink_;
  std::unique_ptr<render::Renderer> renderer_;
};

}  // namespace glyphreel::commands
