#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/io/file_descriptor.h"
#include "base/result.h"
#include "cli/options/settings.h"
#include "commands/segments/segment_plan.h"
#include "present/export/recorder.h"

namespace glyphreel::commands {

/// Why a recording cannot be cut into segments, as the end of a sentence; empty if it can be.
[[nodiscard]] Result<std::string> segment_obstacle(const cli::Settings& settings);

/// Plans the segments of a recording. `length`: seconds of a segment; 0: chosen here. Opens the input for its
/// duration. Errors: those of opening it.
[[nodiscard]] Result<SegmentPlan> plan_recording(const cli::Settings& settings, double length);

/// A recording in segments, which are files in a folder until they are joined. If the program is killed,
/// another run records only the segments that are missing. Thread-safety: one thread at a time.
class SegmentedRecord {
 public:
  /// Creates the folder OUTPUT.segments, or continues with its segments. Errors: Usage if it belongs to a
  /// recording with other options or of another input, or if another program is using it; Failed if it cannot
  /// be written; those of plan_recording().
  [[nodiscard]] static Result<SegmentedRecord> open(const cli::Settings& settings);

  [[nodiscard]] std::size_t segments() const { return plan_.segments(); }
  [[nodiscard]] std::string path(std::size_t index) const;
  /// Whether the segment is complete.
  [[nodiscard]] bool is_recorded(std::size_t index) const;
  /// Records one segment. Errors: those of RecordJob.
  [[nodiscard]] Result<present::RecordOutcome> record(std::size_t index) const;
  /// Joins the segments and removes the folder. Returns the number of frames. Errors: those of
  /// RecordJob::assemble().
  [[nodiscard]] Result<std::int64_t> assemble();

 private:
  SegmentedRecord(const cli::Settings& settings, std::string folder)
      : settings_(settings), folder_(std::move(folder)) {}
  [[nodiscard]] Result<void> lock();
  [[nodiscard]] Result<void> check_identity() const;

  cli::Settings settings_;
  std::string folder_;
  FileDescriptor lock_;
  SegmentPlan plan_;
};

}  // namespace glyphreel::commands
