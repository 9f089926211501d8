#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "media/subtitle/subtitle_event.h"

namespace glyphreel::player {

/// The events of one subtitle track, searchable by time. Events are added in the order in which packets are
/// read; events that are read again after a seek are ignored. An event without an end time ends when
/// the next event starts. If a seek happens before the next event is read, the event without an end time is
/// removed. If the bitmaps exceed a limit, the bitmaps farthest in time from the last packet read are dropped
/// first.
///
/// Thread-safety: one thread.
class SubtitleTrack {
 public:
  using EventPtr = std::shared_ptr<const media::SubtitleEvent>;
  /// Limit on the total size of a track's bitmaps, in bytes. A feature-length video needs about 100 MiB.
  /// Dropped bitmaps are read again after a seek to an earlier position.
  static constexpr std::size_t DefaultBitmapBytes = std::size_t{128} << 20;
  /// Maximum number of events shown at once. Only damaged files have more.
  static constexpr std::size_t MaxVisible = 64;

  /// Makes an empty track, to which add() adds events.
  explicit SubtitleTrack(std::size_t bitmap_bytes = DefaultBitmapBytes);
  /// Makes a track from all events of a file. No bitmap is dropped.
  [[nodiscard]] static SubtitleTrack of_file(std::vector<media::SubtitleEvent> events);

  /// Adds events in the order in which their packets were read. A new `epoch` means that there was a seek
  /// before these packets.
  void add(std::vector<media::SubtitleEvent> events, std::uint32_t epoch);

  /// Returns the events shown at `seconds` of the container's clock, ordered by layer, then by start, then by
  /// position in the file.
  [[nodiscard]] std::vector<EventPtr> visible_at(double seconds) const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    double start = 0;
    double end = 0;
    EventPtr event;
  };

  void insert(media::SubtitleEvent event);
  void close_open_entries(const media::SubtitleEvent& next);
  void drop_open_entries();
  void drop_far_bitmaps(double seconds);
  void erase(std::size_t index);
  void update_latest_ends(std::size_t from);
  [[nodiscard]] bool contains(const media::SubtitleEvent& event) const;
  /// Returns the index of the first entry that starts after `seconds`.
  [[nodiscard]] std::size_t first_after(double seconds) const;

  std::vector<Entry> entries_;  ///< sorted by start
  /// For each block of BlockSize entries, the latest end of an entry. visible_at() skips blocks that have
  /// ended.
  std::vector<double> latest_ends_;
  /// Events that end when a later event starts: bitmaps, and text without an end. A seek empties this list.
  std::vector<EventPtr> open_;
  std::optional<std::uint32_t> epoch_;
  std::size_t bitmap_limit_;
  std::size_t bitmap_bytes_ = 0;
};

}  // namespace glyphreel::player
