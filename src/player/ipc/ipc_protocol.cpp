#include "player/ipc/ipc_protocol.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace glyphreel::player {
namespace {

using nlohmann::json;

/// Converts a JSON value to a word of a command; empty if the value is not a Boolean, a finite number or a
/// string.
std::optional<PropertyValue> word_of(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
  return std::nullopt;
}

json json_of(const IpcData& data) {
  if (const auto* flag = std::get_if<bool>(&data.value)) return *flag;
  if (const auto* text = std::get_if<std::string>(&data.value)) return *text;
  const auto* number = std::get_if<double>(&data.value);
  if (number == nullptr) return nullptr;
  if (data.kind == PropertyKind::Integer) return static_cast<std::int64_t>(*number);
  return *number;
}

/// Returns the object as one line of JSON. Replaces invalid UTF-8, which file names may contain.
std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

IpcRequest parse_request(std::string_view line) {
  IpcRequest request;
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos || line[begin] != '{') {
    request.text = line;
    return request;
  }
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object()) {
    request.problem = "The request is not valid JSON; send one object per line.";
    return request;
  }
  if (const auto id = object.find("request_id"); id != object.end()) {
    if (!id->is_number_integer()) {
      request.problem = "request_id must be an integer.";
      return request;
    }
    request.id = id->get<std::int64_t>();
  }
  const auto command = object.find("command");
  if (command == object.end() || !command->is_array() || command->empty()) {
    request.problem = "command must be an array, as in {\"command\": [\"get_property\", \"pause\"]}.";
    return request;
  }
  for (const json& word : *command) {
    std::optional<PropertyValue> value = word_of(word);
    if (!value) {
      request.words.clear();
      request.problem = "The words of a command must be strings, numbers, true or false.";
      return request;
    }
    request.words.push_back(*std::move(value));
  }
  return request;
}

std::string reply_text(std::int64_t id, const IpcReply& reply) {
  json object = {{"request_id", id}, {"error", reply.error}};
  if (reply.data) object["data"] = json_of(*reply.data);
  if (!reply.message.empty()) object["message"] = reply.message;
  return line_of(object);
}

std::string event_text(std::string_view event,
                       const std::vector<std::pair<std::string_view, std::string>>& fields) {
  json object = {{"event", event}};
  for (const auto& [name, text] : fields) object[std::string(name)] = text;
  return line_of(object);
}

std::string property_change_text(std::int64_t id, std::string_view property, const IpcData& data) {
  return line_of({{"event", "property-change"}, {"id", id}, {"name", property}, {"data", json_of(data)}});
}

}  // namespace glyphreel::player
