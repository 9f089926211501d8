#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "player/control/property_value.h"

namespace glyphreel::player {

// mpv's JSON protocol: one JSON object per line (https://mpv.io/manual/stable/#json-ipc).

/// The names of mpv's errors.
namespace ipc_error {
inline constexpr std::string_view None = "success";
inline constexpr std::string_view InvalidRequest = "invalid parameter";
inline constexpr std::string_view NoProperty = "property not found";
inline constexpr std::string_view Unavailable = "property unavailable";
inline constexpr std::string_view BadValue = "error accessing property";
inline constexpr std::string_view CommandFailed = "error running command";
}  // namespace ipc_error

/// A request: JSON such as {"command": ["set_property", "pause", true], "request_id": 5}, or a line of text
/// with commands as in input.conf.
struct IpcRequest {
  std::int64_t id = 0;               ///< repeated in the reply
  std::vector<PropertyValue> words;  ///< of a JSON command; empty for text and invalid requests
  std::string text;                  ///< the line if it is not JSON
  std::string problem;               ///< what is wrong with the request; empty: nothing
};
[[nodiscard]] IpcRequest parse_request(std::string_view line);

/// A property's value. In JSON, a number of kind Integer has no fraction, and a missing value
/// (std::monostate) is null.
struct IpcData {
  PropertyKind kind = PropertyKind::Text;
  PropertyValue value;
};
struct IpcReply {
  std::string_view error = ipc_error::None;
  std::optional<IpcData> data = std::nullopt;
  std::string message = {};  ///< a sentence that explains the error; not in mpv's protocol
};
[[nodiscard]] std::string reply_text(std::int64_t id, const IpcReply& reply);

/// `fields`: names and values of the event's additional fields.
[[nodiscard]] std::string event_text(std::string_view event,
                                     const std::vector<std::pair<std::string_view, std::string>>& fields);
[[nodiscard]] std::string property_change_text(std::int64_t id, std::string_view property,
                                               const IpcData& data);

}  // namespace glyphreel::player
