#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/export_formats.h"
#include "base/result.h"
#include "base/threads/stage_times.h"
#include "cli/options/settings.h"
#include "media/segment/segment_writer.h"
#include "media/source.h"
#include "player/playlist/playlist.h"
#include "present/export/frame_sink.h"
#include "present/export/recorder.h"
#include "render/renderer.h"
#include "session/setup.h"
#include "session/statistics.h"
#include "commands/segments/segment_plan.h"

namespace glyphreel::commands {

/// One segment of a recording.
struct SegmentJob {
  std::string path;  ///< the file of the segment
  SegmentPlan plan;
  std::size_t index = 0;
};

/// Records settings.inputs, one after the other, to settings.output, or, if that is empty, writes them to
/// standard output as text with a terminal's colors, in three steps:
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
  /// Opens a job that records one segment of what open() would record, without sound. Blocks until the
  /// segment's first frame is found. Errors: those of open() and SegmentSource::open().
  [[nodiscard]] static Result<std::unique_ptr<RecordJob>> open_segment(const cli::Settings& settings,
                                                                       const SegmentJob& segment);

  /// Joins the segments of a recording, in order, to settings.output. Shows its progress. Returns the number
  /// of frames. Errors: those of media::assemble().
  [[nodiscard]] static Result<std::int64_t> assemble(const cli::Settings& settings,
                                                     std::vector<std::string> segments);

  /// Writes the whole recording. Blocks until the recording is complete or the user interrupts. After an
  /// interrupt, the recording is complete up to that point. Errors: Failed; Usage or Interrupted if no frame
  /// was recorded, in which case no file is written.
  [[nodiscard]] Result<present::RecordOutcome> run();

  /// Whether an input could not be opened and was skipped, with a warning.
  [[nodiscard]] bool skipped_inputs() const { return skipped_inputs_; }

  /// Logs damaged packets and an interrupt, and writes --stats. Errors: Failed.
  [[nodiscard]] Result<void> report(const present::RecordOutcome& outcome);

 private:
  explicit RecordJob(const cli::Settings& settings);
  /// What open() does first: opens the input.
  [[nodiscard]] static Result<std::unique_ptr<RecordJob>> begin(const cli::Settings& settings,
                                                                ExportFormat& format);
  [[nodiscard]] Result<void> finish_opening();
  [[nodiscard]] Result<void> open_segment_sink(const SegmentJob& segment);
  [[nodiscard]] Result<void> open_source(const ExportFormat& format);
  [[nodiscard]] Result<void> open_sink(const ExportFormat& format);
  [[nodiscard]] present::SinkOptions sink_options() const;
  [[nodiscard]] Result<void> open_renderer();
  [[nodiscard]] media::CopiedKinds copied_kinds() const;
  [[nodiscard]] std::string output_name() const {
    return settings_.output.empty() ? "standard output" : settings_.output;
  }

  [[nodiscard]] Result<std::unique_ptr<media::Source>> open_next(std::stop_token stop);

  player::Playlist playlist_;  ///< what remains to be opened
  const cli::Settings settings_;
  bool wants_audio_ = false;
  bool copies_tracks_ = false;  ///< whether the format can hold all tracks, chapters and metadata
  bool is_chained_ = false;     ///< whether there are several inputs
  /// Where the segment begins; empty: the job records no segment, or one without frames.
  std::optional<media::SegmentStart> segment_;
  bool is_segment_ = false;
  bool decodes_ = true;          ///< whether the video is read; false: only what is copied
  bool skipped_inputs_ = false;  ///< whether an input could not be opened
  StageTimes times_;
  session::Statistics statistics_;
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  std::unique_ptr<media::Source> source_;
  session::WindowLayout layout_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<present::FrameSink> sink_;
  std::unique_ptr<render::Renderer> renderer_;
};

}  // namespace glyphreel::commands
