#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/item.h"
#include "cli/options/settings.h"

namespace glyphreel::batch {

// The files with which the machines of a cluster run exchange work and results, as JSON. docs/cluster.md says
// where they are.

/// Settings that some of the units have, and what their outputs depend on.
struct ClusterVariant {
  std::vector<cli::Settings::GivenOption> options;
  std::string settings;  ///< canonical_settings()
  std::string font;      ///< checksum of the glyphs
  std::string encoder;   ///< checksum of what the encoder writes; empty: not checked
  bool operator==(const ClusterVariant&) const = default;
};

/// What all tasks of a run share. Written once.
struct ClusterPlan {
  std::string program;    ///< version
  std::string libraries;  ///< versions of the libraries that encode
  std::string output;     ///< output directory, an absolute path
  std::vector<ClusterVariant> variants;
  bool operator==(const ClusterPlan&) const = default;
};

/// One unit of a task: an item, or a segment of one.
struct ClusterUnit {
  std::string input;                          ///< an absolute path, or a URL
  std::string output;                         ///< path below the output directory
  std::optional<std::int64_t> size, mtime_s;  ///< of the input, if it is a regular file
  std::size_t variant = 0;                    ///< index in ClusterPlan::variants
  int segment = 0;
  bool is_whole = true;         ///< whether the unit is all of the item
  std::vector<double> borders;  ///< of the segment: see commands::SegmentPlan
  int border_index = 0;         ///< of the segment among `borders`
  double slack_seconds = 0;
  double seconds = 0;  ///< estimated time
  bool operator==(const ClusterUnit&) const = default;
};

/// How a unit ended.
struct ClusterResult {
  std::string output;
  int segment = 0;
  std::optional<Error> error;                 ///< empty: the unit is done
  std::optional<std::int64_t> size, mtime_s;  ///< those of ClusterUnit
  Figures figures;
  std::string content;  ///< checksum of the input; empty: not computed
  std::string host;
  double started_s = 0;  ///< in seconds since 1970
};

/// Returns the name of a unit's files: a checksum of its output, and the number of its segment.
[[nodiscard]] std::string unit_name(const std::string& output, int segment);

[[nodiscard]] std::string plan_text(const ClusterPlan& plan);
[[nodiscard]] std::string task_text(const std::vector<ClusterUnit>& units);
[[nodiscard]] std::string result_text(const ClusterResult& result);
// Each of these returns what the function above has written. `path`: of the file, for messages. Errors:
// Failed if the text is damaged or of another version.
[[nodiscard]] Result<ClusterPlan> parse_plan(const std::string& text, const std::string& path);
[[nodiscard]] Result<std::vector<ClusterUnit>> parse_task(const std::string& text, const std::string& path);
[[nodiscard]] Result<ClusterResult> parse_result(const std::string& text, const std::string& path);

}  // namespace glyphreel::batch
