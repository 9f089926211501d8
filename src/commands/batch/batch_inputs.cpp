#include "commands/batch/batch_inputs.h"

#include <filesystem>
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
  const std::string path = settings.files_from == "-" ? "/dev/stdin" : settings.files_from;
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format("The list {} is larger than 1 GiB; split it.", settings.files_from)
               : fmt::format("The list {} cannot be read; check its path and permissions.",
                             settings.files_from);
  };
  TRY_ASSIGN(const std::string text,
             read_file(path, {.max_bytes = MaxListBytes, .code = ErrorCode::BadInput, .explain = explain}));
  if (batch::is_manifest_name(settings.files_from)) return batch::parse_manifest(text, settings.files_from);
  return batch::parse_name_list(text, settings.files0 ? batch::NameEnd::Nul : batch::NameEnd::Line);
}

/// Whether `path` is in `folder`, which is canonical, or below it.
bool is_below(const std::string& path, const fs::path& folder) {
  if (folder.empty()) return false;
  std::error_code problem;
  const fs::path whole = fs::weakly_canonical(path, problem);
  if (problem) return false;
  const fs::path relative = whole.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Returns what makes two entries the same item.
std::string identity(const batch::InputEntry& entry) {
  std::string text = fmt::format("{}\n{}", entry.input, entry.output);
  for (const cli::Settings::GivenOption& option : entry.options)
    text += fmt::format("\n{}={}", option.name, option.value);
  return text;
}

}  // namespace

Result<BatchInputs> gather_inputs(const cli::Settings& settings) {
  std::vector<batch::InputEntry> entries;
  for (const std::string& input : settings.inputs) entries.push_back({.input = input});
  if (!settings.files_from.empty()) {
    TRY_ASSIGN(std::vector<batch::InputEntry> listed, read_list(settings));
    std::ranges::move(listed, std::back_inserter(entries));
  }
  std::error_code ignored;
  const fs::path output =
      fs::is_directory(settings.output, ignored) ? fs::canonical(settings.output, ignored) : "";
  BatchInputs gathered;
  std::unordered_set<std::string> seen;
  for (const batch::InputEntry& entry : entries) {
    const bool is_folder = fs::is_directory(entry.input, ignored);
    player::ExpandedInputs expanded = player::expand_collection({entry.input});
    std::ranges::move(expanded.problems, std::back_inserter(gathered.problems));
    if (!entry.output.empty() && (is_folder || expanded.entries.size() > 1)) {
      return Error{ErrorCode::Usage,
                   fmt::format("{} names several inputs, which cannot all become {}; leave its output out.",
                               entry.input, entry.output),
                   {}};
    }
    for (player::PlaylistEntry& each : expanded.entries) {
      const bool is_found = each.url != entry.input;  // by expanding a directory, a glob or a playlist
      if (is_found && is_below(each.url, output)) continue;
      BatchInput input{.entry = entry, .folder = is_folder ? entry.input : ""};
      input.entry.input = std::move(each.url);
      if (seen.insert(identity(input.entry)).second) gathered.inputs.push_back(std::move(input));
    }
  }
  return gathered;
}

}  // namespace glyphreel::commands
