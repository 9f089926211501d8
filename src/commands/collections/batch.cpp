#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/interrupt.h"
#include "base/io/atomic_file.h"
#include "base/io/log.h"
#include "base/io/printable.h"
#include "batch/database/job_database.h"
#include "batch/database/owner_lock.h"
#include "batch/item_listing.h"
#include "commands/cluster/cluster_report.h"
#include "commands/collections/batch_inputs.h"
#include "commands/collections/batch_plan.h"
#include "commands/collections/batch_run.h"
#include "commands/collections/cluster_task.h"
#include "commands/commands.h"
#include "session/command_files.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

std::string database_path(const cli::Settings& settings) {
  return settings.batch.database.empty()
             ? (fs::path(settings.recording.output) / ".glyphreel" / "jobs.db").string()
             : settings.batch.database;
}

/// What the job database contains about earlier runs.
struct Recorded {
  std::vector<batch::Item> items;
  std::vector<batch::SettingsRecord> settings;
};

Result<Recorded> read_records(batch::JobDatabase& database) {
  Recorded recorded;
  TRY_ASSIGN(recorded.items, database.items());
  TRY_ASSIGN(recorded.settings, database.settings());
  return recorded;
}

void print_json_line(const nlohmann::json& json) {
  std::puts(json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).c_str());
}

/// Writes the items to --joblog.
Result<void> write_job_log(const cli::Settings& settings, std::span<const batch::Item> items) {
  if (settings.batch.job_log.empty()) return {};
  const std::string text = batch::job_log(items, settings.recording.output);
  if (settings.batch.job_log == "-") {
    std::fputs(text.c_str(), stdout);
    return {};
  }
  return write_file({.path = settings.batch.job_log,
                     .existing = AtomicFile::Existing::Replace,
                     .temporary = AtomicFile::Temporary::Hidden,
                     .inputs = session::input_files(settings)},
                    text);
}

Result<int> list_items(const cli::Settings& settings) {
  std::string conditions = *settings.batch.list;
  // The value of --list is optional, so the parser takes a value in the next word as an INPUT.
  for (const std::string& input : settings.inputs) conditions += (conditions.empty() ? "" : ",") + input;
  TRY_ASSIGN(const batch::ItemFilter filter, batch::ItemFilter::parse(conditions));
  TRY_ASSIGN(batch::JobDatabase database, batch::JobDatabase::open_to_read(database_path(settings)));
  TRY_ASSIGN(std::vector<batch::Item> items, database.items());
  std::erase_if(items, [&](const batch::Item& item) { return !filter.matches(item); });
  if (!settings.batch.job_log.empty()) {
    TRY(write_job_log(settings, items));
  } else if (settings.report.json) {
    for (const batch::Item& item : items) print_json_line(batch::item_json(item));
  } else {
    std::fputs(batch::item_table(items).c_str(), stdout);
  }
  return EXIT_SUCCESS;
}

Result<int> print_plan(const cli::Settings& settings, const std::vector<BatchInput>& inputs) {
  Recorded recorded;
  std::error_code ignored;
  if (const std::string path = database_path(settings); fs::exists(path, ignored)) {
    TRY_ASSIGN(batch::JobDatabase database, batch::JobDatabase::open_to_read(path));
    TRY_ASSIGN(recorded, read_records(database));
  }
  TRY_ASSIGN(const BatchPlan plan, make_batch_plan(settings, inputs, recorded.items, recorded.settings));
  std::size_t count = 0;
  for (const PlannedItem& planned : plan.items) {
    const batch::Item& item = planned.item;
    const bool is_converted = batch::is_converted(planned.reason);
    count += is_converted ? 1 : 0;
    const std::string output = output_path(settings, item);
    if (settings.report.json) {
      print_json_line({{"message_type", "plan"},
                       {"input", item.input},
                       {"output", output},
                       {"convert", is_converted},
                       {"reason", batch::reason_text(planned.reason)}});
    } else {
      fmt::print("{} {} -> {}: {}\n", is_converted ? "convert" : "skip   ", printable(item.input),
                 printable(output), batch::reason_text(planned.reason));
    }
  }
  if (!settings.report.json) fmt::print("{} of {} items would be converted.\n", count, plan.items.size());
  return EXIT_SUCCESS;
}

Result<void> make_folder(const fs::path& folder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) return unwritable(folder.string(), failed);
  return {};
}

}  // namespace

Result<int> run_batch(const cli::Settings& settings) {
  if (!settings.cluster.task_file.empty()) return run_cluster_task(settings);
  if (settings.batch.list) return list_items(settings);
  if (settings.cluster.status) return print_cluster_status(settings);
  if (settings.cluster.cancel) return cancel_cluster_run(settings);
  TRY_ASSIGN(const BatchInputs gathered, gather_inputs(settings));
  for (const Error& problem : gathered.problems) log::error("{}", full_text(problem));
  if (gathered.inputs.empty() && gathered.problems.empty())
    return Error{
        ErrorCode::Usage, "There is nothing to convert in the inputs; give other files or directories.", {}};
  if (settings.batch.dry_run) return print_plan(settings, gathered.inputs);

  const std::string path = database_path(settings);
  TRY(make_folder(settings.recording.output));
  TRY(make_folder(fs::path(path).parent_path()));
  TRY_ASSIGN(const batch::OwnerLock lock,
             batch::OwnerLock::acquire(path + ".lock", settings.recording.output));
  TRY_ASSIGN(batch::JobDatabase database, batch::JobDatabase::open(path));
  TRY_ASSIGN(const Recorded recorded, read_records(database));
  TRY_ASSIGN(BatchPlan plan, make_batch_plan(settings, gathered.inputs, recorded.items, recorded.settings));
  let_work_finish();
  BatchRun run(settings, std::move(plan), database);
  TRY_ASSIGN(const int code, run.run());
  if (!settings.batch.job_log.empty()) {
    TRY_ASSIGN(const std::vector<batch::Item> items, database.items());
    TRY(write_job_log(settings, items));
  }
  database.end_log();
  return code == EXIT_SUCCESS && !gathered.problems.empty() ? EXIT_FAILURE : code;
}

}  // namespace glyphreel::commands
