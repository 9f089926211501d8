#include "cli/config.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/io/read_file.h"
#include "base/nearest_word.h"
#include "cli/options/exclusions.h"
#include "cli/options/spellings.h"

namespace glyphreel::cli {
namespace {

/// Options that a configuration file cannot set, because they concern a single run.
constexpr auto OfTheCommandLine = std::to_array<std::string_view>(
    {"config", "profile", "no-config", "output",  "output-dir", "format",  "to",     "name",   "files-from",
     "files0", "dry-run", "list",      "db",      "joblog",     "detach",  "status", "cancel", "task",
     "embed",  "recent",  "matrix",    "against", "peers",      "version", "help"});

Error error_at(const std::string& file, toml::source_position place, std::string message) {
  return {ErrorCode::Usage, fmt::format("{}, line {}: {}", file, place.line, std::move(message))};
}

/// Returns a value in command line syntax; empty if there is no equivalent.
std::optional<std::string> text_of(const toml::node& node, const OptionSpec& option) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) {
    // A hexadecimal integer, such as 0x33FF66, is a color.
    const bool is_hexadecimal =
        (number->flags() & toml::value_flags::format_as_hexadecimal) != toml::value_flags::none;
    return is_hexadecimal ? fmt::format("{:06X}", number->get()) : fmt::format("{}", number->get());
  }
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* truth = node.as_boolean()) {
    const std::string_view word = truth->get() ? "yes" : "no";
    if (option.has_choice(word) || (option.takes_no() && !option.is_flag())) return std::string(word);
    return truth->get() ? "true" : "false";
  }
  if (const auto* time = node.as_time()) {  // for example, `start = 00:01:30`
    const toml::time& clock = time->get();
    return fmt::format("{:02}:{:02}:{:02}.{:03}", clock.hour, clock.minute, clock.second,
                       clock.nanosecond / 1'000'000);
  }
  const toml::array* list = node.as_array();
  if (list == nullptr) return std::nullopt;
  std::string joined;
  for (const toml::node& element : *list) {
    const std::optional<std::string> text = element.is_array() ? std::nullopt : text_of(element, option);
    if (!text) return std::nullopt;
    joined += (joined.empty() ? "" : ",") + *text;
  }
  return joined;
}

Error unknown_name(const std::string& file, const toml::key& key) {
  std::vector<std::string_view> names;
  for (const OptionSpec& option : option_table()) names.push_back(option.name);
  const std::string_view meant = nearest_word(key.str(), names);
  const std::string hint =
      meant.empty() ? "'glyphreel --help' lists the options." : fmt::format("did you mean '{}'?", meant);
  return error_at(file, key.source().begin, fmt::format("Unknown option '{}'; {}", key.str(), hint));
}

Result<OptionValue> read_value(const std::string& file, const toml::key& key, const toml::node& node) {
  const NamedOption named = option_named(key.str());
  const OptionSpec* option = named.value ? nullptr : named.option;
  if (option == nullptr) return unknown_name(file, key);
  const toml::source_position place = key.source().begin;
  if (std::ranges::find(OfTheCommandLine, option->name) != OfTheCommandLine.end()) {
    return error_at(
        file, place,
        fmt::format("'{}' works only on the command line; use --{}.", option->name, option->name));
  }
  OptionValue value{.option = option};
  std::optional<std::string> text = text_of(node, *option);
  if (option->is_flag()) {
    if (!node.is_boolean()) {
      return error_at(file, place,
                      fmt::format("{} takes true or false{}, not {}.", option->name,
                                  node.is_string() ? " without quotes" : "",
                                  text ? fmt::format("'{}'", *text) : "a table"));
    }
    value.on = node.as_boolean()->get();
    return value;
  }
  if (text) text = fmt::format("{}{}", named.value_prefix, own_value(*option, *text));
  Settings scratch;
  if (!text || !option->apply(scratch, *text)) {
    return error_at(file, place,
                    fmt::format("{} takes {}, not {}.", option->name, accepted_values(*option),
                                text ? fmt::format("'{}'", *text) : "a table"));
  }
  value.value = *text;
  return value;
}

using Entry = std::pair<const toml::key*, const toml::node*>;

/// Returns the entries in the order in which they appear in the file, so that the first mistake is reported.
std::vector<Entry> entries_of(const toml::table& table) {
  std::vector<Entry> entries;
  for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
  std::ranges::sort(entries, {}, [](const Entry& entry) { return entry.first->source().begin.line; });
  return entries;
}

Result<void> read_profile(const toml::key& key, const toml::table& table, Config& config) {
  Config::Profile profile{.name = std::string(key.str())};
  for (const auto& [name, node] : entries_of(table)) {
    TRY_ASSIGN(OptionValue value, read_value(config.name, *name, *node));
    profile.values.push_back(std::move(value));
  }
  config.profiles.push_back(std::move(profile));
  return {};
}

Result<void> read_table(const toml::table& table, Config& config) {
  for (const auto& [key, node] : entries_of(table)) {
    const toml::table* inner = node->as_table();
    if (inner == nullptr) {
      TRY_ASSIGN(OptionValue value, read_value(config.name, *key, *node));
      config.values.push_back(std::move(value));
    } else if (key->str() != "profiles") {
      TRY(read_profile(*key, *inner, config));
    } else {
      for (const auto& [name, profile] : entries_of(*inner)) {
        if (!profile->is_table()) {
          return error_at(config.name, name->source().begin,
                          fmt::format("A profile must be a table of options: [profiles.{}].", name->str()));
        }
        TRY(read_profile(*name, *profile->as_table(), config));
      }
    }
  }
  return {};
}

}  // namespace

Result<Config> parse_config(std::string_view text, const std::string& name) {
  Config config{.name = name};
  try {
    const toml::table table = toml::parse(text, name);
    TRY(read_table(table, config));
  } catch (const toml::parse_error& error) {
    return error_at(name, error.source().begin,
                    fmt::format("This is not valid TOML: {}.", error.description()));
  }
  return config;
}

Result<Config> read_config(const std::string& path) {
  const auto explain = [&](FileProblem problem) {
    return problem == FileProblem::TooLarge
               ? fmt::format("{} is larger than 1 MiB, so it is not a configuration file; check its path.",
                             path)
               : fmt::format("The configuration file {} cannot be read: check its path and permissions.",
                             path);
  };
  TRY_ASSIGN(const std::string text,
             read_file(path, {.max_bytes = 1U << 20, .code = ErrorCode::Usage, .explain = explain}));
  return parse_config(text, path);
}

Result<std::vector<OptionValue>> with_profiles(const Config& config, std::string_view names) {
  std::vector<OptionValue> values;
  merge_over(values, config.values);
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    std::vector<std::string_view> known;
    bool found = false;
    for (const Config::Profile& profile : config.profiles) {
      known.push_back(profile.name);
      if (profile.name != name) continue;
      merge_over(values, profile.values);
      found = true;
    }
    if (found) continue;
    if (config.name.empty()) {
      return Error{
          ErrorCode::Usage,
          fmt::format("There is no profile '{}' because no configuration file was read; use --config.",
                      name)};
    }
    return Error{ErrorCode::Usage,
                 known.empty()
                     ? fmt::format("{} has no profiles; add a table [profiles.{}].", config.name, name)
                     : fmt::format("{} has no profile '{}'; choose one of {}.", config.name, name,
                                   fmt::join(known, ", "))};
  }
  return values;
}

void merge_over(std::vector<OptionValue>& lower, const std::vector<OptionValue>& upper) {
  std::erase_if(lower, [&](const OptionValue& below) {
    return std::ranges::any_of(upper, [&](const OptionValue& above) {
      return below.option == above.option || (above.on && excludes(above, below));
    });
  });
  std::ranges::copy_if(upper, std::back_inserter(lower), &OptionValue::on);
}

}  // namespace glyphreel::cli
