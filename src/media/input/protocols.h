#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "media/stream/input_facts.h"

namespace glyphreel::media {

/// Returns a URL's scheme in lower case ("http"); empty if the URL has none, as in "clip.mp4" or "./a:b".
[[nodiscard]] std::string scheme_of(std::string_view url);

/// Whether the URL's scheme reads from the network: http, rtmp, rtsp, srt, udp ...
[[nodiscard]] bool is_network_url(std::string_view url);
/// Whether the URL's scheme is http or https.
[[nodiscard]] bool is_web_url(std::string_view url);

/// The kind of input that a URL names, and the rest of the URL after the prefix for that kind.
struct InputAddress {
  InputKind kind = InputKind::File;
  std::string rest;  ///< "1" of "camera:1", the graph of "lavfi:", the pattern of "mf://"; else the whole URL
};
/// Recognizes the prefixes "camera:", "screen:", "lavfi:" and "mf://", and mpv's "av://lavfi:" and
/// "av://v4l2:". Also recognizes "-" (standard input), paths that start with "/dev/video", and network
/// schemes. All other URLs are files, or use a protocol that only FFmpeg knows.
[[nodiscard]] InputAddress read_address(const std::string& url);

/// Returns the protocols that FFmpeg may use for `url`, separated by commas. All files that the input
/// references (a playlist's segments, a concat script's files, a redirection) are limited to these protocols.
/// A network input never reads local files. A local file never accesses the network, except an .sdp file.
[[nodiscard]] std::string allowed_protocols(std::string_view url);

/// Returns FFmpeg's options for reading a network input; empty for all other inputs. All protocols time out
/// after ReadTimeoutSeconds. HTTP reconnects, and RTSP prefers TCP to UDP. For all protocols except HTTP,
/// FFmpeg analyzes a shorter part of the stream before playback than by default.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> protocol_options(std::string_view url);

/// Whether the URL makes FFmpeg wait indefinitely for a sender to connect.
[[nodiscard]] bool waits_for_sender(std::string_view url);

/// Returns the URL without its password, for messages.
[[nodiscard]] std::string shown_url(const std::string& url);

/// Time without data after which the connection to a network input counts as lost.
inline constexpr int ReadTimeoutSeconds = 10;
/// Time within which a network input must describe its streams.
inline constexpr int OpenTimeoutSeconds = 30;

}  // namespace glyphreel::media
