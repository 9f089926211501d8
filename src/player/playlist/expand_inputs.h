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
  std::vector<Error> problems;  ///< one for each input or playlist entry that could not be expanded
  bool is_collection = false;   ///< whether expand_collection() made this result
};

/// Expands each input, in order:
///  - a directory: the videos in it and in its subdirectories, or the images if there are no videos. Files
///    are sorted by natural_less(), files before subdirectories. Hidden files and directories are skipped.
///  - a glob such as "*.mkv", unless a file has that name: the files that match. If two or more files match
///    and all of them are images, they become a single video.
///  - a numbered name such as "shot-%04d.png": a single video made of the numbered images
///  - a playlist on disk: its entries. Relative paths start at the playlist's folder. Playlists may be nested
///    up to eight levels deep.
///  - "file://...": that file
///  - anything else, including a missing file: the input itself, unchanged
/// A playlist on the network stays a single entry. Once it is the current entry, Playlist::expand_current()
/// replaces it with its entries. Returns at most 100,000 entries.
[[nodiscard]] ExpandedInputs expand_inputs(const std::vector<std::string>& inputs);

/// Expands the inputs to files that are converted one by one. Differs from expand_inputs() as follows: a
/// directory expands to its videos and its images, a glob always expands to separate files, and the limit of
/// 100,000 entries does not apply.
[[nodiscard]] ExpandedInputs expand_collection(const std::vector<std::string>& inputs);

/// Whether the file's extension is that of an image format.
[[nodiscard]] bool has_picture_name(const std::string& path);

/// Expands a playlist on the network. `url`: its address; `text`: its content. Entries that do not resolve to
/// an http or https address become problems. An HLS playlist expands to `url` itself.
[[nodiscard]] ExpandedInputs expand_network_playlist(const std::string& url, std::string_view text);

}  // namespace glyphreel::player
