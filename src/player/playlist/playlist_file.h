#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::player {

/// One entry of a playlist: a file, URL or device to play.
struct PlaylistEntry {
  std::string url;    ///< URL or path for media::Source; from read_playlist(): as written in the playlist
  std::string title;  ///< from a playlist; may be empty
  bool operator==(const PlaylistEntry&) const = default;

  /// Returns the title if there is one. Otherwise, returns the name of a file without its folder, or the URL
  /// of an entry that is not a file.
  [[nodiscard]] std::string name() const;
};

/// Parses a playlist. The extension of `name` determines the format:
///  - pls: lines such as "File1=location" and "Title1=title". Entries are returned in the order of their
///    numbers.
///  - m3u and m3u8: one location per line, optionally preceded by a line "#EXTINF:seconds,title". Other lines
///    that begin with '#' are ignored.
/// Accepts a byte order mark and CRLF. Returns an empty optional for an HLS playlist, which FFmpeg opens as
/// one stream. An HLS playlist has lines that begin with "#EXT-X-".
[[nodiscard]] std::optional<std::vector<PlaylistEntry>> read_playlist(std::string_view name,
                                                                      std::string_view text);

/// Returns the text with ASCII letters in lowercase.
[[nodiscard]] std::string lower(std::string_view text);

/// Whether the name, or the path of a URL, ends in .m3u, .m3u8 or .pls.
[[nodiscard]] bool is_playlist_name(std::string_view name);

/// Resolves `location`, an address in a playlist, to an absolute web URL. `base`: the playlist's web URL. The
/// location may be relative to `base`. Returns empty for file URLs, devices and other protocols, which a
/// playlist from the web must not open.
[[nodiscard]] std::optional<std::string> resolve_on_network(std::string_view base, std::string_view location);

/// Returns the path in a URL such as "file:///a%20b" or "file://localhost/a%20b"; empty for any other URL.
[[nodiscard]] std::optional<std::string> path_of_file_url(std::string_view url);

}  // namespace glyphreel::player
