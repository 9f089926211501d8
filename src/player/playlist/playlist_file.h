#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace glyphreel::player {

/// One thing to play.
struct PlaylistEntry {
  std::string url;    ///< as media::Source opens it; in a playlist file, as it is written there
  std::string title;  ///< from a playlist; may be empty
  bool operator==(const PlaylistEntry&) const = default;

  /// Returns the title if there is one, else the file name without its folder, or the URL.
  [[nodiscard]] std::string name() const;
};

/// Reads a playlist; its format follows from its name. m3u and m3u8: one location per line,
/// "#EXTINF:seconds,title" before it, other lines with '#' ignored; a byte order mark and CRLF are fine. pls:
/// "File1=", "Title1=", in the order of their numbers. Empty optional: HLS, a stream for FFmpeg rather than a
/// list ("#EXT-X-...").
[[nodiscard]] std::optional<std::vector<PlaylistEntry>> read_playlist(std::string_view name,
                                                                      std::string_view text);

/// Returns the text with ASCII letters in lower case.
[[nodiscard]] std::string lower(std::string_view text);

/// Whether the name, or the path of a URL, ends in .m3u, .m3u8 or .pls.
[[nodiscard]] bool is_playlist_name(std::string_view name);

/// Resolves a location in a playlist on the web, which may be relative to `base`, to an absolute web URL.
/// Empty if it is anything else: such a playlist may not name files, devices or other protocols; only the
/// user may.
[[nodiscard]] std::optional<std::string> resolve_on_network(std::string_view base, std::string_view location);

/// Returns the path of "file:///a%20b" or "file://localhost/a%20b"; empty if the URL is not of that form.
[[nodiscard]] std::optional<std::string> path_of_file_url(std::string_view url);

}  // namespace glyphreel::player
