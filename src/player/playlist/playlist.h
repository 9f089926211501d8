#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "player/playlist/expand_inputs.h"

namespace glyphreel::player {

/// The list of entries to play, and the current entry. An entry that cannot be played is reported and
/// removed.
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
  enum class Order { AsGiven, Shuffled };
  explicit Playlist(const std::vector<std::string>& inputs, Order order = Order::AsGiven);

  /// Returns the current entry; null at the end of the playlist, or if no entry is left.
  [[nodiscard]] const PlaylistEntry* current() const;
  [[nodiscard]] const std::vector<PlaylistEntry>& entries() const { return entries_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  /// Returns the index of the current entry; size() at the end of the playlist.
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Whether no entry follows the current entry.
  [[nodiscard]] bool is_at_last() const { return position_ + 1 >= entries_.size(); }

  /// Moves to the next entry when the user presses `>`. If there is no next entry, returns false and changes
  /// nothing.
  bool next();
  /// Like next(), but moves to the previous entry when the user presses `<`.
  bool previous();
  /// Makes the entry at this index current, or the last entry if the index is too large.
  void select(std::size_t position);
  /// Moves to the next entry, or to the end of the playlist, after the current entry has ended.
  void advance();

  /// Call this as soon as frames of the current entry have been shown. outcome() then returns no error.
  void set_played() { has_played_ = true; }
  /// Removes the current entry because it cannot be played. The following entry becomes current. If the last
  /// move was backward, the preceding entry becomes current instead. take_problems() will return the reason.
  void skip_current(const Error& reason);

  /// Whether the current entry is an unread playlist on the network. Always false once 100 such playlists
  /// have been read.
  [[nodiscard]] bool is_network_playlist() const;
  /// Replaces the current entry, a playlist on the network, with its entries. `text`: the fetched playlist.
  /// An HLS playlist remains a single entry. If `text` is an error, the entry is skipped, and take_problems()
  /// will return the error.
  void expand_current(const Result<std::string>& text);

  /// Replaces all entries with these inputs, such as files dropped on the window. The first new entry becomes
  /// current. If the inputs expand to no entry, returns false and changes nothing.
  bool replace(const std::vector<std::string>& inputs);

  /// Returns the errors that occurred since the last call, so that the caller can report them. Omits the only
  /// error so far if no entry is left and nothing was played, because outcome() returns that error.
  [[nodiscard]] std::vector<Error> take_problems();

  /// Returns for how many seconds a still image is shown. Empty if the playlist has only one entry: a single
  /// image is shown until the user quits.
  [[nodiscard]] std::optional<double> still_image_seconds() const;

  /// Returns an error if nothing could be played. If there were several errors, returns a BadInput error that
  /// states the number of errors.
  [[nodiscard]] Result<void> outcome() const;

 private:
  enum class Direction { Forward, Backward };
  std::vector<PlaylistEntry> expand(const std::vector<std::string>& inputs);
  void note(Error problem);
  void order(std::vector<PlaylistEntry>& entries) const;

  const Order order_;
  std::vector<PlaylistEntry> entries_;
  std::size_t position_ = 0;  ///< index of the current entry; entries_.size() at the end
  Direction direction_ = Direction::Forward;
  std::size_t failures_ = 0;  ///< number of problems so far
  std::optional<Error> last_failure_;
  std::vector<Error> problems_;
  std::vector<std::string> expanded_urls_;  ///< network playlists that were read; each is read only once
  bool has_played_ = false;
};

inline constexpr double ImageDisplaySeconds = 1;  ///< mpv's default for --image-display-duration

}  // namespace glyphreel::player
