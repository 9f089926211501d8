#include "player/control/bindings.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/io/read_file.h"
#include "base/io/user_folders.h"

namespace glyphreel::player {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view Blank = " \t\r";
  const std::size_t begin = text.find_first_not_of(Blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(Blank) - begin + 1);
}

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
  for (const CommandSpec& spec : command_table()) {
    for (const DefaultKeys& built_in : spec.defaults) {
      for (const std::string_view key : words_of(built_in.keys)) {
        const Result<void> bound = bind(key, built_in.command);
        CHECK(bound, "a built-in key has no command");
      }
    }
  }
}

Result<void> Bindings::bind(std::string_view key, std::string_view command) {
  TRY_ASSIGN(const Command parsed, parse_command(command));
  std::erase_if(bindings_, [&](const Binding& binding) { return binding.key == key; });
  bindings_.push_back({std::string(key), std::string(command), parsed});
  return {};
}

Result<void> Bindings::add(std::string_view text, std::string_view name) {
  Bindings changed = *this;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    // "#" is also a key. A line that starts with # binds the key if a space and a valid command follow.
    // Otherwise, the line is a comment.
    if (line.empty() ||
        (line[0] == '#' && !(line.size() > 2 && line[1] == ' ' && parse_command(line.substr(2))))) {
      continue;
    }
    if (const std::size_t comment = line.find(" #"); comment != std::string_view::npos) {
      line = trimmed(line.substr(0, comment));
    }
    const std::size_t space = std::min(line.find_first_of(" \t"), line.size());
    Result<void> bound = changed.bind(line.substr(0, space), trimmed(line.substr(space)));
    if (!bound) {
      return Error{ErrorCode::Usage, fmt::format("{}, line {}: {}", name, number, bound.error().message), {}};
    }
  }
  *this = std::move(changed);
  return {};
}

const Command* Bindings::find(std::string_view key) const {
  const auto found = std::find_if(bindings_.begin(), bindings_.end(),
                                  [&](const Binding& binding) { return binding.key == key; });
  return found == bindings_.end() ? nullptr : &found->command;
}

std::vector<HelpEntry> Bindings::help() const {
  std::vector<HelpEntry> entries;
  for (const CommandSpec& spec : command_table()) {
    for (const DefaultKeys& built_in : spec.defaults) {
      std::string keys;
      for (const Binding& binding : bindings_) {
        const bool is_mouse = binding.key.starts_with("MBTN") || binding.key.starts_with("WHEEL");
        if (binding.text != built_in.command || is_mouse) continue;
        keys += (keys.empty() ? "" : ", ") + shown_key(binding.key);
      }
      if (!keys.empty()) entries.push_back({keys, std::string(built_in.help), std::string(spec.group)});
    }
  }
  for (const Binding& binding : bindings_) {
    const CommandSpec& spec = *binding.command.spec;
    const bool is_default =
        std::any_of(spec.defaults.begin(), spec.defaults.end(),
                    [&](const DefaultKeys& built_in) { return built_in.command == binding.text; });
    if (!is_default && !spec.group.empty()) {
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
  TRY(bindings.add(text, path.string()));
  return bindings;
}

}  // namespace glyphreel::player
