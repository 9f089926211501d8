#include "player/control/bindings.h"

#include <algorithm>
#include <filesystem>
#include <span>

#include <fmt/format.h>

#include "base/io/log.h"
#include "base/io/read_file.h"
#include "base/io/user_folders.h"
#include "base/trimmed.h"
#include "player/control/command_words.h"
#include "player/control/default_keys.h"

namespace glyphreel::player {
namespace {

constexpr std::size_t MaxWarnings = 10;

/// Returns the key's name for the user, as in the manual page: "space" for "SPACE", "left" for "LEFT".
std::string shown_key(std::string_view key) {
  std::string shown(key);
  if (shown.size() > 1) {
    std::transform(shown.begin(), shown.end(), shown.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  }
  return shown;
}

}  // namespace

Bindings::Bindings() {
  for (const DefaultKeys& built_in : default_keys()) {
    for (const std::string_view key : words_of(built_in.keys)) {
      const Result<void> bound = bind(key, built_in.command);
      CHECK(bound, "the command of a built-in key is invalid");
    }
  }
}

Result<void> Bindings::bind(std::string_view key, std::string_view commands) {
  TRY_ASSIGN(const CommandLine line, split_commands(commands));
  TRY_ASSIGN(std::vector<Command> parsed, parse_commands(line.text));
  std::erase_if(bindings_, [&](const Binding& binding) { return binding.key == key; });
  bindings_.push_back({std::string(key), line.text, std::move(parsed)});
  return {};
}

std::vector<std::string> Bindings::add(std::string_view text, std::string_view name) {
  std::vector<std::string> warnings;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    // "#" is also a key. A line that starts with # binds the key if a space and valid commands follow.
    // Otherwise, the line is a comment.
    if (line.empty() ||
        (line[0] == '#' && !(line.size() > 2 && line[1] == ' ' && parse_commands(line.substr(2))))) {
      continue;
    }
    const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
    const Result<void> bound = bind(line.substr(0, space), trimmed(line.substr(space)));
    if (!bound) warnings.push_back(fmt::format("{}, line {}: {}", name, number, bound.error().message));
  }
  return warnings;
}

const std::vector<Command>* Bindings::find(std::string_view key) const {
  const auto found = std::ranges::find(bindings_, key, &Binding::key);
  return found == bindings_.end() ? nullptr : &found->commands;
}

std::vector<HelpEntry> Bindings::help() const {
  std::vector<HelpEntry> entries;
  for (const DefaultKeys& built_in : default_keys()) {
    std::string keys;
    for (const Binding& binding : bindings_) {
      const bool is_mouse = binding.key.starts_with("MBTN") || binding.key.starts_with("WHEEL");
      if (binding.text != built_in.command || is_mouse) continue;
      keys += (keys.empty() ? "" : ", ") + shown_key(binding.key);
    }
    if (!keys.empty()) entries.push_back({keys, std::string(built_in.help), std::string(built_in.group)});
  }
  for (const Binding& binding : bindings_) {
    const bool is_default =
        std::ranges::find(default_keys(), binding.text, &DefaultKeys::command) != default_keys().end();
    if (!is_default && binding.text != "ignore") {
      entries.push_back({shown_key(binding.key), binding.text, "Custom"});
    }
  }
  return entries;
}

Result<Bindings> load_bindings() {
  Bindings bindings;
  const std::filesystem::path folder = config_folder();
  if (folder.empty()) return bindings;
  const std::filesystem::path path = folder / "input.conf";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return bindings;
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format("{} is larger than 1 MiB, so it is not a list of keys; check its contents.",
                             path.string())
               : fmt::format("{} cannot be read; check its permissions.", path.string());
  };
  TRY_ASSIGN(const std::string text,
             read_file(path.string(), {.max_bytes = 1U << 20, .code = ErrorCode::Usage, .explain = explain}));
  const std::vector<std::string> warnings = bindings.add(text, path.string());
  for (const std::string& warning : std::span(warnings).first(std::min(warnings.size(), MaxWarnings)))
    log::warn("{}", warning);
  if (warnings.size() > MaxWarnings) {
    log::warn("{} has {} more invalid lines; check that the file lists key bindings.", path.string(),
              warnings.size() - MaxWarnings);
  }
  return bindings;
}

}  // namespace glyphreel::player
