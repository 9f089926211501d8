#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "player/playlist/playlist_file.h"

namespace glyphreel::player {

/// What command-line arguments, or a drop onto the window, expand to.
struct ExpandedInputs {
  std::vector<PlaylistEntry> entries;
  std::vector<Error> problems;  ///< to report: inputs, or lines of playlists, that lead to nothing
};

/// Expands each input, in order:
///  - a directory: the videos in it and in the directories below, files before directories, in natural order,
///    without hidden ones; if there is no video, its images;
///  - a glob that is not the name of a file ("*.mkv"): the files it matches; if those are all images, and
///    more than one, a single video of numbered images, as for "shot-%04d.png";
///  - a playlist on disk: its entries, relative to its folder; nested playlists too, eight deep;
///  - "file://...": that file;
///  - anything else, including missing files: itself.
/// Playlists on the network remain single entries: Playlist::expand_current() reads them once they are
/// current.
[[nodiscard]] ExpandedInputs expand_inputs(const std::vector<std::string>& inputs);

/// Returns the entries of a playlist with this text at the network address `url`: only those on the
/// network. HLS: the URL itself.
[[nodiscard]] ExpandedInputs expand_network_playlist(const std::string& url, std::string_view text);

}  // namespace glyphreel::player
