#include "commands/collections/batch_plan.h"

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/export_formats.h"
#include "batch/name_template.h"
#include "batch/settings_key.h"
#include "cli/parse.h"
#include "cli/version.h"
#include "media/input/content_hash.h"
#include "media/still/image_sequence.h"
#include "present/export/sequence_sink.h"
#include "session/setup.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

Result<BatchVariant> make_variant(const cli::Settings& base, const std::vector<cli::GivenOption>& options) {
  BatchVariant variant{.settings = base, .record = {}};
  if (!options.empty()) {
    TRY_ASSIGN(variant.settings, cli::with_options(base, options));
    TRY_ASSIGN(variant.settings, session::with_palette(std::move(variant.settings)));
  }
  if (variant.settings.batch.to_format.empty())
    return Error{ErrorCode::Usage, "'glyphreel batch' needs --to FORMAT, such as --to mp4.", {}};
  TRY_ASSIGN(variant.record.font, glyph_fingerprint(variant.settings));
  variant.record.text = batch::canonical_settings(variant.settings);
  variant.record.program = cli::version();
  return variant;
}

/// Makes the settings of inputs. Inputs with equal options share one BatchVariant.
class Variants {
 public:
  explicit Variants(const cli::Settings& base) : base_(base) {}

  /// Returns the index of the settings for these options.
  Result<std::size_t> index_of(const std::vector<cli::GivenOption>& options) {
    std::string key;
    for (const cli::GivenOption& option : options) key += fmt::format("{}={}\n", option.name, option.value);
    const auto found = by_options_.find(key);
    if (found != by_options_.end()) return found->second;
    TRY_ASSIGN(BatchVariant variant, make_variant(base_, options));
    made.push_back(std::move(variant));
    by_options_.emplace(std::move(key), made.size() - 1);
    return made.size() - 1;
  }

  std::vector<BatchVariant> made;

 private:
  const cli::Settings& base_;
  std::map<std::string, std::size_t> by_options_;
};

/// Returns the options of an input. If its entry names an output, the output's ending selects the format.
Result<std::vector<cli::GivenOption>> options_of(const BatchInput& input) {
  std::vector<cli::GivenOption> options = input.entry.options;
  const std::string ending = fs::path(input.entry.output).extension().string();
  if (ending.empty()) return options;
  TRY_ASSIGN(const ExportFormat format, export_format_of(input.entry.output));
  options.push_back({"to", std::string(format.ending)});
  return options;
}

class Planner {
 public:
  Planner(const cli::Settings& settings, batch::NameTemplate names, const std::vector<batch::Item>& recorded,
          const std::vector<batch::SettingsRecord>& recorded_settings)
      : settings_(settings),
        output_folder_(canonical_path(settings.recording.output)),
        names_(std::move(names)),
        variants_(settings) {
    for (const batch::Item& item : recorded) recorded_.emplace(item.output, &item);
    for (const batch::SettingsRecord& record : recorded_settings)
      recorded_settings_.emplace(record.id, &record);
  }

  Result<void> add(const BatchInput& input) {
    if (is_own_output(input)) return {};
    PlannedItem planned;
    batch::Item& item = planned.item;
    TRY_ASSIGN(const std::vector<cli::GivenOption> options, options_of(input));
    TRY_ASSIGN(planned.variant, variants_.index_of(options));
    item.input = input.entry.input;
    item.stamp = batch::stamp_of(item.input);
    TRY_ASSIGN(item.output, output_of(input, planned));
    const auto [other, is_new] = by_output_.emplace(item.output, plan_.items.size());
    if (!is_new) {
      return Error{
          ErrorCode::Usage,
          fmt::format("{} and {} would both become {}; add {{ext}}, {{index}} or {{hash}} to --name.",
                      plan_.items[other->second].item.input, item.input, item.output),
          {}};
    }
    if (item.stamp) inputs_.emplace(item.stamp->device, item.stamp->inode);
    plan_.items.push_back(std::move(planned));
    return {};
  }

  Result<BatchPlan> finish() {
    for (PlannedItem& planned : plan_.items) TRY(decide(planned));
    plan_.variants = std::move(variants_.made);
    return std::move(plan_);
  }

 private:
  /// Whether the input was found in a directory and is an output of an earlier run.
  [[nodiscard]] bool is_own_output(const BatchInput& input) const {
    if (input.folder.empty() || recorded_.empty()) return false;
    const fs::path path = canonical_path(input.entry.input);
    return recorded_.contains(path.lexically_relative(output_folder_).generic_string());
  }

  Result<std::string> output_of(const BatchInput& input, PlannedItem& planned) {
    const std::string& ending = variants_.made[planned.variant].settings.batch.to_format;
    if (!input.entry.output.empty()) {
      const bool has_ending = fs::path(input.entry.output).has_extension();
      return has_ending ? input.entry.output : fmt::format("{}.{}", input.entry.output, ending);
    }
    batch::NameFields fields = batch::name_fields(input.entry.input, input.folder);
    fields.index = plan_.items.size() + 1;
    if (names_.needs_hash() && planned.item.stamp) {
      constexpr std::size_t Digits = 8;
      TRY_ASSIGN(planned.item.content, media::content_hash_of_file(planned.item.input));
      fields.hash = planned.item.content.substr(0, Digits);
    }
    return fmt::format("{}.{}", names_.expand(fields), ending);
  }

  /// Whether the input differs from the input that `known` records. Reads the file only if its stamp differs.
  Result<bool> has_changed(const batch::Item& known, PlannedItem& planned) {
    batch::Item& item = planned.item;
    if (!item.stamp || known.content.empty()) return known.input != item.input || known.stamp != item.stamp;
    if (known.stamp == item.stamp) {
      item.content = known.content;
      return false;
    }
    if (item.content.empty()) {
      TRY_ASSIGN(item.content, media::content_hash_of_file(item.input));
    }
    planned.is_touched = item.content == known.content;
    return !planned.is_touched;
  }

  Result<void> decide(PlannedItem& planned) {
    batch::Item& item = planned.item;
    const std::string path = output_path(settings_, item);
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && inputs_.contains({static_cast<std::int64_t>(status.st_dev),
                                                                static_cast<std::int64_t>(status.st_ino)})) {
      return Error{
          ErrorCode::Usage,
          fmt::format("The output {} is an input of the same command; choose a different output with -o.",
                      path),
          {}};
    }
    batch::Circumstances now{.is_forced = settings_.recording.overwrite, .output_bytes = output_bytes(path)};
    const auto found = recorded_.find(item.output);
    const batch::Item* known = found == recorded_.end() ? nullptr : found->second;
    if (known != nullptr) {
      const bool is_done = known->state == batch::State::Done && !now.is_forced;
      if (is_done) {
        Result<bool> changed = has_changed(*known, planned);
        // If the input cannot be read, treat it as changed, so that its conversion reports the error.
        now.input_changed = !changed || *changed;
      }
      const auto settings = recorded_settings_.find(known->settings);
      batch::SettingsRecord record = variants_.made[planned.variant].record;
      if (settings != recorded_settings_.end()) record.id = settings->second->id;
      now.settings_changed = settings == recorded_settings_.end() || record != *settings->second;
      item.id = known->id;
      item.attempts = known->attempts;
    }
    planned.reason = batch::decide(known, now);
    if (planned.reason == batch::Reason::Done) {
      batch::Item done = *known;
      done.input = item.input;
      done.stamp = item.stamp;
      item = std::move(done);
    }
    return {};
  }

  const cli::Settings& settings_;
  const fs::path output_folder_;  ///< canonical
  const batch::NameTemplate names_;
  Variants variants_;
  std::unordered_map<std::string, const batch::Item*> recorded_;  ///< by output
  std::unordered_map<std::int64_t, const batch::SettingsRecord*> recorded_settings_;
  std::unordered_map<std::string, std::size_t> by_output_;  ///< indices in plan_.items
  std::set<std::pair<std::int64_t, std::int64_t>> inputs_;  ///< device and inode
  BatchPlan plan_;
};

std::optional<std::int64_t> file_bytes(const std::string& path) {
  struct stat status {};
  // A link counts as an existing output even if its target is missing.
  if (::stat(path.c_str(), &status) == 0) return status.st_size;
  if (::lstat(path.c_str(), &status) == 0) return 0;
  return std::nullopt;
}

}  // namespace

Result<BatchPlan> make_batch_plan(const cli::Settings& settings, const std::vector<BatchInput>& inputs,
                                  const std::vector<batch::Item>& recorded,
                                  const std::vector<batch::SettingsRecord>& recorded_settings) {
  TRY_ASSIGN(batch::NameTemplate names, batch::NameTemplate::parse(settings.batch.name_template));
  Planner planner(settings, std::move(names), recorded, recorded_settings);
  for (const BatchInput& input : inputs) TRY(planner.add(input));
  return planner.finish();
}

std::optional<std::int64_t> output_bytes(const std::string& path) {
  if (!media::find_number_field(path)) return file_bytes(path);
  std::optional<std::int64_t> sum;
  for (int number = 1;; ++number) {
    const std::optional<std::int64_t> bytes = file_bytes(present::numbered_name(path, number));
    if (!bytes) return sum;
    sum = sum.value_or(0) + *bytes;
  }
}

void plan_item_segments(const cli::Settings& settings, PlannedItem& planned) {
  // Opening an input takes milliseconds, so inputs that cannot be long videos are not opened.
  constexpr std::int64_t MinBytes = 4 << 20;
  batch::Item& item = planned.item;
  if (!item.stamp || (settings.recording.segment_seconds == 0 && item.stamp->size < MinBytes)) return;
  // An input that cannot be opened or cut is recorded in one piece. If this fails too, the recording reports
  // the error.
  Result<SegmentPlan> segments =
      plan_recording(item_settings(settings, item), settings.recording.segment_seconds);
  if (!segments || segments->segments() == 1) return;
  item.segments.resize(segments->segments());
  for (std::size_t i = 0; i < item.segments.size(); ++i) item.segments[i].number = static_cast<int>(i);
  planned.segments = *std::move(segments);
}

cli::Settings item_settings(const cli::Settings& settings, const batch::Item& item) {
  cli::Settings record = settings;
  record.verb = cli::Verb::Record;
  record.inputs = {item.input};
  record.recording.output = output_path(settings, item);
  record.recording.overwrite = true;  // the plan has checked that the output may be replaced
  record.report.stats_file.clear();
  record.report.log_file.clear();
  return record;
}

SegmentedRecord segmented_item(const cli::Settings& settings, const batch::Item& item,
                               const SegmentPlan& segments) {
  const fs::path folder = fs::path(settings.recording.output) / ".glyphreel" / "segments" / item.output;
  return {item_settings(settings, item), segments, folder.string()};
}

std::string output_path(const cli::Settings& settings, const batch::Item& item) {
  return (fs::path(settings.recording.output) / item.output).string();
}

}  // namespace glyphreel::commands
