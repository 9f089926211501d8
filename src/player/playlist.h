#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "player/expand_inputs.h"

namespace glyphreel::player {

enum class Repeat { No, Playlist };

/// What is to be played, in order, and where in it the player is. An entry that cannot be played is told and
/// passed over; it is left out from then on.
///
///     Playlist playlist(settings.inputs, Repeat::No);
///     while (const PlaylistEntry* entry = playlist.current()) {
///       for (const Error& problem : playlist.take_problems()) tell(problem);
///       if (playlist.is_network_playlist()) { playlist.expand_current(fetch); continue; }
///       auto source = open(entry->url);
///       if (!source) { playlist.pass_over(source.error()); continue; }
///       playlist.set_played();
///       play; then by what ended it: playlist.advance(), or next() or previous()
///     }
///     for (const Error& problem : playlist.take_problems()) tell(problem);
///     return playlist.outcome();
///
/// Thread-safety: one thread at a time.
class Playlist {
 public:
  Playlist(const std::vector<std::string>& inputs, Repeat repeat);

  /// Null: the end was reached, or nothing is left to play.
  [[nodiscard]] const PlaylistEntry* current() const;
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] const std::vector<PlaylistEntry>& entries() const { return entries_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void set_repeat(Repeat repeat) { repeat_ = repeat; }

  /// The user's `>` and `<`: false, and nothing changes, where there is no further entry. With
  /// Repeat::Playlist the last is followed by the first.
  bool next();
  bool previous();
  /// The entry ended by itself: on to the next, or to the end.
  void advance();

  /// The current entry was opened and shows pictures.
  void set_played() { has_played_ = true; }
  /// The current entry cannot be played: it is taken out, and the next in the direction of travel is current.
  /// The reason is kept for take_problems().
  void pass_over(const Error& reason);

  /// True where the current entry is a playlist on the network that has not been read.
  [[nodiscard]] bool is_network_playlist() const;
  using Fetch = std::function<Result<std::string>(const std::string& url)>;
  /// Reads it with `fetch` (media::fetch_text()) and puts what it names in its place; HLS remains as it is.
  /// What goes wrong is kept for take_problems(), and the entry passed over.
  void expand_current(const Fetch& fetch);

  /// A drop onto the window: plays these from now on, from the first. Where none of them stands for anything,
  /// the list remains as it was, and false is returned.
  bool replace(const std::vector<std::string>& inputs);

  /// Errors to be told, each once; without the one that outcome() returns where it was the only one.
  [[nodiscard]] std::vector<Error> take_problems();

  /// How long a still image is shown: empty, until the user goes on, where it is the only entry.
  [[nodiscard]] std::optional<double> still_image_seconds() const;

  /// BadInput where nothing at all could be played: the reason where there was one input, else their number.
  [[nodiscard]] Result<void> outcome() const;

 private:
  enum class Direction { Forward, Backward };
  std::vector<PlaylistEntry> expand(const std::vector<std::string>& inputs);
  void note(Error problem);
  void settle();

  std::vector<PlaylistEntry> entries_;
  std::size_t position_ = 0;  ///< entries_.size(): at the end
  Repeat repeat_;
  Direction direction_ = Direction::Forward;
  std::size_t failures_ = 0;  ///< entries passed over and problems met
  std::optional<Error> last_failure_;
  std::vector<Error> problems_;
  std::vector<std::string> expanded_urls_;  ///< network playlists that were read, and are not read again
  bool has_played_ = false;
};

inline constexpr double ImageDisplaySeconds = 1;  ///< mpv's --image-display-duration

}  // namespace glyphreel::player
