#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "player/playlist/expand_inputs.h"

namespace glyphreel::player {

/// What to play, in order, and the player's position in it. An entry that cannot be played is reported,
/// skipped, and left out from then on.
///
///     Playlist playlist(settings.inputs);
///     while (const PlaylistEntry* entry = playlist.current()) {
///       for (const Error& problem : playlist.take_problems()) report(problem);
///       if (playlist.is_network_playlist()) { playlist.expand_current(fetch(entry->url)); continue; }
///       auto source = open(entry->url);
///       if (!source) { playlist.skip_current(source.error()); continue; }
///       playlist.set_played();
///       play; then, depending on what ended it: playlist.advance(), or next() or previous()
///     }
///     for (const Error& problem : playlist.take_problems()) report(problem);
///     return playlist.outcome();
///
/// Thread-safety: one thread at a time.
class Playlist {
 public:
  explicit Playlist(const std::vector<std::string>& inputs);

  /// Returns the current entry; null: the end was reached, or nothing is left to play.
  [[nodiscard]] const PlaylistEntry* current() const;
  [[nodiscard]] const std::vector<PlaylistEntry>& entries() const { return entries_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

  /// Move to another entry, for the user's `>` and `<`. They return false, and change nothing, if there is
  /// no further entry.
  bool next();
  bool previous();
  /// The entry ended by itself: moves to the next, or to the end.
  void advance();

  /// Reports that the current entry was opened and shows pictures.
  void set_played() { has_played_ = true; }
  /// Removes the current entry, which cannot be played; the next one in the direction of travel becomes
  /// current. The reason is kept for take_problems().
  void skip_current(const Error& reason);

  /// Whether the current entry is a playlist on the network that has not been read.
  [[nodiscard]] bool is_network_playlist() const;
  /// Replaces the current entry, a playlist whose text was fetched, with what it names; HLS remains as it is.
  /// If `text` is an error, it is kept for take_problems(), and the entry is passed over.
  void expand_current(const Result<std::string>& text);

  /// Plays these inputs from now on, starting with the first: for a drop onto the window. If none of them
  /// leads to anything, the list remains as it was, and false is returned.
  bool replace(const std::vector<std::string>& inputs);

  /// Returns the errors to report, each once, except the one that outcome() returns if it was the only one.
  [[nodiscard]] std::vector<Error> take_problems();

  /// Returns how long a still image is shown; empty if it is the only entry: until the user moves on.
  [[nodiscard]] std::optional<double> still_image_seconds() const;

  /// Errors: BadInput if nothing could be played: the reason if there was one input, else how many there
  /// were.
  [[nodiscard]] Result<void> outcome() const;

 private:
  enum class Direction { Forward, Backward };
  std::vector<PlaylistEntry> expand(const std::vector<std::string>& inputs);
  void note(Error problem);

  std::vector<PlaylistEntry> entries_;
  std::size_t position_ = 0;  ///< entries_.size(): at the end
  Direction direction_ = Direction::Forward;
  std::size_t failures_ = 0;  ///< entries skipped and other problems
  std::optional<Error> last_failure_;
  std::vector<Error> problems_;
  std::vector<std::string> expanded_urls_;  ///< network playlists that were read, and are not read again
  bool has_played_ = false;
};

inline constexpr double ImageDisplaySeconds = 1;  ///< mpv's --image-display-duration

}  // namespace glyphreel::player
