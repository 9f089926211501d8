#include "batch/manifest.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>
#include <nlohmann/json.hpp>

namespace glyphreel::batch {
namespace {

namespace fs = std::filesystem;
using std::string_view;

Error error_at(const std::string& path, std::size_t line, string_view message) {
  return {ErrorCode::Usage, fmt::format("{}, line {}: {}", path, line, message), {}};
}

/// A key of an item, and the key's value as written on the command line, such as "yes" for true.
struct Pair {
  std::string key, value;
  bool is_text = false;  ///< whether the value is a string in the manifest
};

/// Adds a pair to an item. Returns an error message if the pair is invalid; otherwise an empty string.
std::string add_pair(InputEntry& item, Pair pair, const fs::path& folder) {
  if (pair.key != "input" && pair.key != "output") {
    item.options.push_back({std::move(pair.key), std::move(pair.value)});
    return {};
  }
  if (!pair.is_text || pair.value.empty()) return fmt::format("{} must be a path in quotes.", pair.key);
  if (pair.key == "input") {
    const bool is_url = pair.value.find(':') != std::string::npos;
    item.input = is_url || folder.empty() ? pair.value : (folder / pair.value).string();
    return {};
  }
  const fs::path output = fs::path(pair.value).lexically_normal();
  if (output.is_absolute() || (!output.empty() && *output.begin() == ".."))
    return fmt::format("output must be a path below the output directory, not '{}'.", pair.value);
  item.output = output.generic_string();
  return {};
}

std::string json_value(const nlohmann::json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (!value.is_array()) return value.dump();
  std::string joined;
  for (const nlohmann::json& element : value) joined += (joined.empty() ? "" : ",") + json_value(element);
  return joined;
}

Result<std::vector<InputEntry>> parse_json_lines(string_view text, const std::string& path,
                                                 const fs::path& folder) {
  std::vector<InputEntry> items;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const string_view content = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), content.size() + 1));
    if (content.find_first_not_of(" \t\r") == string_view::npos) continue;
    const nlohmann::json object = nlohmann::json::parse(content, nullptr, false);
    if (!object.is_object()) return error_at(path, line, "This is not a JSON object.");
    InputEntry item;
    for (const auto& [key, value] : object.items()) {
      if (value.is_object() || value.is_null())
        return error_at(path, line,
                        fmt::format("{} must be a string, a number, a list, true or false.", key));
      const std::string problem = add_pair(item, {key, json_value(value), value.is_string()}, folder);
      if (!problem.empty()) return error_at(path, line, problem);
    }
    if (item.input.empty()) return error_at(path, line, "An item needs an input.");
    items.push_back(std::move(item));
  }
  return items;
}

std::string toml_value(const toml::node& value) {
  if (const auto* text = value.as_string()) return text->get();
  if (const auto* truth = value.as_boolean()) return truth->get() ? "yes" : "no";
  if (const auto* number = value.as_integer()) return fmt::format("{}", number->get());
  if (const auto* number = value.as_floating_point()) return fmt::format("{}", number->get());
  std::string joined;
  if (const auto* list = value.as_array()) {
    for (const toml::node& element : *list) joined += (joined.empty() ? "" : ",") + toml_value(element);
  }
  return joined;
}

Result<InputEntry> toml_item(const toml::table& table, const std::string& path, const fs::path& folder) {
  InputEntry item;
  for (auto&& [key, value] : table) {
    const std::size_t line = key.source().begin.line;
    if (value.is_table() || value.is_date() || value.is_time() || value.is_date_time())
      return error_at(path, line,
                      fmt::format("{} must be a string, a number, a list, true or false.", key.str()));
    const std::string problem =
        add_pair(item, {std::string(key.str()), toml_value(value), value.is_string()}, folder);
    if (!problem.empty()) return error_at(path, line, problem);
  }
  if (item.input.empty()) return error_at(path, table.source().begin.line, "An item needs an input.");
  return item;
}

Result<std::vector<InputEntry>> parse_toml(string_view text, const std::string& path,
                                           const fs::path& folder) {
  std::vector<InputEntry> items;
  try {
    const toml::table table = toml::parse(text, path);
    for (auto&& [key, value] : table) {
      const toml::array* list = value.as_array();
      if (key.str() != "item" || list == nullptr || !list->is_array_of_tables())
        return error_at(path, key.source().begin.line, "Write each item as a table [[item]] with an input.");
      for (const toml::node& each : *list) {
        TRY_ASSIGN(InputEntry item, toml_item(*each.as_table(), path, folder));
        items.push_back(std::move(item));
      }
    }
  } catch (const toml::parse_error& error) {
    return error_at(path, error.source().begin.line,
                    fmt::format("This is not valid TOML: {}.", error.description()));
  }
  return items;
}

std::string ending_of(string_view path) {
  std::string ending = fs::path(path).extension().string();
  std::ranges::transform(ending, ending.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return ending;
}

}  // namespace

std::vector<InputEntry> parse_name_list(string_view text, NameEnd end) {
  std::vector<InputEntry> items;
  const char separator = end == NameEnd::Nul ? '\0' : '\n';
  while (!text.empty()) {
    string_view name = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(text.size(), name.size() + 1));
    if (end == NameEnd::Line && name.ends_with('\r')) name.remove_suffix(1);
    if (!name.empty()) items.push_back({.input = std::string(name)});
  }
  return items;
}

bool is_manifest_name(string_view path) {
  const std::string ending = ending_of(path);
  return ending == ".toml" || ending == ".jsonl" || ending == ".ndjson";
}

Result<std::vector<InputEntry>> parse_manifest(string_view text, const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return ending_of(path) == ".toml" ? parse_toml(text, path, folder) : parse_json_lines(text, path, folder);
}

}  // namespace glyphreel::batch
