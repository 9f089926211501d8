#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/playlist/playlist_file.h"

namespace glyphreel::player {

/// Result of expanding command-line arguments, files dropped on the window, or a playlist.
struct ExpandedInputs {
  std::vector<PlaylistEntry> entries;
  std::vector<Error> problems;  ///< inputs, or lines of playlists, that could not be expanded
};

/// Expands each input, in order:
///  - a directory: the videos in it and in its subdirectories, files before directories, in natural order,
///    without hidden ones; its images if it contains no videos;
///  - a glob that is not the name of a file ("*.mkv"): the files it matches; if all of them are images, and
///    there are several, a single video of numbered images, as for "shot-%04d.png";
///  - a playlist on disk: its entries, relative to its folder, with playlists nested up to eight levels deep;
///  - "file://...": that file;
///  - anything else, including missing files: itself.
/// A playlist on the network remains a single entry, until it is the current entry and
/// Playlist::expand_current() replaces it.
[[nodiscard]] ExpandedInputs expand_inputs(const std::vector<std::string>& inputs);

/// Expands a playlist with this text at the network address `url`. Entries that are not on the network become
/// problems. An HLS playlist expands to `url` itself.
[[nodiscard]] ExpandedInputs expand_network_playlist(const std::string& url, std::string_view text);

}  // namespace glyphreel::player
