#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "batch/decision.h"
#include "batch/item.h"
#include "batch/database/job_database.h"
#include "cli/options/settings.h"
#include "commands/collections/batch_inputs.h"
#include "commands/segmented_record.h"

namespace glyphreel::commands {

/// Settings that some of the items have.
struct BatchVariant {
  cli::Settings settings;
  batch::SettingsRecord record;
};

struct PlannedItem {
  batch::Item item;
  std::size_t variant = 0;  ///< index in BatchPlan::variants
  batch::Reason reason = batch::Reason::New;
  std::optional<SegmentPlan> segments;  ///< empty: the item is recorded in one piece
  bool is_touched = false;  ///< whether the database has an old FileStamp of an input that has not changed
};

/// What a run does. Nothing in it changes while the run lasts, except for the states of the items.
struct BatchPlan {
  std::vector<BatchVariant> variants;
  std::vector<PlannedItem> items;
};

/// Plans a run: the settings, output and fate of every input. Leaves out what earlier runs have written into
/// an input directory. `recorded`: the items of earlier runs. Reads an input only if its FileStamp differs
/// from the recorded one. Errors: Usage if two inputs would become the same output, if an output is an input,
/// or if the settings are invalid.
[[nodiscard]] Result<BatchPlan> make_batch_plan(const cli::Settings& settings,
                                                const std::vector<BatchInput>& inputs,
                                                const std::vector<batch::Item>& recorded,
                                                const std::vector<batch::SettingsRecord>& recorded_settings);

/// Returns the size of an output in bytes, of a sequence of numbered files their sum; empty if it does not
/// exist.
[[nodiscard]] std::optional<std::int64_t> output_bytes(const std::string& path);

/// Plans the segments of an item that is converted, if it is a video that takes long. Opens the input.
void plan_item_segments(const cli::Settings& settings, PlannedItem& planned);

/// Returns the settings with which an item is recorded. `settings`: of its variant.
[[nodiscard]] cli::Settings item_settings(const cli::Settings& settings, const batch::Item& item);
/// Returns the item's recording in segments, which are in the folder of the job database.
[[nodiscard]] SegmentedRecord segmented_item(const cli::Settings& settings, const batch::Item& item,
                                             const SegmentPlan& segments);

/// Returns the path of an item's output.
[[nodiscard]] std::string output_path(const cli::Settings& settings, const batch::Item& item);

}  // namespace glyphreel::commands
