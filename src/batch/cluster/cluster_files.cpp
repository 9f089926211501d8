#include "batch/cluster/cluster_files.h"

#include <functional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "batch/figures_text.h"
#include "media/input/content_hash.h"

namespace glyphreel::batch {
namespace {

using nlohmann::json;

constexpr int Format = 1;

/// Reverses bytes_json().
std::string text_of(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::string bytes;
  for (const int byte : value.get<std::vector<int>>()) bytes += static_cast<char>(byte);
  return bytes;
}

/// Returns a JSON string, or an array of byte values if the bytes, such as a file name, are not UTF-8.
json bytes_json(const std::string& bytes) {
  try {
    static_cast<void>(json(bytes).dump());
    return bytes;
  } catch (const json::type_error&) {
    json array = json::array();
    for (const char byte : bytes) array.push_back(static_cast<int>(static_cast<unsigned char>(byte)));
    return array;
  }
}

std::string finished(json object) {
  object["format"] = Format;
  return object.dump() + '\n';
}

/// Parses the text as JSON and passes the result to `read`. Errors: Failed if the text is damaged or has a
/// different format number.
template <typename T>
Result<T> parse(const std::string& text, const std::string& path, const std::function<T(const json&)>& read) {
  const Error damaged{ErrorCode::Failed,
                      fmt::format("{} is damaged, or was written by a different version of glyphreel; start "
                                  "the cluster run again.",
                                  path)};
  try {
    const json object = json::parse(text);
    if (object.at("format") != Format) return damaged;
    return read(object);
  } catch (const json::exception&) {
    return damaged;
  }
}

void add_stamp(json& object, const std::optional<std::int64_t>& size,
               const std::optional<std::int64_t>& mtime_s) {
  if (size) object["size"] = *size;
  if (mtime_s) object["mtime"] = *mtime_s;
}

std::optional<std::int64_t> optional_number(const json& object, const char* name) {
  if (!object.contains(name)) return std::nullopt;
  return object.at(name).get<std::int64_t>();
}

json unit_json(const ClusterUnit& unit) {
  json object{{"input", bytes_json(unit.input)},
              {"output", bytes_json(unit.output)},
              {"variant", unit.variant},
              {"seconds", unit.seconds}};
  add_stamp(object, unit.size, unit.mtime_s);
  if (!unit.is_whole) {
    object.update({{"segment", unit.segment},
                   {"borders", unit.borders},
                   {"border", unit.border_index},
                   {"slack", unit.slack_seconds}});
  }
  return object;
}

ClusterUnit unit_of(const json& object) {
  ClusterUnit unit{.input = text_of(object.at("input")),
                   .output = text_of(object.at("output")),
                   .size = optional_number(object, "size"),
                   .mtime_s = optional_number(object, "mtime"),
                   .variant = object.at("variant"),
                   .borders = {},
                   .seconds = object.at("seconds")};
  unit.is_whole = !object.contains("segment");
  if (!unit.is_whole) {
    unit.segment = object.at("segment");
    unit.borders = object.at("borders").get<std::vector<double>>();
    unit.border_index = object.at("border");
    unit.slack_seconds = object.at("slack");
  }
  return unit;
}

}  // namespace

std::string unit_name(const std::string& output, int segment) {
  return fmt::format("{}-{:05}", media::content_hash_of(output), segment);
}

std::string described(const ClusterUnit& unit) {
  return unit.is_whole ? unit.output : fmt::format("{}, segment {}", unit.output, unit.segment + 1);
}

std::string plan_text(const ClusterPlan& plan) {
  json variants = json::array();
  for (const ClusterVariant& variant : plan.variants) {
    json options = json::array();
    for (const cli::GivenOption& option : variant.options)
      options.push_back({option.name, bytes_json(option.value), option.on});
    variants.push_back({{"options", std::move(options)},
                        {"settings", bytes_json(variant.settings)},
                        {"font", variant.font},
                        {"encoder", variant.encoder}});
  }
  return finished({{"program", plan.program},
                   {"libraries", plan.libraries},
                   {"output", bytes_json(plan.output)},
                   {"variants", std::move(variants)}});
}

Result<ClusterPlan> parse_plan(const std::string& text, const std::string& path) {
  return parse<ClusterPlan>(text, path, [](const json& object) {
    ClusterPlan plan{.program = object.at("program"),
                     .libraries = object.at("libraries"),
                     .output = text_of(object.at("output")),
                     .variants = {}};
    for (const json& each : object.at("variants")) {
      ClusterVariant variant{.options = {},
                             .settings = text_of(each.at("settings")),
                             .font = each.at("font"),
                             .encoder = each.at("encoder")};
      for (const json& option : each.at("options"))
        variant.options.push_back({option.at(0), text_of(option.at(1)), option.at(2)});
      plan.variants.push_back(std::move(variant));
    }
    return plan;
  });
}

std::string task_text(const std::vector<ClusterUnit>& units) {
  json array = json::array();
  for (const ClusterUnit& unit : units) array.push_back(unit_json(unit));
  return finished({{"units", std::move(array)}});
}

Result<std::vector<ClusterUnit>> parse_task(const std::string& text, const std::string& path) {
  return parse<std::vector<ClusterUnit>>(text, path, [](const json& object) {
    std::vector<ClusterUnit> units;
    for (const json& each : object.at("units")) units.push_back(unit_of(each));
    return units;
  });
}

std::string result_text(const ClusterResult& result) {
  json object{{"output", bytes_json(result.output)},
              {"segment", result.segment},
              {"figures", json::parse(figures_text(result.figures))},
              {"content", result.content},
              {"host", result.host},
              {"started", result.started_s}};
  add_stamp(object, result.size, result.mtime_s);
  if (result.error) {
    object["exit"] = static_cast<int>(result.error->code);
    object["error"] = bytes_json(result.error->message);
    object["cause"] = bytes_json(result.error->cause);
  }
  return finished(std::move(object));
}

Result<ClusterResult> parse_result(const std::string& text, const std::string& path) {
  return parse<ClusterResult>(text, path, [](const json& object) {
    ClusterResult result{.output = text_of(object.at("output")),
                         .segment = object.at("segment"),
                         .error = {},
                         .size = optional_number(object, "size"),
                         .mtime_s = optional_number(object, "mtime"),
                         .figures = figures_of(object.at("figures").dump()),
                         .content = object.at("content"),
                         .host = object.at("host"),
                         .started_s = object.at("started")};
    if (object.contains("exit")) {
      result.error = Error{static_cast<ErrorCode>(object.at("exit").get<int>()), text_of(object.at("error")),
                           text_of(object.at("cause"))};
    }
    return result;
  });
}

}  // namespace glyphreel::batch
