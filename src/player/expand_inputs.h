#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace glyphreel::player {

/// One thing to play.
struct PlaylistEntry {
  std::string url;    ///< as media::Source opens it; "demo:" is for the caller to find
  std::string title;  ///< that a playlist gives; may be empty
  bool operator==(const PlaylistEntry&) const = default;

  /// The title, or else the file's name without its folder, or the URL.
  [[nodiscard]] std::string name() const;
};

/// What the words of a command line, or of a drop onto the window, stand for.
struct ExpandedInputs {
  std::vector<PlaylistEntry> entries;
  std::vector<Error> problems;  ///< of inputs, or lines of playlists, that stand for nothing: to be told
};

/// Expands each input, in order:
///  - a directory: the videos in it and in the directories below, files before directories, in natural order,
///  hidden
///    ones left out; where there is no video, its pictures;
///  - a glob that fits no file by that name ("*.mkv"): what fits it; where all of that are pictures, and more
///  than
///    one, a single video of numbered pictures, as for "shot-%04d.png";
///  - a playlist on disk: what it names, relative to its folder; playlists within it too, eight deep;
///  - "file://..." : that file;
///  - all else, files that are missing included: itself.
/// Playlists on the network remain single entries: Playlist::expand_current() reads them when their turn
/// comes.
[[nodiscard]] ExpandedInputs expand_inputs(const std::vector<std::string>& inputs);

/// What the text of a playlist at the network address `url` names: things on the network alone. HLS: itself.
[[nodiscard]] ExpandedInputs expand_network_playlist(const std::string& url, std::string_view text);

}  // namespace glyphreel::player
