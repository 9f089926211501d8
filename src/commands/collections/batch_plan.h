#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/database/job_database.h"
#include "batch/decision.h"
#include "batch/item.h"
#include "cli/options/settings.h"
#include "commands/collections/batch_inputs.h"
#include "commands/segmented_record.h"

namespace glyphreel::commands {

/// Settings that one or more items use.
struct BatchVariant {
  cli::Settings settings;
  batch::SettingsRecord record;
};

struct PlannedItem {
  batch::Item item;
  std::size_t variant = 0;  ///< index in BatchPlan::variants
  batch::Reason reason = batch::Reason::New;
  std::optional<SegmentPlan> segments;  ///< empty: the item is recorded in one piece
  bool is_touched = false;  ///< whether the input's FileStamp has changed, but its content has not
};

/// What a run does. Nothing in it changes while the run lasts, except for the states of the items.
struct BatchPlan {
  std::vector<BatchVariant> variants;
  std::vector<PlannedItem> items;
};

/// Plans a run: for every input, its settings, its output, and whether it is converted. Skips files that
/// earlier runs have written into an input directory. `recorded`: the items of earlier runs. Reads an input
/// only if --name has {hash}, or if its FileStamp differs from the recorded FileStamp. Errors: Usage if two
/// inputs would become the same output, if an output is an input, or if the settings are invalid.
[[nodiscard]] Result<BatchPlan> make_batch_plan(const cli::Settings& settings,
                                                const std::vector<BatchInput>& inputs,
                                                const std::vector<batch::Item>& recorded,
                                                const std::vector<batch::SettingsRecord>& recorded_settings);

/// Returns the size of an output in bytes, or the total size of numbered files; empty if the output does not
/// exist.
[[nodiscard]] std::optional<std::int64_t> output_bytes(const std::string& path);

/// Plans the segments of an item that is converted, if the input is a long video. Opens the input.
void plan_item_segments(const cli::Settings& settings, PlannedItem& planned);

/// Returns the settings with which an item is recorded. `settings`: those of the item's variant.
[[nodiscard]] cli::Settings item_settings(const cli::Settings& settings, const batch::Item& item);
/// Returns the item's recording in segments. The segments are in .glyphreel/segments of the output directory.
[[nodiscard]] SegmentedRecord segmented_item(const cli::Settings& settings, const batch::Item& item,
                                             const SegmentPlan& segments);

[[nodiscard]] std::string output_path(const cli::Settings& settings, const batch::Item& item);

}  // namespace glyphreel::commands
