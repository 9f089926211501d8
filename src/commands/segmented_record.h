#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/options/settings.h"
#include "commands/record.h"
#include "commands/segments/segment_plan.h"
#include "present/export/progress.h"

namespace glyphreel::commands {

/// Opens the input and plans the segments of the recording. `length`: the length of a segment in seconds; 0
/// means the default length. Errors: Usage if the recording cannot be cut into segments; those of opening the
/// input.
[[nodiscard]] Result<SegmentPlan> plan_recording(const cli::Settings& settings, double length);

/// A recording in segments, which are files in a folder until they are joined. If the program is killed,
/// the next run records only the missing segments. Thread-safety: several objects of one recording may record
/// different segments at the same time.
class SegmentedRecord {
 public:
  /// `folder`: the folder of the segments. It is checked by prepare(), not here.
  SegmentedRecord(cli::Settings settings, SegmentPlan plan, std::string folder)
      : settings_(std::move(settings)), plan_(std::move(plan)), folder_(std::move(folder)) {}

  /// What to do if the folder has segments of a different recording, which is a recording with other options,
  /// another input or another program version.
  enum class OfAnother { Refuse, Remove };
  /// Whether the folder belongs to a recording, either this recording or a different one.
  [[nodiscard]] bool is_begun() const;
  /// Creates the folder, or checks that the segments in it belong to this recording. Call it once, before any
  /// segment is recorded. Errors: Usage with Refuse if the segments belong to a different recording; Failed
  /// if the folder cannot be written.
  [[nodiscard]] Result<void> prepare(OfAnother of_another) const;

  [[nodiscard]] std::size_t segments() const { return plan_.segments(); }
  /// Whether the segment is complete.
  [[nodiscard]] bool is_recorded(std::size_t index) const;
  /// Returns the description of a segment for RecordJobOptions.
  [[nodiscard]] RecordedSegment segment(std::size_t index) const { return {path(index), plan_, index}; }
  /// Opens a job that records a segment; see RecordJob::open(). If the user interrupts the recording, the
  /// segment is discarded.
  [[nodiscard]] Result<std::unique_ptr<RecordJob>> open(std::size_t index,
                                                        RecordJobOptions options = {}) const;
  /// Joins the segments into the output, then removes them. Replaces the partial output (NAME.part.EXT) of a
  /// run that was killed while joining. Returns the number of frames. Errors: those of RecordJob::assemble().
  [[nodiscard]] Result<std::int64_t> assemble(present::ProgressLine::Visibility progress) const;

 private:
  [[nodiscard]] std::string path(std::size_t index) const;
  [[nodiscard]] std::string file(std::string_view name) const;
  [[nodiscard]] Result<std::string> identity() const;
  [[nodiscard]] Result<void> begin_joining() const;
  void remove_files() const;

  const cli::Settings settings_;
  const SegmentPlan plan_;
  const std::string folder_;
};

/// Runs `record --resume`: records the segments that the folder OUTPUT.segments lacks, then joins all
/// segments. Returns the exit code. Errors: those of SegmentedRecord; Usage if another process is recording
/// to the same folder.
[[nodiscard]] Result<int> run_resumable_record(const cli::Settings& settings);

}  // namespace glyphreel::commands
