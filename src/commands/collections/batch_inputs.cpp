#include "commands/collections/batch_inputs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "base/io/read_file.h"
#include "player/playlist/expand_inputs.h"

namespace glyphreel::commands {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t MaxListBytes = 1U << 30U;

Result<std::vector<batch::InputEntry>> read_list(const cli::Settings& settings) {
  const std::string path = settings.batch.files_from == "-" ? "/dev/stdin" : settings.batch.files_from;
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format("The list {} is larger than 1 GiB; split it.", settings.batch.files_from)
               : fmt::format("The list {} cannot be read; check its path and permissions.",
                             settings.batch.files_from);
  };
  TRY_ASSIGN(const std::string text,
             read_file(path, {.max_bytes = MaxListBytes, .code = ErrorCode::BadInput, .explain = explain}));
  if (batch::is_manifest_name(settings.batch.files_from))
    return batch::parse_manifest(text, settings.batch.files_from);
  return batch::parse_name_list(text, settings.batch.files0 ? batch::NameEnd::Nul : batch::NameEnd::Line);
}

/// Whether `path` is below `folder`. Both must be canonical paths.
bool is_below(const fs::path& path, const fs::path& folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && relative != "." && *relative.begin() != "..";
}

/// Returns a key that is equal for entries of the same item.
std::string identity(const batch::InputEntry& entry) {
  std::string text = fmt::format("{}\n{}", entry.input, entry.output);
  for (const cli::GivenOption& option : entry.options)
    text += fmt::format("\n{}={}", option.name, option.value);
  return text;
}

}  // namespace

Result<BatchInputs> gather_inputs(const cli::Settings& settings) {
  std::vector<batch::InputEntry> entries;
  for (const std::string& input : settings.inputs) entries.push_back({.input = input});
  if (!settings.batch.files_from.empty()) {
    TRY_ASSIGN(std::vector<batch::InputEntry> listed, read_list(settings));
    std::ranges::move(listed, std::back_inserter(entries));
  }
  std::error_code ignored;
  const fs::path output = canonical_path(settings.recording.output);
  BatchInputs gathered;
  std::unordered_set<std::string> seen;
  for (const batch::InputEntry& entry : entries) {
    const bool is_folder = fs::is_directory(entry.input, ignored);
    const bool has_output = is_folder && is_below(output, canonical_path(entry.input));
    player::ExpandedInputs expanded = player::expand_collection({entry.input});
    std::ranges::move(expanded.problems, std::back_inserter(gathered.problems));
    if (!entry.output.empty() && (is_folder || expanded.entries.size() > 1)) {
      return Error{ErrorCode::Usage,
                   fmt::format("{} names several inputs, which cannot all become {}; omit the output.",
                               entry.input, entry.output),
                   {}};
    }
    for (player::PlaylistEntry& each : expanded.entries) {
      if (has_output && is_below(canonical_path(each.url), output)) continue;
      BatchInput input{.entry = entry, .folder = is_folder ? entry.input : ""};
      input.entry.input = std::move(each.url);
      if (seen.insert(identity(input.entry)).second) gathered.inputs.push_back(std::move(input));
    }
  }
  return gathered;
}

fs::path canonical_path(const std::string& path) {
  std::error_code problem;
  return fs::weakly_canonical(path, problem);
}

}  // namespace glyphreel::commands
