#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "media/stream/input_facts.h"

namespace glyphreel::media {

/// Returns a URL's scheme in lower case ("http"); empty if it has none, as in "clip.mp4" or "./a:b".
[[nodiscard]] std::string scheme_of(std::string_view url);

/// True for the schemes whose bytes come from another machine: http, rtmp, rtsp, srt, udp ...
[[nodiscard]] bool is_network_url(std::string_view url);
/// http or https.
[[nodiscard]] bool is_web_url(std::string_view url);

/// The kind of input that a URL names, and what follows the prefix that names it.
struct InputAddress {
  InputKind kind = InputKind::File;
  std::string rest;  ///< "1" of "camera:1", the graph of "lavfi:", the pattern of "mf://"; else the whole URL
};
/// Parses "camera:", "screen:", "lavfi:", "mf://", mpv's "av://lavfi:" and "av://v4l2:", "-" and network
/// schemes. Anything else is a file, or a protocol that FFmpeg may know.
[[nodiscard]] InputAddress read_address(const std::string& url);

/// Returns the protocols that FFmpeg may use on behalf of `url`, separated by commas. Whatever an input
/// references (a playlist's segments, a script's parts, a redirection) is limited to these: a network input
/// never reads local files, and a local file never accesses the network.
[[nodiscard]] std::string allowed_protocols(std::string_view url);

/// Returns FFmpeg's options for reading a network input: timeouts of ReadTimeoutSeconds, reconnection for
/// HTTP, RTSP over TCP first. Empty for all other inputs.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> protocol_options(std::string_view url);

/// True if the URL makes FFmpeg wait indefinitely for a sender to connect.
[[nodiscard]] bool waits_for_sender(std::string_view url);

/// Returns the URL as shown in messages: without a password.
[[nodiscard]] std::string shown_url(const std::string& url);

inline constexpr int ReadTimeoutSeconds = 10;  ///< silence after which a network input counts as broken
inline constexpr int OpenTimeoutSeconds = 30;  ///< time in which a network input must describe its streams

}  // namespace glyphreel::media
