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
#include "commands/record_kit.h"
#include "commands/segments/segment_plan.h"
#include "media/segment/segment_writer.h"
#include "media/source.h"
#include "player/playlist/playlist.h"
#include "present/export/frame_sink.h"
#include "present/export/recorder.h"
#include "render/renderer.h"
#include "session/setup.h"
#include "session/statistics.h"

namespace glyphreel::commands {

/// One segment of a recording: what is recorded, and to which file.
struct RecordedSegment {
  std::string path;
  SegmentPlan plan;
  std::size_t index = 0;
};

/// How a recording runs if it is one of many.
struct RecordJobOptions {
  /// Shared with the recordings before and after this one; null: this recording makes its own kit, and writes
  /// messages and progress to stderr.
  std::shared_ptr<RecordKit> kit = nullptr;
  present::RecordOptions::OnInterrupt on_interrupt = present::RecordOptions::OnInterrupt::Complete;
  /// Records only this segment, without sound, to the segment's file; empty: everything.
  std::optional<RecordedSegment> segment = {};
  /// See present::RecordOptions::on_frame.
  present::OnFrame on_frame = {};
};

/// Records settings.inputs, one after the other, to settings.output. If settings.output is empty, writes them
/// to standard output instead, as text with terminal colors. A recording has three steps:
///
///   TRY_ASSIGN(const std::unique_ptr<RecordJob> job, RecordJob::open(settings));
///   TRY_ASSIGN(const present::RecordOutcome outcome, job->run());
///   TRY(job->report(outcome));
///
/// If is_picture() is true, the picture can be rendered together with other pictures, in place of run():
///
///   TRY_ASSIGN(const std::optional<Frame> picture, job->read_picture());
///   if (picture) render it with setup() and frame_options(), and TRY(job->write_picture(rendered));
///
/// Thread-safety: one thread at a time. Several jobs may be open.
class RecordJob {
 public:
  /// Opens the input, then the output, and creates the renderer. Errors: Usage if the output, a codec or the
  /// font cannot be used; BadInput; NoDevice.
  /// For a segment, blocks until its first frame is found, and may also return the errors of
  /// SegmentSource::open().
  [[nodiscard]] static Result<std::unique_ptr<RecordJob>> open(const cli::Settings& settings,
                                                               RecordJobOptions options = {});

  /// Joins the segments of a recording, in order, to settings.output. Returns the number of frames. Errors:
  /// those of media::assemble().
  [[nodiscard]] static Result<std::int64_t> assemble(const cli::Settings& settings,
                                                     std::vector<std::string> segments,
                                                     present::ProgressLine::Visibility progress);

  /// Writes the whole recording. Blocks until the recording is complete or the user interrupts. After an
  /// interrupt, the recording is complete up to that point. Errors: Failed; Usage or Interrupted if no frame
  /// was recorded, in which case no file is written.
  [[nodiscard]] Result<present::RecordOutcome> run();

  /// Whether the input's headers say that it is a single picture, and ExportFormat::is_of_one_frame() is true
  /// for the output's format.
  [[nodiscard]] bool is_picture() const;
  /// Reads the picture and closes the input. Empty if the input has further pictures to record; in that case,
  /// the job cannot be used anymore. Errors: BadInput; Usage or Interrupted if there is no picture.
  [[nodiscard]] Result<std::optional<Frame>> read_picture();
  /// Completes the output. Errors: Failed; Interrupted.
  [[nodiscard]] Result<void> write_picture(const render::RenderedFrame& picture);
  /// The kit's renderer, and the setup and frame options that this recording uses.
  [[nodiscard]] render::Renderer& renderer() const { return *renderer_; }
  [[nodiscard]] const render::RenderSetup& setup() const { return setup_; }
  [[nodiscard]] render::FrameOptions frame_options() const { return session::frame_options(settings_); }

  /// Whether an input could not be opened and was skipped, with a warning.
  [[nodiscard]] bool skipped_inputs() const { return skipped_inputs_; }
  /// Returns the number of packets that could not be read or decoded.
  [[nodiscard]] std::uint64_t damaged_packets() const {
    return source_ != nullptr ? source_->damaged_packets() : damaged_in_picture_;
  }
  /// Returns the glyphs that the cells refer to.
  [[nodiscard]] const std::shared_ptr<const text::GlyphSet>& glyphs() const { return glyphs_; }

  /// Logs damaged packets and an interrupt, and writes --stats. Errors: Failed.
  [[nodiscard]] Result<void> report(const present::RecordOutcome& outcome);

 private:
  RecordJob(const cli::Settings& settings, RecordJobOptions options);
  /// Checks the options, and sets the format of the output.
  [[nodiscard]] static Result<std::unique_ptr<RecordJob>> begin(const cli::Settings& settings,
                                                                RecordJobOptions options,
                                                                ExportFormat& format);
  [[nodiscard]] Result<void> open_segment_sink(const RecordedSegment& segment);
  [[nodiscard]] Result<void> open_source(const ExportFormat& format);
  [[nodiscard]] Result<void> open_sink(const ExportFormat& format);
  [[nodiscard]] present::SinkOptions sink_options() const;
  [[nodiscard]] Result<void> open_renderer();
  [[nodiscard]] media::CopiedKinds copied_kinds() const;
  /// Returns the error of a recording without frames.
  [[nodiscard]] Error no_frame(bool was_interrupted) const;
  [[nodiscard]] bool is_one_of_many() const { return options_.kit != nullptr; }
  [[nodiscard]] std::string output_name() const {
    return settings_.recording.output.empty() ? "standard output" : settings_.recording.output;
  }

  [[nodiscard]] Result<std::unique_ptr<media::Source>> open_next(std::stop_token stop);

  player::Playlist playlist_;  ///< the inputs that are not open yet
  const cli::Settings settings_;
  const RecordJobOptions options_;
  const std::shared_ptr<RecordKit> kit_;
  bool wants_audio_ = false;
  bool copies_tracks_ = false;  ///< whether the format can hold all tracks, chapters and metadata
  bool is_chained_ = false;     ///< whether there are several inputs
  bool has_one_frame_ = false;  ///< ExportFormat::is_of_one_frame() of the output's format
  /// Where the segment begins; empty: the job records no segment, or one without frames.
  std::optional<media::SegmentStart> segment_;
  bool decodes_ = true;          ///< whether frames are decoded; false: only tracks other than video are read
  bool skipped_inputs_ = false;  ///< whether an input could not be opened
  session::Statistics statistics_;
  session::DeferredHostMemory memory_;
  media::DeferredHwDecode hardware_;
  std::unique_ptr<media::Source> source_;
  session::WindowLayout layout_;
  std::shared_ptr<const text::GlyphSet> glyphs_;
  std::unique_ptr<present::FrameSink> sink_;
  render::Renderer* renderer_ = nullptr;  ///< owned by kit_
  render::RenderSetup setup_;
  std::uint64_t damaged_in_picture_ = 0;  ///< damaged_packets() of the picture's input, now closed
};

}  // namespace glyphreel::commands
