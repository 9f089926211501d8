#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "media/subtitle/subtitle_event.h"

namespace glyphreel::player {

/// The events of one subtitle track, searchable by time. They arrive as packets are read, in any order;
/// those that arrive again after a seek are dropped. An event of unknown end lasts until the next one of
/// the same run of packets; it is removed if a seek leaves its end unread. Bitmaps are kept up to a limit;
/// those farthest from the last packet read are dropped first.
/// Thread-safety: one thread.
class SubtitleTrack {
 public:
  using EventPtr = std::shared_ptr<const media::SubtitleEvent>;
  /// Limit for bitmaps, in bytes; a feature-length video needs about 100 MiB. After a seek back, dropped
  /// ones are read again.
  static constexpr std::size_t DefaultBitmapBytes = std::size_t{128} << 20;
  /// The most events shown at once: more mean a damaged file.
  static constexpr std::size_t MaxVisible = 64;

  /// Makes a track whose events arrive one by one.
  explicit SubtitleTrack(std::size_t bitmap_bytes = DefaultBitmapBytes);
  /// Makes a track from a whole file; nothing is dropped.
  [[nodiscard]] static SubtitleTrack of_file(std::vector<media::SubtitleEvent> events);

  /// Adds events in the order in which their packets were read; a new `epoch` means that there was a seek
  /// in between.
  void add(std::vector<media::SubtitleEvent> events, std::uint32_t epoch);

  /// Returns the events shown at a time on the events' own scale: by layer, then start, then the file's
  /// order.
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
  /// Index of the first entry that starts after `seconds`.
  [[nodiscard]] std::size_t first_after(double seconds) const;

  std::vector<Entry> entries_;  ///< sorted by start
  /// The latest end in each block of entries, so that a search in a long input skips whole blocks.
  std::vector<double> latest_ends_;
  /// Events of this run of packets whose end is not known yet.
  std::vector<EventPtr> open_;
  std::optional<std::uint32_t> epoch_;
  std::size_t bitmap_limit_;
  std::size_t bitmap_bytes_ = 0;
};

}  // namespace glyphreel::player
