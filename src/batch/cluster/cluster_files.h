#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/item.h"
#include "cli/options/settings.h"

namespace glyphreel::batch {

// The JSON files through which the machines of a cluster run exchange work and results. docs/cluster.md says
// where these files are.

/// Settings that one or more units use, and checksums of everything else that affects the outputs of these
/// units.
struct ClusterVariant {
  std::vector<cli::GivenOption> options;
  std::string settings;  ///< canonical_settings()
  std::string font;      ///< checksum of the glyphs
  std::string encoder;   ///< checksum of a test output of the encoder; empty: not checked
  bool operator==(const ClusterVariant&) const = default;
};

/// The data that all tasks of a run share. Written once.
struct ClusterPlan {
  std::string program;    ///< version of glyphreel
  std::string libraries;  ///< versions of the libraries that encode video
  std::string output;     ///< output directory, an absolute path
  std::vector<ClusterVariant> variants;
  bool operator==(const ClusterPlan&) const = default;
};

/// One unit of a task: an item, or one segment of an item.
struct ClusterUnit {
  std::string input;   ///< an absolute path, or a URL
  std::string output;  ///< path below the output directory
  /// Size of the input in bytes, and its modification time in seconds since 1970. Both are empty unless the
  /// input is a regular file.
  std::optional<std::int64_t> size, mtime_s;
  std::size_t variant = 0;      ///< index into ClusterPlan::variants
  int segment = 0;              ///< number of the segment in the item, from 0
  bool is_whole = true;         ///< whether the unit is the whole item, not a segment
  std::vector<double> borders;  ///< where the segment begins and ends; see SegmentPlan::borders
  /// Index of the segment in a SegmentPlan that has only these borders: 0 for the item's first segment,
  /// otherwise 1.
  int border_index = 0;
  double slack_seconds = 0;  ///< SegmentPlan::slack_seconds
  double seconds = 0;        ///< estimated conversion time
  bool operator==(const ClusterUnit&) const = default;
};

/// The result of a unit's conversion.
struct ClusterResult {
  std::string output;
  int segment = 0;
  std::optional<Error> error;                 ///< empty: the unit is done
  std::optional<std::int64_t> size, mtime_s;  ///< copied from the ClusterUnit
  Figures figures;
  std::string content;   ///< checksum of the input; empty: not computed
  std::string host;      ///< machine that converted the unit
  double started_s = 0;  ///< when the conversion began, in seconds since 1970
};

/// Returns the base name of a unit's files: a checksum of the output's path, and the segment's number.
[[nodiscard]] std::string unit_name(const std::string& output, int segment);
/// Returns the unit's name in messages, such as "out/film.mkv, segment 2", where segments count from 1.
[[nodiscard]] std::string described(const ClusterUnit& unit);

[[nodiscard]] std::string plan_text(const ClusterPlan& plan);
[[nodiscard]] std::string task_text(const std::vector<ClusterUnit>& units);
[[nodiscard]] std::string result_text(const ClusterResult& result);
// These functions parse the texts that the three functions above return. `path`: the file's path, for
// messages. Errors: Failed if the text is damaged or has a different format number.
[[nodiscard]] Result<ClusterPlan> parse_plan(const std::string& text, const std::string& path);
[[nodiscard]] Result<std::vector<ClusterUnit>> parse_task(const std::string& text, const std::string& path);
[[nodiscard]] Result<ClusterResult> parse_result(const std::string& text, const std::string& path);

}  // namespace glyphreel::batch
