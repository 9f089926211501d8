#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "batch/item.h"
#include "batch/runner.h"
#include "cli/options/settings.h"
#include "commands/record.h"
#include "commands/record_kit.h"
#include "commands/segments/segment_plan.h"

namespace glyphreel::commands {

/// A segment to convert.
struct SegmentTask {
  batch::Unit unit;
  const batch::Item* item = nullptr;
  const cli::Settings* settings = nullptr;  ///< of the batch, with the item's options
  const SegmentPlan* segments = nullptr;    ///< for assembling
  std::optional<RecordedSegment> recorded;  ///< empty: the unit is the whole item, or assembling it
  std::string output;                       ///< path
  int threads = 1;
};

/// Converts a segment. Its output is complete, and on the disk, when this returns without an error. `kit`:
/// shared by all tasks of the calling thread.
[[nodiscard]] batch::UnitResult run_segment(const SegmentTask& task, const std::shared_ptr<RecordKit>& kit);

/// Makes the output of an item from its segments.
[[nodiscard]] batch::UnitResult assemble_item(const SegmentTask& task);

}  // namespace glyphreel::commands
