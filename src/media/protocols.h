#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "media/input_facts.h"

namespace glyphreel::media {

/// A URL's scheme in lower case ("http"), empty where there is none: "clip.mp4", "./a:b", "C" of no path.
[[nodiscard]] std::string scheme_of(std::string_view url);

/// True for the schemes whose bytes come from another machine: http, rtmp, rtsp, srt, udp ...
[[nodiscard]] bool is_network_scheme(std::string_view scheme);
[[nodiscard]] bool is_network_url(std::string_view url);
/// http or https.
[[nodiscard]] bool is_web_url(std::string_view url);

/// The kind of input that a URL names, and what follows the word that names it.
struct InputAddress {
  InputKind kind = InputKind::File;
  std::string rest;  ///< "1" of "camera:1", the graph of "lavfi:", the pattern of "mf://"; else the whole URL
};
/// Reads "camera:", "screen:", "lavfi:", "mf://", mpv's "av://lavfi:" and "av://v4l2:", "-" and network
/// schemes. All else is a file, or a protocol that FFmpeg may know.
[[nodiscard]] InputAddress read_address(const std::string& url);

/// The protocols that FFmpeg may use on behalf of `url`, separated by commas. What an input names inside (a
/// playlist's segments, a script's parts, a redirection) can only be reached by these: something from the
/// network never reads local files, and a local file never calls the network.
[[nodiscard]] std::string allowed_protocols(std::string_view url);

/// FFmpeg's options for reading a network input: timeouts of ReadTimeoutSeconds, reconnection by HTTP, RTSP
/// over TCP first. Empty for all else.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> protocol_options(std::string_view url);

/// True where the URL asks FFmpeg to wait for a sender to connect, for however long that takes.
[[nodiscard]] bool waits_for_sender(std::string_view url);

/// The URL as messages show it: without a password.
[[nodiscard]] std::string shown_url(const std::string& url);

inline constexpr int ReadTimeoutSeconds = 10;  ///< silence after which a network input counts as broken
inline constexpr int OpenTimeoutSeconds = 30;  ///< for a network input to tell its streams

}  // namespace glyphreel::media
